# ruff: noqa
# mypy: ignore-errors
"""What is imported imports that module."""

import torch
import torch_xla
import torch_xla.distributed.parallel_loader as pl

import parts.training


def train(model, loader, optimizer):
    for x in pl.MpDeviceLoader(loader, torch_xla.device()):
        loss = model(x).sum()
        loss.backward()
        print(loss.item())  # expect: XLA102 likely
        optimizer.step()
