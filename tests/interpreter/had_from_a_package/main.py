# ruff: noqa
# mypy: ignore-errors
"""What leads to torch_xla stands in modules of a package that names it nowhere, or is had from a module as a whole."""

import compat
import tools
import torch
from tools import device_of, loader_of, other_device, step_of


def by_name(batches):
    device = device_of()
    model = torch.nn.Linear(4, 4)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    model.to(device)  # expect: XLA701
    for x, y in loader_of(batches, device):
        loss = (model(x) - y).pow(2).mean()
        loss.backward()
        print(loss.item())  # expect: XLA102
        step_of(optimizer)
        optimizer.zero_grad()


def by_a_star(batches):
    device = other_device()
    model = torch.nn.Linear(4, 4)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    model.to(device)  # expect: XLA701
    for x, y in batches:
        (model(x.to(device)) - y.to(device)).pow(2).mean().backward()
        compat.xm.optimizer_step(optimizer, barrier=True)
        optimizer.zero_grad()


def of_the_package(batches):
    device = tools.device_of()
    model = torch.nn.Linear(4, 4)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    model.to(device)  # expect: XLA701
    for x, y in tools.loader_of(batches, device):
        (model(x) - y).pow(2).mean().backward()
        tools.step_of(optimizer)
        optimizer.zero_grad()


def of_a_module(batches):
    device = compat.torch_xla.device()
    model = torch.nn.Linear(4, 4)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    model.to(device)  # expect: XLA701
    for x, y in compat.pl.MpDeviceLoader(batches, device):
        (model(x) - y).pow(2).mean().backward()
        compat.xm.optimizer_step(optimizer)
        optimizer.zero_grad()
