# ruff: noqa
# mypy: ignore-errors
"""Closures that are handed on to an optimizer whose gradients are summed before."""

import torch
import torch_xla
import torch_xla.core.xla_model as xm

device = torch_xla.device()


def computes_gradients(index):
    model = torch.nn.Linear(4, 4).to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)

    def closure():
        model(torch.ones(4, 4, device=device)).sum().backward()

    xm.optimizer_step(optimizer, optimizer_args={"closure": closure})  # expect: XLA513


def sums_them_itself(index):
    model = torch.nn.Linear(4, 4).to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)

    def closure():
        model(torch.ones(4, 4, device=device)).sum().backward()
        xm.reduce_gradients(optimizer)

    xm.optimizer_step(optimizer, optimizer_args={"closure": closure})


def has_none(index):
    model = torch.nn.Linear(4, 4).to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    model(torch.ones(4, 4, device=device)).sum().backward()
    xm.optimizer_step(optimizer, optimizer_args={"closure": None})


def perhaps_alone():
    model = torch.nn.Linear(4, 4).to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)

    def closure():
        model(torch.ones(4, 4, device=device)).sum().backward()

    xm.optimizer_step(optimizer, optimizer_args={"closure": closure})


def launches():
    torch_xla.launch(computes_gradients)  # expect: XLA517 likely
    torch_xla.launch(sums_them_itself)  # expect: XLA517 likely
    torch_xla.launch(has_none)  # expect: XLA517 likely
