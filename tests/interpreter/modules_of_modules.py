# ruff: noqa
# mypy: ignore-errors
"""A module has those that it imports as its attributes."""

import torch
import torch_xla.core.xla_model as xm
import torch_xla.distributed.parallel_loader as pl


def by_way_of_another_module():
    device = xm.torch_xla.device()
    weight = xm.torch.ones(2, device=device)
    with xm.torch_xla.step():
        loss = (weight * 2).sum()
        print(loss.item())  # expect: XLA101


def attributes_of_the_same_name_are_no_modules(config):
    weight = torch.ones(2, device=config.torch_xla.device())
    print(weight.sum().item())
