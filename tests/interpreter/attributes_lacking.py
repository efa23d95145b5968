# ruff: noqa
# mypy: ignore-errors
"""An object is asked for what nothing gives it: that raises, and what comes after it is a note."""

from dataclasses import dataclass

import torch
import torch_xla

device = torch_xla.device()


@dataclass(frozen=False)
class Settings:
    rate: float = 0.1
    epochs: int = 3
    rounds = 4


settings = Settings()


class Trainer:
    def __init__(self, batches):
        self.batches = batches
        self.model = torch.nn.Linear(4, 4).to(device)

    def train(self):
        for batch in self.batches:
            loss = self.model(batch.to(device)).mean()
            print(loss.item())  # expect: XLA102
            loss.backward()
            torch_xla.sync()  # expect: XLA201
        self.last = loss

    def test(self):
        for batch in self.batches:
            loss = self.criterion(self.model(batch.to(device)))
            print(loss.item())  # expect: XLA102 likely
            torch_xla.sync()  # expect: XLA201 likely

    def evaluate(self):
        for batch in self.batches:
            loss = self.model(batch.to(device)).mean()
            print(loss.item(), self.last)  # expect: XLA102
            torch_xla.sync()  # expect: XLA201


def with_a_setting_that_is_none(batches):
    model = torch.nn.Linear(4, 4).to(device)
    print(settings.momentum)
    for batch in batches:
        loss = model(batch.to(device)).mean()
        print(loss.item())  # expect: XLA102 likely
        loss.backward()
        torch_xla.sync()  # expect: XLA201 likely


def with_one_that_is(batches):
    model = torch.nn.Linear(4, 4).to(device)
    print(settings.rate, settings.rounds)
    for batch in batches:
        loss = model(batch.to(device)).mean()
        print(loss.item())  # expect: XLA102
        loss.backward()
        torch_xla.sync()  # expect: XLA201


class Base:
    """Those that derive from it have more."""

    def fit(self, batches):
        model = torch.nn.Linear(4, 4).to(device)
        for batch in batches:
            loss = model(batch.to(device)).mean() * self.weight
            print(loss.item())  # expect: XLA102
            loss.backward()
            torch_xla.sync()  # expect: XLA201


class Derived(Base):
    weight = 0.5


class Given:
    """Somebody else gives it what it has not itself."""

    def fit(self, batches):
        model = torch.nn.Linear(4, 4).to(device)
        for batch in batches:
            loss = model(batch.to(device)).mean() * self.scale
            print(loss.item())  # expect: XLA102
            loss.backward()
            torch_xla.sync()  # expect: XLA201


def scaled():
    given = Given()
    given.scale = 2.0
    return given


class Asking:
    def fit(self, batches):
        model = torch.nn.Linear(4, 4).to(device)
        for batch in batches:
            loss = model(batch.to(device)).mean()
            if hasattr(self, "weight"):
                loss = loss * self.weight
            print(loss.item())  # expect: XLA102
            loss.backward()
            torch_xla.sync()  # expect: XLA201


class OfALibrary(torch.utils.data.Dataset):
    def fit(self, batches):
        model = torch.nn.Linear(4, 4).to(device)
        for batch in batches:
            loss = model(batch.to(device)).mean() * self.factor
            print(loss.item())  # expect: XLA102
            loss.backward()
            torch_xla.sync()  # expect: XLA201


class NeverMadeHere:
    """Who makes it may give it more."""

    def fit(self, batches):
        model = torch.nn.Linear(4, 4).to(device)
        for batch in batches:
            loss = model(batch.to(device)).mean() * self.factor
            print(loss.item())  # expect: XLA102
            loss.backward()
            torch_xla.sync()  # expect: XLA201


def make_all(batches):
    return Trainer(batches), Base(), Given(), Asking(), OfALibrary()
