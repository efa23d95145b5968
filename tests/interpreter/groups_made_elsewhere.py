# ruff: noqa
# mypy: ignore-errors
"""What a script imports may make the process group that it asks for."""

import torch
import torch.distributed as dist
import torch_xla
from helpers_of_somebody import set_up
from torch.utils.data import DataLoader, TensorDataset

device = torch_xla.device()
rows = TensorDataset(torch.ones(64, 4))


def number_of_the_replica():
    set_up()
    print(dist.get_rank())
    model = torch.nn.Linear(4, 4).to(device)
    for (batch,) in DataLoader(rows, batch_size=8, drop_last=True):
        loss = model(batch.to(device)).mean()
        loss.backward()
        print(loss.item())  # expect: XLA102
        torch_xla.sync()  # expect: XLA201


if __name__ == "__main__":
    number_of_the_replica()
