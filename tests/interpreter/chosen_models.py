# ruff: noqa
# mypy: ignore-errors
"""A model that is one of several is moved with its optimizer, whichever it is, and no other is."""

import torch
import torch_xla

device = torch_xla.device()


class Narrow(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.head = torch.nn.Linear(4, 1)

    def forward(self, x):
        return self.head(x)


class Wide(Narrow):
    pass


class Deep(Narrow):
    pass


class Deeper(Narrow):
    pass


class Deepest(Narrow):
    pass


def train(model, optimizer, batches):
    for x in batches:
        optimizer.zero_grad()
        model(x.to(device)).sum().backward()
        optimizer.step()
        torch_xla.sync()  # expect: XLA201


def made_in_each_arm(batches, name):
    if name == "narrow":
        model = Narrow()
    elif name == "wide":
        model = Wide()
    else:
        raise ValueError(name)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    model.to(device)  # expect: XLA701
    train(model, optimizer, batches)


def none_at_first(batches, name):
    model = None
    if name == "narrow":
        model = Narrow()
    elif name == "wide":
        model = Wide()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    model.to(device)  # expect: XLA701
    train(model, optimizer, batches)


def one_of_a_library(batches, wide):
    model = Wide() if wide else torch.nn.Linear(4, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    model.to(device)  # expect: XLA701
    train(model, optimizer, batches)


def make(name):
    if name == "narrow":
        return Narrow()
    if name == "wide":
        return Wide()
    if name == "deep":
        return Deep()
    if name == "deeper":
        return Deeper()
    return Deepest()


def more_than_are_told_apart(batches, name):
    model = make(name)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    model.to(device)  # expect: XLA701
    train(model, optimizer, batches)


def moved_before(batches, name):
    model = make(name)
    model.to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    train(model, optimizer, batches)


def another_moves(batches, wide):
    student, teacher = Narrow(), Wide()
    model = student if wide else teacher
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    other = Deep()
    other.to(device)
    train(other, optimizer, batches)


def only_one_of_them_moves(batches, wide):
    student, teacher = Narrow(), Wide()
    model = student if wide else teacher
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    teacher.to(device)
    train(teacher, optimizer, batches)


def one_that_may_be_another(batches, wide, x):
    student, teacher = Narrow(), Wide()
    optimizer = torch.optim.SGD(student.parameters(), lr=0.1)
    model = student if wide else teacher
    model.to(device)
    train(student, optimizer, batches)
