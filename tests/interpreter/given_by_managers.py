# ruff: noqa
# mypy: ignore-errors
"""What a context manager of the project gives to the body of a `with`, and what it finds in it afterwards."""

from contextlib import ExitStack, contextmanager

import torch
import torch_xla
import torch_xla.distributed.parallel_loader as pl

device = torch_xla.device()
model = torch.nn.Linear(4, 4).to(device)


@contextmanager
def step():
    with torch_xla.step():
        yield {}


@contextmanager
def step_that_reads():
    with torch_xla.step():
        found = {}
        yield found
        print(found["loss"].item())  # expect: XLA101


@contextmanager
def step_then_read():
    found = {}
    with torch_xla.step():
        yield found
    print(found["loss"].item())  # quiet: the step has run it


@contextmanager
def step_that_looks():
    with torch_xla.step():
        found = {}
        yield found
        print(found["loss"].shape)  # quiet: a shape is no read


@contextmanager
def on_the_device(x):
    yield x.to(device)


def decides(loader):
    for x in pl.MpDeviceLoader(loader, device):
        with step() as found:
            found["loss"] = model(x).sum()
            if found["loss"] > 1:  # expect: XLA101
                print("large")


def decides_by_name(loader):
    for x in pl.MpDeviceLoader(loader, device):
        manager = step()
        with manager as found:
            found["loss"] = model(x).sum()
            if found["loss"] > 1:  # expect: XLA101
                print("large")


def leaves(loader):
    for x in pl.MpDeviceLoader(loader, device):
        with step_that_reads() as found:
            found["loss"] = model(x).sum()


def leaves_to_a_stack(loader):
    for x in pl.MpDeviceLoader(loader, device):
        with ExitStack() as stack:
            found = stack.enter_context(step_that_looks())
            found["loss"] = model(x).sum()


def leaves_to_be_read_below(loader):
    for x in pl.MpDeviceLoader(loader, device):
        with step_then_read() as found:
            found["loss"] = model(x).sum()


def takes_the_moved(loader):
    for x in pl.MpDeviceLoader(loader, device):
        with on_the_device(torch.ones(4)) as y, torch_xla.step():
            loss = model(x).sum() + model(y).sum()
            if y.sum() > 1:  # expect: XLA101
                print("large")
