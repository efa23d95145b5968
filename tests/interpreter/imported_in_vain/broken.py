# ruff: noqa
# mypy: ignore-errors
"""`helpers.plain` does not define `setup`: what this file would do is a note."""

from helpers.plain import device, setup

import torch
import torch_xla
import torch_xla.distributed.parallel_loader as pl

model = torch.nn.Linear(4, 4).to(torch_xla.device())
for x in pl.MpDeviceLoader([torch.randn(2, 4)], torch_xla.device()):
    y = model(x)
    print(y.sum().item())  # expect: XLA102 likely


def train(loader):
    for x in pl.MpDeviceLoader(loader, torch_xla.device()):
        y = model(x)
        print(y.sum().item())  # expect: XLA102 likely
