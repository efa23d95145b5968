# ruff: noqa
# mypy: ignore-errors
"""Methods and classes that are looked up by names of a table."""

import importlib

import torch
import torch_xla
from torch_xla.distributed.parallel_loader import MpDeviceLoader

device = torch_xla.device()


class Engine:
    handlers = ("forward", "backward", "report")

    def __init__(self, model, optimizer):
        self.model, self.optimizer = model, optimizer

    def handle_forward(self, batch):
        self.loss = self.model(batch).sum()

    def handle_backward(self, batch):
        self.optimizer.zero_grad()
        self.loss.backward()
        self.optimizer.step()

    def handle_report(self, batch):
        print(self.loss.item())

    def step(self, batch):
        for name in self.handlers:
            getattr(self, f"handle_{name}")(batch)


class Quiet(Engine):
    handlers = ("forward", "backward")


def loader():
    return MpDeviceLoader([torch.ones(4, 4)] * 8, device)


def reports():
    model = torch.nn.Linear(4, 1).to(device)
    engine = Engine(model, torch.optim.SGD(model.parameters(), lr=0.1))
    for batch in loader():
        engine.step(batch)  # expect: XLA102


def is_quiet():
    model = torch.nn.Linear(4, 1).to(device)
    engine = Quiet(model, torch.optim.SGD(model.parameters(), lr=0.1))
    for batch in loader():
        engine.step(batch)


def instantiate(settings, *arguments):
    settings = dict(settings)
    module, _, name = settings.pop("target").rpartition(".")
    return getattr(importlib.import_module(module), name)(*arguments, **settings)


def of_settings(batch, moved_first):
    model = torch.nn.Linear(4, 1)
    if moved_first:
        model = model.to(device)
    optimizer = instantiate({"target": "torch.optim.SGD", "lr": 0.1}, model.parameters())
    train(model, optimizer, batch)


def moved_too_late(batch):
    model = torch.nn.Linear(4, 1)
    optimizer = instantiate({"target": "torch.optim.SGD", "lr": 0.1}, model.parameters())
    train(model.to(device), optimizer, batch)  # expect: XLA701


def moved_in_time(batch):
    model = torch.nn.Linear(4, 1).to(device)
    optimizer = instantiate({"target": "torch.optim.SGD", "lr": 0.1}, model.parameters())
    train(model, optimizer, batch)


def train(model, optimizer, batch):
    with torch_xla.step():
        optimizer.zero_grad()
        model(batch).sum().backward()
        optimizer.step()
