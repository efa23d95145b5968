# ruff: noqa
# mypy: ignore-errors
"""Weights that a flag of the constructor ties: the same for all objects that the program makes, or not."""

import torch
import torch_xla

device = torch_xla.device()


class Model(torch.nn.Module):
    def __init__(self, width, tie=True):
        super().__init__()
        self.embedding = torch.nn.Embedding(width, width)
        self.head = torch.nn.Linear(width, width, bias=False)
        if tie:
            self.head.weight = self.embedding.weight

    def forward(self, x):
        return self.head(self.embedding(x))


class Untied(torch.nn.Module):
    def __init__(self, width, tie=False):
        super().__init__()
        self.first = torch.nn.Embedding(width, width)
        self.last = torch.nn.Linear(width, width, bias=False)
        if tie:
            self.last.weight = self.first.weight

    def forward(self, x):
        return self.last(self.first(x))


class Either(torch.nn.Module):
    def __init__(self, width, tie=True):
        super().__init__()
        self.words = torch.nn.Embedding(width, width)
        self.out = torch.nn.Linear(width, width, bias=False)
        if tie:
            self.out.weight = self.words.weight

    def forward(self, x):
        return self.out(self.words(x))


def train(model, x):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    with torch_xla.step():
        model(x.to(device)).sum().backward()
        optimizer.step()


def left_on(x):
    train(Model(4).to(device), x)  # expect: XLA702


def left_off(x):
    train(Untied(4).to(device), x)  # quiet: it ties nothing


def sometimes_off(x, tie):
    train(Either(4).to(device), x)  # quiet: another one is made without
    train(Either(4, tie=False).to(device), x)
