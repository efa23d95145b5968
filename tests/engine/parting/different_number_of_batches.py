"""The samples are not divided evenly, so that one replica has a batch more."""

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
    samples = torch.ones(10, 8)
    share = samples[:6] if rank == 0 else samples[6:]
    for batch in share.split(2):  # parted by
        optimizer.zero_grad()
        loss = model(batch.to(device)).square().mean()
        loss.backward()
        xm.optimizer_step(optimizer)  # replica 0
        torch_xla.sync()  # replica 1


if __name__ == "__main__":
    torch_xla.launch(train)
