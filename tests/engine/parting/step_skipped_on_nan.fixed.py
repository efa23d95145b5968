"""A replica whose loss is no number skips its step, and comes to one step less: cured."""

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
    samples = [1.0, float("nan") if rank == 1 else 2.0, 3.0]
    for value in samples:
        optimizer.zero_grad()
        loss = model(torch.full((4, 8), value).to(device)).square().mean()
        loss.backward()
        broken = xm.all_reduce(xm.REDUCE_MAX, torch.isnan(loss).float())
        torch_xla.sync()
        if not broken.item():
            xm.optimizer_step(optimizer)
        torch_xla.sync()


if __name__ == "__main__":
    torch_xla.launch(train)
