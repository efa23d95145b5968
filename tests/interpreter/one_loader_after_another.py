# ruff: noqa
# mypy: ignore-errors
"""`itertools.chain.from_iterable` gives the batches of several loaders, or of one again and again."""

import itertools
from itertools import chain, repeat

import torch
import torch_xla
import torch_xla.distributed.parallel_loader as pl
from torch.utils.data import DataLoader

device = torch_xla.device()


def step(model, optimizer, x):
    optimizer.zero_grad()
    loss = model(x).sum()
    loss.backward()
    optimizer.step()
    return loss


def of_several(model, optimizer, loaders):
    loaders = [pl.MpDeviceLoader(loader, device) for loader in loaders]
    for x in itertools.chain.from_iterable(loaders):
        print(step(model, optimizer, x).item())  # expect: XLA102


def again_and_again(model, optimizer, loader, steps):
    batches = chain.from_iterable(repeat(pl.MpDeviceLoader(loader, device)))
    for number, x in enumerate(batches):
        loss = step(model, optimizer, x)
        if number == steps:
            break  # expect: XLA203
    print(loss.item())


def cut_by_nothing(model, optimizer, data):
    for x in chain.from_iterable(repeat(DataLoader(data, drop_last=True))):  # expect: XLA202
        step(model, optimizer, x.to(device))


def so_many_times(model, optimizer, x, steps):
    for _ in repeat(None, steps):  # expect: XLA202
        step(model, optimizer, x)


def main(loaders, data):
    model = torch.nn.Linear(4, 4).to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    of_several(model, optimizer, loaders)
    again_and_again(model, optimizer, loaders[0], 100)
    cut_by_nothing(model, optimizer, data)
    so_many_times(model, optimizer, torch.ones(2, 4, device=device), 100)
