# ruff: noqa
# mypy: ignore-errors
"""Optimizers that a list or a dict holds, and whose model moves below: whoever takes one out takes an old one."""

import torch
import torch_xla

device = torch_xla.device()


def train(model, optimizer, x):
    with torch_xla.step():
        model(x.to(device)).sum().backward()
        optimizer.step()


def by_name(x):
    model = torch.nn.Linear(4, 4)
    optimizers = {"all": torch.optim.SGD(model.parameters(), lr=0.1)}
    model.to(device)  # expect: XLA701
    train(model, optimizers["all"], x)


def in_turn(x):
    model = torch.nn.Linear(4, 4)
    optimizers = [torch.optim.SGD(model.parameters(), lr=0.1)]
    model.to(device)  # expect: XLA701
    for optimizer in optimizers:
        train(model, optimizer, x)


def made_below(x):
    model = torch.nn.Linear(4, 4)
    model.to(device)
    optimizers = {"all": torch.optim.SGD(model.parameters(), lr=0.1)}
    train(model, optimizers["all"], x)  # quiet: it has the parameters on the device


def of_another_model(x):
    model, other = torch.nn.Linear(4, 4), torch.nn.Linear(4, 4)
    optimizers = {"other": torch.optim.SGD(other.parameters(), lr=0.1)}
    model.to(device)  # quiet: the optimizer has nothing to do with it
    optimizers["model"] = torch.optim.SGD(model.parameters(), lr=0.1)
    train(model, optimizers["model"], x)
