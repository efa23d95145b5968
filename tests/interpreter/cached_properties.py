# ruff: noqa
# mypy: ignore-errors
"""Properties that are cached: the first who asks runs them, and nobody after."""

import functools
from functools import cached_property

import torch
import torch_xla

device = torch_xla.device()
model = torch.nn.Linear(4, 4).to(device)
x = torch.randn(4, 4, device=device)


class Run:
    @cached_property
    def warm(self):
        torch_xla.sync()
        return True

    @functools.cached_property
    def device(self):
        return torch_xla.device()

    @property
    def cut(self):
        torch_xla.sync()
        return True


def asked_twice():
    run = Run()
    model(x)
    run.warm
    model(x)  # state: none
    run.warm
    torch_xla.sync()  # state: heavy


def asked_in_a_called_function():
    run = Run()
    warmed(run)
    model(x)  # state: none
    warmed(run)
    torch_xla.sync()  # state: heavy


def warmed(run):
    return run.warm


def not_cached():
    run = Run()
    model(x)
    run.cut
    model(x)  # state: none
    run.cut
    torch_xla.sync()  # state: none


def of_functools(run: Run, batches):
    for batch in batches:
        loss = model(batch.to(run.device)).mean()
        print(loss.item())  # expect: XLA102
        torch_xla.sync()  # expect: XLA201
