# ruff: noqa
# mypy: ignore-errors
"""A function that raises only when it is called raises there."""

import torch
import torch_xla
import torch_xla.distributed.parallel_loader as pl


def train(model, loader, optimizer):
    for x in pl.MpDeviceLoader(loader, torch_xla.device()):
        loss = model(x).sum()
        loss.backward()
        print(loss.item())  # expect: XLA102
        optimizer.step()


def resume(model, loader, optimizer):
    from torch._six import inf  # expect: XLA001

    for x in pl.MpDeviceLoader(loader, torch_xla.device()):
        loss = model(x).sum()
        loss.backward()
        print(loss.item(), inf)  # expect: XLA102 likely
        optimizer.step()
