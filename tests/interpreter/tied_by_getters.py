# ruff: noqa
# mypy: ignore-errors
"""Weights that a base class ties, by methods that say which they are."""

import torch
import torch_xla

device = torch_xla.device()


class Model(torch.nn.Module):
    def post_init(self):
        self.reset()
        self.tie()

    def reset(self):
        for parameter in self.parameters():
            parameter.data.normal_()

    def tie(self):
        head = self.head_of()
        if head is not None:
            head.weight = self.embedding_of().weight

    def head_of(self):
        return None

    def embedding_of(self):
        """The layer for the input."""
        return self.embedding


class Tied(Model):
    def __init__(self):
        super().__init__()
        self.embedding = torch.nn.Embedding(4, 4)
        self.head = torch.nn.Linear(4, 4, bias=False)
        self.post_init()

    def head_of(self):
        return self.head

    def forward(self, x):
        return self.head(self.embedding(x))


class Untied(Model):
    def __init__(self):
        super().__init__()
        self.embedding = torch.nn.Embedding(4, 4)
        self.post_init()

    def forward(self, x):
        return self.embedding(x)


def train(model, x):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    with torch_xla.step():
        model(x.to(device)).sum().backward()
        optimizer.step()


def moved(x):
    train(Tied().to(device), x)  # expect: XLA702


def of_one_layer(x):
    train(Untied().to(device), x)
