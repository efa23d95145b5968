# ruff: noqa
# mypy: ignore-errors
"""What is imported for types is not imported."""

from typing import TYPE_CHECKING

import torch
import torch_xla
import torch_xla.distributed.parallel_loader as pl

if TYPE_CHECKING:
    from parts.clipping import clip


def train(model, loader, optimizer):
    for x in pl.MpDeviceLoader(loader, torch_xla.device()):
        loss = model(x).sum()
        loss.backward()
        print(loss.item())  # expect: XLA102
        optimizer.step()
