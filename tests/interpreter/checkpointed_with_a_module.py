# ruff: noqa
# mypy: ignore-errors
"""PyTorch's activation checkpointing runs on XLA once the program has given PyTorch a module for the device."""

import torch
import torch_xla
from torch.utils.checkpoint import checkpoint

device = torch_xla.device()
block = torch.nn.Linear(4, 4).to(device)


def checkpointed():
    inputs = torch.randn(8, 4, device=device, requires_grad=True)
    with torch_xla.step():
        checkpoint(block, inputs, use_reentrant=False).sum().backward()


inputs = torch.randn(8, 4, device=device, requires_grad=True)
with torch_xla.step():
    checkpoint(block, inputs, use_reentrant=False).sum().backward()  # expect: XLA708
torch._register_device_module("xla", torch_xla)
checkpointed()
inputs = torch.randn(8, 4, device=device, requires_grad=True)
with torch_xla.step():
    checkpoint(block, inputs, use_reentrant=False).sum().backward()
