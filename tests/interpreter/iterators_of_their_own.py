# ruff: noqa
# mypy: ignore-errors
"""Objects that are their own iterators: each round of a loop over one calls its `__next__`."""

import torch
import torch_xla
import torch_xla.distributed.parallel_loader as pl

device = torch_xla.device()
model = torch.nn.Linear(4, 1).to(device)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
batches = [torch.randn(8, 4) for _ in range(9)]


class OfLoader:
    def __init__(self):
        self.loader = pl.MpDeviceLoader(batches, device)
        self.left = None

    def __iter__(self):
        self.left = iter(self.loader)
        return self

    def __next__(self):
        return next(self.left)


class OfHost:
    def __init__(self):
        self.at = 0

    def __iter__(self):
        return self

    def __next__(self):
        if self.at == len(batches):
            raise StopIteration
        self.at += 1
        return batches[self.at - 1].to(device)


class Marking(OfHost):
    def __next__(self):
        torch_xla.sync()
        return super().__next__()


def step(batch):
    optimizer.zero_grad()
    loss = model(batch).square().mean()
    loss.backward()
    optimizer.step()
    return loss


def of_loader():
    for batch in OfLoader():
        loss = step(batch)
        print(loss.item())  # expect: XLA102


def counted():
    for number, batch in enumerate(OfLoader()):
        loss = step(batch)
        print(number, loss.item())  # expect: XLA102


def asked_for_by_hand():
    left = iter(OfLoader())
    while True:
        try:
            batch = next(left)
        except StopIteration:
            break
        loss = step(batch)
        print(loss.item())  # expect: XLA102


def read_below():
    for batch in OfLoader():
        loss = step(batch)
    print(loss.item())


def of_host():
    for batch in OfHost():  # expect: XLA202
        step(batch)


def of_host_and_marked():
    for batch in OfHost():
        with torch_xla.step():
            step(batch)


def marking():
    for batch in Marking():
        step(batch)


of_loader()
counted()
asked_for_by_hand()
read_below()
marking()
of_host_and_marked()
of_host()
