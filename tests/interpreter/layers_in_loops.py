# ruff: noqa
# mypy: ignore-errors
"""Loops over the layers of a model, of which there are some; and reads in loops of a helper."""

import torch
import torch_xla
import torch_xla.distributed.parallel_loader as pl
from torch import nn

device = torch_xla.device()
model = nn.Linear(4, 1).to(device)


class Sum(nn.Module):
    def __init__(self):
        super().__init__()
        self.parts = nn.ModuleList([nn.L1Loss(), nn.MSELoss()])

    def forward(self, x, y):
        total = 0.0
        for part in self.parts:
            total += part(x, y)
        return total / len(self.parts)


class Grown(nn.Module):
    def __init__(self):
        super().__init__()
        self.parts = nn.ModuleList()
        for _ in range(2):
            self.parts += [nn.MSELoss()]

    def forward(self, x, y):
        total = 0.0
        for weight, part in enumerate(self.parts):
            total += weight * part(x, y)
        return total


class Given(nn.Module):
    def forward(self, losses):
        total = 0.0
        for loss in losses:
            total += loss
        return total


def summed(batches):
    criterion = Sum().to(device)
    for batch in pl.MpDeviceLoader(batches, device):
        loss = criterion(model(batch), batch)
        print(float(loss))  # expect: XLA102


def grown(batches):
    criterion = Grown().to(device)
    for batch in pl.MpDeviceLoader(batches, device):
        loss = criterion(model(batch), batch)
        print(float(loss))  # expect: XLA102


def perhaps_none(batches):
    criterion = Given()
    for batch in pl.MpDeviceLoader(batches, device):
        losses = [value for value in model(batch) if batch.shape[0] > 8]
        print(float(criterion(losses)))


# What a helper reads in a loop of its own


def hits(predictions):
    for bound in range(11):
        (predictions > bound).cpu()


def own_hits(batch):
    predictions = model(batch)
    for bound in range(11):
        if bound == 5:
            (predictions > bound).cpu()


def after_a_cut(predictions):
    torch_xla.sync()
    for bound in range(11):
        (predictions > bound).cpu()


def reads_in_a_loop(batches):
    for batch in pl.MpDeviceLoader(batches, device):
        outputs = model(batch)
        hits(outputs)  # expect: XLA102


def reads_what_it_computed(batches):
    for batch in pl.MpDeviceLoader(batches, device):
        own_hits(batch)


def reads_after_a_cut(batches):
    for batch in batches:
        outputs = model(batch.to(device))
        after_a_cut(outputs)
