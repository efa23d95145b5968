# ruff: noqa
# mypy: ignore-errors
"""Some of these functions give PyTorch a module for the device, and some do not."""

import torch
import torch_xla
from torch.utils.checkpoint import checkpoint

device = torch_xla.device()
block = torch.nn.Linear(4, 4).to(device)


def checkpointed(inputs):
    return checkpoint(block, inputs, use_reentrant=False)  # expect: XLA708


def by_one_with_a_module():
    torch._register_device_module("xla", torch_xla)
    inputs = torch.randn(8, 4, device=device, requires_grad=True)
    checkpointed(inputs).sum().backward()


def by_one_without():
    inputs = torch.randn(8, 4, device=device, requires_grad=True)
    checkpointed(inputs).sum().backward()


def in_the_first_arm(asked):
    inputs = torch.randn(8, 4, device=device, requires_grad=True)
    if asked:
        torch._register_device_module("xla", torch_xla)
    checkpoint(block, inputs, use_reentrant=False).sum().backward()


def in_the_second_arm(asked):
    inputs = torch.randn(8, 4, device=device, requires_grad=True)
    if asked:
        print("asked")
    else:
        torch._register_device_module("xla", torch_xla)
    checkpoint(block, inputs, use_reentrant=False).sum().backward()
