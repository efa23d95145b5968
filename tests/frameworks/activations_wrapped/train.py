"""Wrappers of torch.distributed that compute activations again, and sequences that do so in parts."""

import functools

import torch
import torch_xla
from torch.distributed.algorithms._checkpoint.checkpoint_wrapper import (
    CheckpointImpl, apply_activation_checkpointing, checkpoint_wrapper,
)  # fmt: skip
from torch.utils.checkpoint import checkpoint_sequential
from torch_xla.distributed.fsdp import checkpoint_module
from torch_xla.utils.checkpoint import checkpoint


class Wrapped(torch.nn.Module):
    def __init__(self):
        super().__init__()
        wrap = functools.partial(checkpoint_wrapper, checkpoint_impl=CheckpointImpl.NO_REENTRANT)
        self.blocks = torch.nn.ModuleList([wrap(torch.nn.Linear(4, 4)) for _ in range(4)])

    def forward(self, x):
        for block in self.blocks:
            x = block(x)  # expect: XLA708
        return x


class WrappedForXla(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.block = checkpoint_wrapper(torch.nn.Linear(4, 4), checkpoint_fn=checkpoint)

    def forward(self, x):
        return self.block(x)  # quiet: torch_xla's own function does it


class InTurn(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.blocks = torch.nn.Sequential(torch.nn.Linear(4, 4), torch.nn.Linear(4, 4))

    def forward(self, x):
        x = checkpoint_sequential(self.blocks, 1, x)  # quiet: the last part is computed as it is
        return checkpoint_sequential(self.blocks, segments=2, input=x, use_reentrant=False)  # expect: XLA708


def train(model):
    with torch_xla.step():
        model.to("xla")(torch.ones(2, 4, device="xla")).sum().backward()


def applied():
    model = torch.nn.Linear(4, 4).to("xla")
    apply_activation_checkpointing(model, check_fn=lambda module: True)  # expect: XLA708
    train(model)


def applied_with_options():
    model = torch.nn.Linear(4, 4).to("xla")
    wrap = functools.partial(checkpoint_wrapper, checkpoint_impl=CheckpointImpl.REENTRANT)
    apply_activation_checkpointing(model, checkpoint_wrapper_fn=wrap)  # expect: XLA708
    train(model)


def applied_for_xla():
    model = torch.nn.Linear(4, 4).to("xla")
    apply_activation_checkpointing(model, checkpoint_wrapper_fn=checkpoint_module)  # quiet: as above
    train(model)


def wrapped():
    train(Wrapped())


def wrapped_for_xla():
    train(WrappedForXla())


def in_turn():
    train(InTurn())
