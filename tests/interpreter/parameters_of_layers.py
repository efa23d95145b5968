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


class Placed(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(4, 4)
        self.places = torch.nn.Parameter(torch.zeros(16, 4))

    def forward(self, x, place):
        return self.layer(x) + self.places[place]  # expect: XLA402


def decodes(x):
    model = Placed().to(device)
    for place in range(16):
        with torch_xla.step():
            x = model(x, place)
    return x


def takes_rows_of_a_layer(x):
    model = torch.nn.Linear(4, 4).to(device)
    for row in range(4):
        with torch_xla.step():
            x = model(x) * model.weight[row]  # expect: XLA402
    return x


def takes_one_of_several(x):
    model = torch.nn.Sequential(torch.nn.Linear(4, 4), torch.nn.Linear(4, 4)).to(device)
    held = list(model.parameters())
    for number in range(4):
        with torch_xla.step():
            x = model(x) + held[number].sum()
    return x


def takes_rows_on_the_host(x):
    model = torch.nn.Linear(4, 4)
    for row in range(4):
        with torch_xla.step():
            x = x.to(device) * 2 + model.weight[row].sum().item()
    return x
