# ruff: noqa
# mypy: ignore-errors
"""Functions run below what their module has done when it was imported, whoever calls them."""

import torch
import torch_xla
from torch.utils.checkpoint import checkpoint

torch._register_device_module("xla", torch_xla)


def train(index):
    device = torch_xla.device()
    block = torch.nn.Linear(4, 4).to(device)
    inputs = torch.randn(8, 4, device=device, requires_grad=True)
    with torch_xla.step():
        checkpoint(block, inputs, use_reentrant=False).sum().backward()


def exported(inputs, block):
    with torch_xla.step():
        checkpoint(block, inputs.to("xla"), use_reentrant=False).sum().backward()
