# ruff: noqa
# mypy: ignore-errors
"""A number that is drawn before a loop is the same one in each round; one that is drawn in a round is another."""

import random

import torch
import torch_xla
import torch_xla.distributed.parallel_loader as pl

device = torch_xla.device()
model = torch.nn.Linear(4, 4).to(device)


def before_it(batches):
    power = random.randint(2, 9)
    for batch in pl.MpDeviceLoader(batches, device):
        (model(batch) ** power).mean().backward()


def in_each_round(batches):
    for batch in pl.MpDeviceLoader(batches, device):
        power = random.randint(2, 9)
        (model(batch) ** power).mean().backward()  # expect: XLA402


def in_each_epoch(batches):
    for epoch in range(3):
        power = random.randint(2, 9)
        for batch in pl.MpDeviceLoader(batches, device):
            (model(batch) ** power).mean().backward()


def for_all_of_an_epoch(batches):
    flips = random.random() < 0.5
    for batch in pl.MpDeviceLoader(batches, device):
        x = batch.flip(-1) if flips else batch
        if flips:
            x = x + 1
        model(x).sum().backward()


class Powers:
    def __init__(self):
        self.power = random.randint(2, 9)

    def __call__(self, x):
        return x**self.power


class NewPowers:
    def __call__(self, x):
        self.power = random.randint(2, 9)
        return x**self.power  # expect: XLA402


def of_an_object(batches):
    powers = Powers()
    for batch in pl.MpDeviceLoader(batches, device):
        powers(model(batch)).mean().backward()


def of_an_object_that_draws(batches):
    powers = NewPowers()
    for batch in pl.MpDeviceLoader(batches, device):
        powers(model(batch)).mean().backward()
