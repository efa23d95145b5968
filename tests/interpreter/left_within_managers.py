# ruff: noqa
# mypy: ignore-errors
"""Whichever way the body of a `with` is left, its context manager goes on below its `yield`."""

from contextlib import contextmanager

import torch
import torch_xla
import torch_xla.distributed.parallel_loader as pl

device = torch_xla.device()
model = torch.nn.Linear(4, 4).to(device)


@contextmanager
def ended():
    yield
    torch_xla.sync()  # expect: XLA201


@contextmanager
def named():
    print("begins")
    yield
    print("ends")


@contextmanager
def ended_unless_it_fails():
    try:
        yield
    except ValueError:
        return
    torch_xla.sync()


@contextmanager
def read_at_the_end():
    found = {}
    yield found
    print(found["loss"].item())  # expect: XLA102


def returned_once_it_has_run(x):
    with ended():
        return model(x).sum()


def returned_while_it_pends(x):
    with named():
        return model(x).sum()


def reads(loader):
    for x in pl.MpDeviceLoader(loader, device):
        y = returned_once_it_has_run(x)  # expect: XLA201
        print(y.item())


def reads_what_pends(loader):
    for x in pl.MpDeviceLoader(loader, device):
        y = returned_while_it_pends(x)
        print(y.item())  # expect: XLA102


def reads_below(loader):
    for x in loader:
        with ended():
            y = model(x.to(device)).sum()
            if x.shape[0] < 4:
                continue
        print(y.item())


def leaves(loader):
    for x in loader:
        with ended():
            y = model(x.to(device)).sum()
            if x.shape[0] < 4:
                break
    print(y.item())


def leaves_what_pends(loader):
    for x in loader:
        with named():
            y = model(x.to(device)).sum()
            if x.shape[0] < 4:
                break
        torch_xla.sync()  # expect: XLA201
    print(y.item())


def leaves_by_a_guard(loader):
    for x in loader:
        with ended_unless_it_fails():
            y = model(x.to(device)).sum()
            if x.shape[0] < 4:
                break
    print(y.item())


def is_read_on_the_way_out(loader):
    for x in pl.MpDeviceLoader(loader, device):
        with read_at_the_end() as found:
            found["loss"] = model(x).sum()
            continue
