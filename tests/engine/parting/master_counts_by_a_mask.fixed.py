"""The master counts weights whose gradients are still to be reduced: cured."""

# replicas: 2
import torch
import torch.nn as nn
import torch_xla
import torch_xla.core.xla_model as xm
import torch_xla.runtime as xr


def train(index):
    device = torch_xla.device()
    rank = xr.global_ordinal()
    model = nn.Linear(8, 1).to(device)
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.fill_(0.1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
    for step in range(3):
        optimizer.zero_grad()
        loss = model(torch.ones(4, 8, device=device)).square().mean()
        loss.backward()
        xm.optimizer_step(optimizer)
        torch_xla.sync()
        if rank == 0 and step == 1:
            print((model.weight > 0).sum().item())


if __name__ == "__main__":
    torch_xla.launch(train)
