# ruff: noqa
# mypy: ignore-errors
"""Minibatches that are counted in each epoch: they are few, and the same in each."""

import torch
import torch_xla

device = torch_xla.device()
model = torch.nn.Linear(4, 4).to(device)
samples = torch.randn(256, 4).to(device)


def of_a_parameter(epochs: int = 4, minibatches: int = 8):
    size = 256 // minibatches
    for _ in range(epochs):
        order = torch.rand(256, device=device).argsort()
        for k in range(minibatches):
            chosen = order[k * size : (k + 1) * size]  # expect: XLA402
            model(samples[chosen]).mean().backward()
            torch_xla.sync()


def of_a_number():
    for _ in range(10):
        for k in range(4):
            model(samples[k * 64 : k * 64 + 64]).mean().backward()  # expect: XLA402
            torch_xla.sync()


def many():
    for _ in range(10):
        for k in range(1000):
            model(samples[k : k + 32]).mean().backward()  # expect: XLA402
            torch_xla.sync()


def in_one_loop():
    for k in range(100):
        model(samples[k : k + 32]).mean().backward()  # expect: XLA402
        torch_xla.sync()  # expect: XLA201


of_a_parameter()
