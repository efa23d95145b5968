# ruff: noqa
# mypy: ignore-errors
"""The iterator of a loader of XLA has a method `next`, which does what the function does; that of a `DataLoader` of torch
has had none for long."""

import torch
import torch_xla
import torch_xla.distributed.parallel_loader as pl
from torch.utils.data import DataLoader

device = torch_xla.device()


class Prefetched:
    """An object of the program that has such a method."""

    def __init__(self, dataset):
        self.batches = iter(DataLoader(dataset, batch_size=8))

    def next(self):
        return next(self.batches).to(device)


def of_a_device(dataset):
    model = torch.nn.Linear(4, 4).to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    loader = DataLoader(dataset, batch_size=8)
    batches = iter(pl.ParallelLoader(loader, [device]).per_device_loader(device))  # expect: XLA002
    for _ in range(100):
        loss = model(batches.next()).mean()
        loss.backward()
        optimizer.step()


def of_a_device_and_read(dataset):
    model = torch.nn.Linear(4, 4).to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    batches = iter(pl.MpDeviceLoader(DataLoader(dataset, batch_size=8), device))
    for _ in range(100):
        loss = model(batches.__next__()).mean()
        loss.backward()
        optimizer.step()
        print(loss.item())  # expect: XLA102


def of_an_object(dataset):
    model = torch.nn.Linear(4, 4).to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    batches = Prefetched(dataset)
    for _ in range(100):  # expect: XLA202
        loss = model(batches.next()).mean()
        loss.backward()
        optimizer.step()


def of_torch(dataset):
    model = torch.nn.Linear(4, 4).to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    batches = iter(DataLoader(dataset, batch_size=8))
    first = batches.next()
    for _ in range(100):  # expect: XLA202 likely
        loss = model(first.to(device)).mean()
        loss.backward()
        optimizer.step()


def of_torch_by_the_function(dataset):
    model = torch.nn.Linear(4, 4).to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    batches = iter(DataLoader(dataset, batch_size=8))
    first = next(batches)
    for _ in range(100):  # expect: XLA202
        loss = model(first.to(device)).mean()
        loss.backward()
        optimizer.step()


def of_torch_in_a_try(dataset):
    model = torch.nn.Linear(4, 4).to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    batches = iter(DataLoader(dataset, batch_size=8))
    try:
        first = batches.next()
    except AttributeError:
        first = next(batches)
    for _ in range(100):  # expect: XLA202
        loss = model(first.to(device)).mean()
        loss.backward()
        optimizer.step()
