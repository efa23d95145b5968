# ruff: noqa
# mypy: ignore-errors
"""Parameters that a module holds are where the module is."""

import torch
import torch_xla

device = torch_xla.device()


class Scaled(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding = torch.nn.Embedding(4, 4)
        self.scale = torch.nn.Parameter(torch.ones(1))

    def forward(self, x):
        edges = torch.mm(self.embedding.weight, self.embedding.weight).nonzero()  # expect: XLA401
        return x * self.scale + edges.size(0)


def trains(batches):
    model = Scaled().to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for batch in batches:
        with torch_xla.step():
            model(batch.to(device)).sum().backward()
            optimizer.step()
        print(model.scale.item())


def reads_what_waits(batches):
    model = Scaled().to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for batch in batches:
        model(batch.to(device)).sum().backward()
        optimizer.step()
        print(model.scale.item())  # expect: XLA102
        torch_xla.sync()  # expect: XLA201


class OnHost(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.scale = torch.nn.Parameter(torch.ones(1))

    def forward(self, x):
        if self.scale.exp() > 100:
            x = x / 100
        return x * self.scale


def stays_on_the_host(batches):
    model = OnHost()
    for batch in batches:
        model(batch).sum().backward()
        print(model.scale.item())


def asks_in_each_round(batches):
    model = Asks().to(device)
    for batch in batches:
        model(batch.to(device)).sum().backward()
        torch_xla.sync()  # expect: XLA201


class Asks(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.scale = torch.nn.Parameter(torch.ones(1))

    def forward(self, x):
        if self.scale.exp() > 100:  # expect: XLA103
            x = x / 100
        return x * self.scale
