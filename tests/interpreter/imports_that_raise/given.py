# ruff: noqa
# mypy: ignore-errors
"""The program puts its own module in the place of what is gone."""

import sys
import types

import torch
import torch_xla
import torch_xla.distributed.parallel_loader as pl

sys.modules["torch._six"] = types.SimpleNamespace(inf=float("inf"))
from torch._six import inf  # expect: XLA001


def train(model, loader, optimizer):
    for x in pl.MpDeviceLoader(loader, torch_xla.device()):
        loss = model(x).sum()
        loss.backward()
        print(loss.item())  # expect: XLA102
        optimizer.step()
