# ruff: noqa
# mypy: ignore-errors
"""A parameter that is annotated as a module is one, also where a caller passes something unknown."""

from collections.abc import Iterable

import torch
import torch.nn as nn
import torch_xla
import torch_xla.core.xla_model as xm
import torch_xla.distributed.parallel_loader as pl
from somewhere import build


def train_one_epoch(model: nn.Module, loader: Iterable, optimizer: torch.optim.Optimizer, criterion):
    model.train()
    right = 0
    for x, y in pl.MpDeviceLoader(loader, torch_xla.device()):
        optimizer.zero_grad()
        logits = model(x)
        criterion(logits, y).backward()
        xm.optimizer_step(optimizer)
        right += logits.max(1)[1].eq(y).sum().item()  # expect: XLA102
    return right


class Trainer:
    def evaluate(self, model: torch.nn.Module, loader):
        right = 0
        for x, y in pl.MpDeviceLoader(loader, torch_xla.device()):
            scores = model(x)
            right += scores.argmax(1).eq(y).sum().item()  # expect: XLA102
        return right

    def run(self, loader):
        model, _ = build()
        return self.evaluate(model, loader)


def parameters_only(model: "nn.Module"):
    """Nothing says that this module is on the device, or that what it gets is."""
    total = 0
    for x in range(3):
        total += model(x).item()
    return total


def not_annotated(model, loader):
    right = 0
    for x, y in pl.MpDeviceLoader(loader, torch_xla.device()):
        scores = model(x)
        right += scores.argmax(1).eq(y).sum().item()
    return right
