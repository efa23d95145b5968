"""RFC #6751: a marker below a scope of the profiler."""

import torch
import torch.nn as nn
import torch_xla
import torch_xla.core.xla_model as xm
import torch_xla.debug.profiler as xp


def main():
    device = torch_xla.device()
    torch.manual_seed(0)
    model = nn.Linear(8, 1).to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
    for step in range(5):
        x = torch.randn(4, 8).to(device)
        with xp.Trace("loss"):
            optimizer.zero_grad()
            loss = model(x).square().mean()
            loss.backward()
            optimizer.step()
        xm.mark_step()
        print(step, loss.item())


if __name__ == "__main__":
    main()
