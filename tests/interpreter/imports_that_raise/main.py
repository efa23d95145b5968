# ruff: noqa
# mypy: ignore-errors
"""What comes after an import that surely raises is a note: the program gets there when that is mended."""

import os

os.environ["XLA_USE_BF16"] = "1"  # expect: XLA003 likely

import torch
import torch_xla
import torch_xla.distributed.parallel_loader as pl
from torch._six import inf  # expect: XLA001


def train(model, loader, optimizer):
    for x in pl.MpDeviceLoader(loader, torch_xla.device()):
        loss = model(x).sum()
        loss.backward()
        print(loss.item())  # expect: XLA102 likely
        optimizer.step()
