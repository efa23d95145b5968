# ruff: noqa
# mypy: ignore-errors
"""The program is ready for the import to fail."""

import torch
import torch_xla
import torch_xla.distributed.parallel_loader as pl

try:
    from torch._six import inf
except ImportError:
    from math import inf


def train(model, loader, optimizer):
    for x in pl.MpDeviceLoader(loader, torch_xla.device()):
        loss = model(x).sum()
        loss.backward()
        print(loss.item())  # expect: XLA102
        optimizer.step()
