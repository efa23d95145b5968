# ruff: noqa
# mypy: ignore-errors
"""A loader of torch_xla has nothing of the one that it goes over: what asks it for that raises, and what follows is
a note."""

import torch
import torch_xla
import torch_xla.distributed.parallel_loader as pl
from torch.utils.data import DataLoader

device = torch_xla.device()
model = torch.nn.Linear(4, 4).to(device)


def by_its_sampler(samples, sampler):
    loader = pl.MpDeviceLoader(DataLoader(samples, batch_size=4, sampler=sampler), device)
    for epoch in range(3):
        loader.sampler.set_epoch(epoch)
        for batch in loader:
            loss = model(batch).mean()
            print(loss.item())  # expect: XLA102 likely


def by_its_number_of_samples(samples):
    loader = pl.MpDeviceLoader(DataLoader(samples, batch_size=4), device)
    total = 0
    for batch in loader:
        loss = model(batch).mean()
        total += loss.item()  # expect: XLA102
    print(total / len(loader.dataset))
    for batch in loader:
        loss = model(batch).mean()
        print(loss.item())  # expect: XLA102 likely


def by_another_epoch(samples, sampler):
    loader = pl.ParallelLoader(DataLoader(samples, sampler=sampler), [device]).per_device_loader(device)  # expect: XLA002
    loader.set_epoch(1)
    for batch in loader:
        loss = model(batch).mean()
        print(loss.item())  # expect: XLA102 likely


def by_its_length(samples, sampler):
    batches = DataLoader(samples, batch_size=4, sampler=sampler)
    loader = pl.MpDeviceLoader(batches, device)
    for epoch in range(3):
        batches.sampler.set_epoch(epoch)
        for batch in loader:
            loss = model(batch).mean()
            print(loss.item(), len(loader), len(batches.dataset))  # expect: XLA102


def by_what_it_keeps(samples, sampler):
    loader = pl.MpDeviceLoader(DataLoader(samples, batch_size=4, sampler=sampler), device)
    loader._loader.sampler.set_epoch(1)
    for batch in loader:
        loss = model(batch).mean()
        print(loss.item())  # expect: XLA102


def on_one_way(samples, on_xla):
    loader = DataLoader(samples, batch_size=4)
    if on_xla:
        loader = pl.MpDeviceLoader(loader, device)
    else:
        print(len(loader.dataset))
    for batch in loader:
        loss = model(batch).mean()
        print(loss.item())  # expect: XLA102


def one_that_is_asked_first(samples):
    loader = pl.MpDeviceLoader(DataLoader(samples, batch_size=4), device)
    if hasattr(loader, "collate_fn"):
        print(loader.collate_fn)
    for batch in loader:
        loss = model(batch).mean()
        print(loss.item())  # expect: XLA102


def one_that_is_given_it(samples):
    loader = pl.MpDeviceLoader(DataLoader(samples, batch_size=4), device)
    loader.batch_size = 4
    for batch in loader:
        loss = model(batch).mean()
        print(loss.item() * loader.batch_size)  # expect: XLA102
