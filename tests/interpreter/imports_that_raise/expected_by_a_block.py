# ruff: noqa
# mypy: ignore-errors
"""So it is here."""

from contextlib import suppress

import torch
import torch_xla
import torch_xla.distributed.parallel_loader as pl

with suppress(ImportError):
    from parts.clipping import clip


def train(model, loader, optimizer):
    for x in pl.MpDeviceLoader(loader, torch_xla.device()):
        loss = model(x).sum()
        loss.backward()
        print(loss.item())  # expect: XLA102
        optimizer.step()
