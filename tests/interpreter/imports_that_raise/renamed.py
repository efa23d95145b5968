# ruff: noqa
# mypy: ignore-errors
"""What a fix renames keeps nobody from what comes after."""

import torch
import torch_xla
import torch_xla.distributed.parallel_loader as pl
from torch_xla.core.xla_model import xrt_world_size  # expect: XLA001


def train(model, loader, optimizer):
    for x in pl.MpDeviceLoader(loader, torch_xla.device()):
        loss = model(x).sum()
        loss.backward()
        print(loss.item())  # expect: XLA102
        optimizer.step()
