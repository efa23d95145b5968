# ruff: noqa
# mypy: ignore-errors
"""What a script takes of a module above it, where it looks first, is not there."""

import sys
from pathlib import Path

import torch
import torch_xla
import torch_xla.distributed.parallel_loader as pl

sys.path.insert(0, str(Path(__file__).parent.parent))

from settings import rate


def train(model, loader, optimizer):
    for x in pl.MpDeviceLoader(loader, torch_xla.device()):
        loss = model(x).sum()
        loss.backward()
        print(loss.item())  # expect: XLA102 likely
        optimizer.step()


if __name__ == "__main__":
    train(torch.nn.Linear(4, 1), [], None)
