# ruff: noqa
# mypy: ignore-errors
"""Which weights are trained apart, though their class ties them."""

import torch
import torch_xla

device = torch_xla.device()


class Tied(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding = torch.nn.Embedding(4, 4)
        self.head = torch.nn.Linear(4, 4, bias=False)
        self.head.weight = self.embedding.weight

    def forward(self, x):
        return self.head(self.embedding(x))


class PerhapsTied(Tied):
    def __init__(self, tie):
        torch.nn.Module.__init__(self)
        self.embedding = torch.nn.Embedding(4, 4)
        self.head = torch.nn.Linear(4, 4, bias=False)


def stepped_by(optimizer):
    optimizer.step()


def steps_in_a_call_below_a_cut(x):
    model = Tied().to(device)  # expect: XLA702
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    model(x.to(device)).sum().backward()
    torch_xla.sync()  # expect: XLA205
    stepped_by(optimizer)


def steps_in_one_arm(x, train):
    model = Tied().to(device)  # expect: XLA702
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for batch in x:
        with torch_xla.step():
            model(batch.to(device)).sum().backward()
            if train:
                optimizer.step()


def moves_where_it_is_on_the_device(x):
    model = Tied().to(device)  # expect: XLA702
    model = model.to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    with torch_xla.step():
        model(x.to(device)).sum().backward()
        optimizer.step()


def made():
    return Tied().to(device)  # expect: XLA702


def steps_what_a_helper_has_moved(x):
    model = made()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    with torch_xla.step():
        model(x.to(device)).sum().backward()
        optimizer.step()


def only_predicts(x):
    model = Tied().to(device)
    with torch_xla.step():
        return model(x.to(device))


def is_not_tied_by_all(x):
    model = PerhapsTied(True).to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    with torch_xla.step():
        model(x.to(device)).sum().backward()
        optimizer.step()
