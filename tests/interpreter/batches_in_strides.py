# ruff: noqa
# mypy: ignore-errors
"""Batches that are cut out of tensors by their places: the same come in each epoch."""

import torch
import torch_xla

device = torch_xla.device()
model = torch.nn.Linear(4, 4).to(device)
samples = torch.randn(256, 4).to(device)


def in_each_epoch():
    for epoch in range(10):
        for start in range(0, 256, 32):
            model(samples[start : start + 32]).mean().backward()  # expect: XLA402
            torch_xla.sync()


def epoch_of_a_function(rows):
    for start in range(0, len(rows), 32):
        model(rows[start : start + 32]).mean().backward()  # expect: XLA402
        torch_xla.sync()


def trained():
    for epoch in range(10):
        epoch_of_a_function(samples)


def once():
    for start in range(0, 256, 32):
        model(samples[start : start + 32]).mean().backward()  # expect: XLA402
        torch_xla.sync()  # expect: XLA201


def by_the_number_of_the_step():
    for epoch in range(10):
        for step in range(10000):
            model(samples[step : step + 32]).mean().backward()  # expect: XLA402
            torch_xla.sync()
