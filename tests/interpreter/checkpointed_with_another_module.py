# ruff: noqa
# mypy: ignore-errors
"""A module for devices of another kind does not help PyTorch's activation checkpointing on XLA."""

import torch
import torch_xla
from torch.utils.checkpoint import checkpoint

torch._register_device_module("other", torch_xla)
device = torch_xla.device()
block = torch.nn.Linear(4, 4).to(device)


def checkpointed():
    inputs = torch.randn(8, 4, device=device, requires_grad=True)
    with torch_xla.step():
        checkpoint(block, inputs, use_reentrant=False).sum().backward()  # expect: XLA708


def registered_when_asked_for():
    torch._register_device_module("xla", torch_xla)


checkpointed()
