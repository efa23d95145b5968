# ruff: noqa
# mypy: ignore-errors
"""The script may mean another module of that name."""

import sys

import torch
import torch_xla
import torch_xla.distributed.parallel_loader as pl
from settings import rate

sys.path.insert(0, "..")


def train(model, loader, optimizer):
    for x in pl.MpDeviceLoader(loader, torch_xla.device()):
        loss = model(x).sum()
        loss.backward()
        print(loss.item())  # expect: XLA102
        optimizer.step()


if __name__ == "__main__":
    train(torch.nn.Linear(4, 1), [], None)
