# ruff: noqa
# mypy: ignore-errors
"""The module that is imported raises: it takes what is gone."""

import torch
import torch_xla
import torch_xla.distributed.parallel_loader as pl

from parts.clipping import clip


def train(model, loader, optimizer):
    for x in pl.MpDeviceLoader(loader, torch_xla.device()):
        loss = model(x).sum()
        loss.backward()
        print(loss.item())  # expect: XLA102 likely
        optimizer.step()
