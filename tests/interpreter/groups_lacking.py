# ruff: noqa
# mypy: ignore-errors
"""A script asks for the process group of its replicas, and nothing in it makes one: that raises."""

import torch
import torch.distributed as dist
import torch_xla
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

device = torch_xla.device()
rows = TensorDataset(torch.ones(64, 4))


def train(batches):
    model = torch.nn.Linear(4, 4).to(device)
    for (batch,) in batches:
        loss = model(batch.to(device)).mean()
        loss.backward()
        print(loss.item())  # expect: XLA102
        torch_xla.sync()  # expect: XLA201


def number_of_the_replica():
    print(dist.get_rank())
    model = torch.nn.Linear(4, 4).to(device)
    for (batch,) in DataLoader(rows, batch_size=8, drop_last=True):
        loss = model(batch.to(device)).mean()
        loss.backward()
        print(loss.item())  # expect: XLA102 likely
        torch_xla.sync()  # expect: XLA201 likely


def sampler_that_asks():
    sampler = DistributedSampler(rows, shuffle=True)
    model = torch.nn.Linear(4, 4).to(device)
    for (batch,) in DataLoader(rows, batch_size=8, sampler=sampler, drop_last=True):
        loss = model(batch.to(device)).mean()
        loss.backward()
        print(loss.item())  # expect: XLA102 likely
        torch_xla.sync()  # expect: XLA201 likely


def sampler_that_is_told():
    sampler = DistributedSampler(rows, 1, rank=0)
    train(DataLoader(rows, batch_size=8, sampler=sampler, drop_last=True))


def wrapped():
    model = DistributedDataParallel(torch.nn.Linear(4, 4).to(device))
    for (batch,) in DataLoader(rows, batch_size=8, drop_last=True):
        loss = model(batch.to(device)).mean()
        loss.backward()
        print(loss.item())  # expect: XLA102 likely
        torch_xla.sync()  # expect: XLA201 likely


def tried():
    try:
        dist.barrier()
    except ValueError:
        pass
    train(DataLoader(rows, batch_size=8, drop_last=True))


if __name__ == "__main__":
    sampler_that_is_told()
    tried()
    number_of_the_replica()
