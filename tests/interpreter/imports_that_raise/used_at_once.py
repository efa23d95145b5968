# ruff: noqa
# mypy: ignore-errors
"""What is gone is used while the module is imported."""

import torch
import torch_xla
import torch_xla.distributed.parallel_loader as pl

KINDS = {kind.__name__: kind for kind in torch.storage._TypedStorage.__subclasses__()}  # expect: XLA001


def train(model, loader, optimizer):
    for x in pl.MpDeviceLoader(loader, torch_xla.device()):
        loss = model(x).sum()
        loss.backward()
        print(loss.item())  # expect: XLA102 likely
        optimizer.step()
