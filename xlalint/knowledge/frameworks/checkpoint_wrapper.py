"""The activation checkpointing of torch.distributed: wrappers that call that of PyTorch in each forward pass."""

import torch
import torch_xla

MODULES = ("torch.distributed.algorithms._checkpoint",)


class CheckpointWrapper(torch.nn.Module):
    def __init__(self, mod, checkpoint_impl=None, checkpoint_fn=None, **named):
        self.module = mod
        self.by_its_own = checkpoint_fn is not None

    def forward(self, *inputs, **named):
        if self.by_its_own:
            return self.module(*inputs, **named)
        return torch.utils.checkpoint.checkpoint(self.module, *inputs, **named)


def checkpoint_wrapper(module, checkpoint_impl=None, checkpoint_fn=None, **named):
    return CheckpointWrapper(module, checkpoint_impl, checkpoint_fn)


def apply_activation_checkpointing(
    model, checkpoint_wrapper_fn=checkpoint_wrapper, check_fn=None, auto_wrap_policy=None
):
    # A model that is on the device by now is to be called there.
    if model.device.type in ("xla",):
        wrapped = checkpoint_wrapper_fn(torch.nn.Linear(1, 1).to(torch_xla.device()))
        wrapped(torch.zeros(1, device=torch_xla.device()))
