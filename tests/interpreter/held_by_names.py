# ruff: noqa
# mypy: ignore-errors
"""Outputs that are deleted are let go, whoever made the loss of them, and what an object held is with it; a barrier of
an unknown group may hold nobody."""

import torch
import torch.distributed as dist
import torch_xla
import torch_xla.core.xla_model as xm
import torch_xla.distributed.parallel_loader as pl

device = torch_xla.device()
model = torch.nn.Linear(4, 4).to(device)


def validate(loader, criterion):
    total = 0
    with torch.no_grad():
        for x, y in pl.MpDeviceLoader(loader, device):
            out = model(x)
            loss = criterion(out, y)
            total += loss.item()
            del loss, out, x, y
    return total


def validate_and_keep(loader, criterion):
    total = 0
    with torch.no_grad():
        for x, y in pl.MpDeviceLoader(loader, device):
            out = model(x)
            loss = criterion(out, y)
            total += loss.item()  # expect: XLA102 likely
            del loss
    return total


def load_first(backend):
    dist.init_process_group(backend)
    if xm.is_master_ordinal():
        dist.barrier()  # with that of XLA it returns at once


def load_first_by_the_host():
    dist.init_process_group("gloo")
    if xm.is_master_ordinal():
        dist.barrier()  # expect: XLA502


class Output:
    def __init__(self, logits):
        self.logits = logits


class Classifier(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.head = torch.nn.Linear(4, 4)

    def forward(self, x):
        return Output(self.head(x))


class Pooled(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.head = torch.nn.Linear(4, 4)

    def forward(self, x):
        return Output(self.head(x)).logits


classifier = Classifier().to(device)
pooled = Pooled().to(device)


def validate_by_an_object(loader, criterion):
    """The object that the model returned is held by nobody any more."""
    total = 0
    with torch.no_grad():
        for x, y in pl.MpDeviceLoader(loader, device):
            logits = pooled(x)
            loss = criterion(logits, y)
            total += loss.item()
            del loss, logits
    return total


def validate_and_keep_the_object(loader, criterion):
    total = 0
    with torch.no_grad():
        for x, y in pl.MpDeviceLoader(loader, device):
            output = classifier(x)
            loss = criterion(output.logits, y)
            total += loss.item()  # expect: XLA102 likely
            del loss
    return total


class Meter:
    def __init__(self):
        self.last = None
        self.total = 0

    def update(self, loss):
        self.last = loss
        self.total += loss.item()


meter = Meter()


def validate_with_a_meter(loader, criterion):
    with torch.no_grad():
        for x, y in pl.MpDeviceLoader(loader, device):
            meter.update(criterion(model(x), y))  # expect: XLA102 likely


class Validation:
    def __init__(self):
        self.meter = Meter()

    def run(self, loader, criterion):
        with torch.no_grad():
            for x, y in pl.MpDeviceLoader(loader, device):
                self.meter.update(criterion(model(x), y))  # expect: XLA102 likely


optimizer = torch.optim.SGD(model.parameters(), lr=0.1)


def validates_what_was_perhaps_trained(train_loader, loader, cuts):
    for x, y in train_loader:
        optimizer.zero_grad()
        model(x.to(device)).sum().backward()
        optimizer.step()
        if cuts:
            torch_xla.sync()
    with torch.no_grad():
        for x, y in loader:
            right = model(x.to(device)).argmax(1).cpu()  # what may pend is of other steps
            if cuts:
                torch_xla.sync()
    return right


def validates_what_was_trained(train_loader, loader):
    for x, y in train_loader:
        optimizer.zero_grad()
        model(x.to(device)).sum().backward()
        optimizer.step()
        right = model(x.to(device)).argmax(1).cpu()  # expect: XLA102
        torch_xla.sync()  # expect: XLA201
    return right
