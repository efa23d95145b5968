# ruff: noqa
# mypy: ignore-errors
"""A class answers for names that nothing gives its objects: nothing raises, and what comes after is as sure."""

from collections import defaultdict

import torch
import torch_xla

device = torch_xla.device()


class Meters:
    def __init__(self):
        self.meters = defaultdict(list)

    def update(self, **values):
        for name, value in values.items():
            self.meters[name].append(value)

    def __getattr__(self, name):
        if name in self.meters:
            return self.meters[name]
        raise AttributeError(name)


class LossMeters(Meters):
    pass


class Narrow:
    def __init__(self):
        self.meters = {}

    def getattr(self, name):
        return self.meters[name]


class Scaled(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(4, 4)

    def forward(self, x):
        return self.layer(x)

    def __getattr__(self, name):
        return getattr(super().layer, name)


def train(batches):
    model = torch.nn.Linear(4, 4).to(device)
    meters = LossMeters()
    for batch in batches:
        loss = model(batch.to(device)).mean()
        loss.backward()
        meters.update(loss=0.1)
        print(meters.loss, loss.item())  # expect: XLA102
        torch_xla.sync()  # expect: XLA201


def train_a_module_that_answers(batches):
    model = Scaled().to(device)
    for batch in batches:
        loss = model(batch.to(device)).mean()
        loss.backward()
        model.penalty()
        print(loss.item())  # expect: XLA102
        torch_xla.sync()  # expect: XLA201


def train_with_one_that_does_not(batches):
    model = torch.nn.Linear(4, 4).to(device)
    print(Narrow().loss)
    for batch in batches:
        loss = model(batch.to(device)).mean()
        loss.backward()
        print(loss.item())  # expect: XLA102 likely
        torch_xla.sync()  # expect: XLA201 likely
