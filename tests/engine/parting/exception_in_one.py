"""One replica meets a broken sample, and ends."""

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
    samples = [1.0, 2.0, None if rank == 1 else 3.0, 4.0]
    for value in samples:
        if value is None:
            raise ValueError("a broken sample")  # replica 1
        optimizer.zero_grad()
        loss = model(torch.full((4, 8), value).to(device)).square().mean()
        loss.backward()
        xm.optimizer_step(optimizer)  # replica 0
        torch_xla.sync()


if __name__ == "__main__":
    torch_xla.launch(train)
