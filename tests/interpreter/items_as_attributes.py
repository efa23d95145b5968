# ruff: noqa
# mypy: ignore-errors
"""Dicts whose items are attributes as well, as many projects write one for settings or results."""

from types import SimpleNamespace

import torch
import torch_xla
from easydict import EasyDict


class Items(dict):
    def __init__(self, *mappings, **items):
        super().__init__(*mappings)
        for name, item in items.items():
            self[name] = item

    def __getattr__(self, name):
        return self[name]

    def __setattr__(self, name, item):
        self[name] = item


class Shared(dict):
    def __init__(self, *mappings, **items):
        super().__init__(*mappings, **items)
        self.__dict__ = self


class Short(dict):
    __getattr__ = dict.get
    __setattr__ = dict.__setitem__


class Meters(dict):
    """One of these has no such attributes: what its methods do is what they say."""

    def add(self, name, value):
        self[name] = value.detach().cpu()


device = torch_xla.device()
network = torch.nn.Linear(4, 4).to(device)
x = torch.randn(4, 4, device=device)


def by_keywords():
    y = network(x)
    return Items(loss=y.sum(), logits=y)


def shared():
    y = network(x)
    return Shared(loss=y.sum(), logits=y)


def given_one_by_one():
    y = network(x)
    results = Short()
    results.loss = y.sum()
    results["logits"] = y
    return results


def scaled():
    y = network(x)
    results = Items({"loss": y.sum(), "logits": y})
    for name, item in results.items():
        results[name] = item / 2
    return results


for _ in range(3):
    results = by_keywords()
    print(results.loss.item())  # expect: XLA102
    print(results["logits"].sum().item())  # expect: XLA102
    torch_xla.sync()  # expect: XLA201
    print(results.loss.item())

for _ in range(3):
    results = shared()
    print(results.loss.item())  # expect: XLA102
    torch_xla.sync()  # expect: XLA201

for _ in range(3):
    results = given_one_by_one()
    print(results["loss"].item())  # expect: XLA102
    print(results.logits.sum().item())  # expect: XLA102
    torch_xla.sync()  # expect: XLA201

for _ in range(3):
    results = scaled()
    print(results.loss.item())  # expect: XLA102
    torch_xla.sync()  # expect: XLA201

meters = Meters()
for _ in range(3):
    loss = network(x).sum()
    meters.add("loss", loss)  # expect: XLA102
    torch_xla.sync()  # expect: XLA201


def of_libraries():
    settings = SimpleNamespace(device="xla", rate=0.1)
    moved = torch.nn.Linear(4, 4)
    held = torch.optim.SGD(moved.parameters(), lr=settings.rate)
    moved.to(settings.device)  # expect: XLA701
    held.step()
    options = EasyDict({"rate": 0.1})
    options.device = "cpu"
    left = torch.nn.Linear(4, 4)
    held = torch.optim.SGD(left.parameters(), lr=options.rate)
    left.to(options.device)
    held.step()


class Told:
    def __init__(self, **settings):
        self.device = settings.get("device", "xla")
        self.model = torch.nn.Linear(4, 4)
        self.optimizer = torch.optim.SGD(self.model.parameters(), lr=0.1)
        self.model.to(self.device)  # expect: XLA701


def by_a_default():
    Told().optimizer.step()
