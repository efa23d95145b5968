# ruff: noqa
# mypy: ignore-errors
"""Meters are given tensors and numbers alike, by a test that tells them apart, in a loop over a generator."""

import torch
import torch_xla
import torch_xla.distributed.parallel_loader as pl

device = torch_xla.device()


def update(meters, **values):
    for name, value in values.items():
        if isinstance(value, torch.Tensor):
            value = value.item()
        meters[name].append(value)


def update_of_one_number(meters, **values):
    for name, value in values.items():
        if isinstance(value, torch.Tensor) and value.numel() == 1:
            value = value.item()
        meters[name].append(value)


def update_of_numbers(meters, **values):
    for name, value in values.items():
        if not isinstance(value, torch.Tensor):
            meters[name].append(float(value))


def with_headers(loader, every):
    for number, batch in enumerate(loader):
        yield batch
        if number % every == 0:
            print(number)


def train_one_epoch(model, optimizer, loader, meters):
    for x in with_headers(loader, 10):
        loss = model(x).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        update(meters, loss=loss, rate=0.1)  # expect: XLA102


def train(batches, meters):
    model = torch.nn.Linear(2, 2).to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    loader = pl.MpDeviceLoader(batches, device)
    for epoch in range(10):
        train_one_epoch(model, optimizer, loader, meters)  # quiet: the cut at the end is the generator's


def train_with_other_meters(batches, meters):
    model = torch.nn.Linear(2, 2).to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for x in pl.MpDeviceLoader(batches, device):
        loss = model(x).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        update_of_one_number(meters, loss=loss, rate=0.1)  # expect: XLA102
        update_of_numbers(meters, loss=loss, rate=0.1)


def evaluate(batches, meters):
    model = torch.nn.Linear(2, 2).to(device)
    with torch.no_grad():
        for x in with_headers(pl.MpDeviceLoader(batches, device), 10):
            loss = model(x).mean()
            torch_xla.sync()  # expect: XLA201
            update(meters, loss=loss, rate=0.1)
