# ruff: noqa
# mypy: ignore-errors
"""Only an older torch is asked for what it has."""

import torch
import torch_xla
import torch_xla.distributed.parallel_loader as pl

if torch.__version__ < "2":
    from torch._six import inf
else:
    from torch import inf


def train(model, loader, optimizer):
    for x in pl.MpDeviceLoader(loader, torch_xla.device()):
        loss = model(x).sum()
        loss.backward()
        print(loss.item())  # expect: XLA102
        optimizer.step()
