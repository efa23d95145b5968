# ruff: noqa
# mypy: ignore-errors
"""What is gone is used by a function that nobody calls."""

import torch
import torch_xla
import torch_xla.distributed.parallel_loader as pl


def kinds():
    return torch.storage._TypedStorage.__subclasses__()  # expect: XLA001


def train(model, loader, optimizer):
    for x in pl.MpDeviceLoader(loader, torch_xla.device()):
        loss = model(x).sum()
        loss.backward()
        print(loss.item())  # expect: XLA102
        optimizer.step()
