# ruff: noqa
# mypy: ignore-errors
"""Of the classes that a model may be made of, those that call kernels for GPUs do not run on an XLA device."""

import torch
import torch_xla
from flash_attn import flash_attn_func, flash_attn_varlen_func


def lengths(mask):
    return torch.nonzero(mask.flatten()).flatten()  # GPUs only


def rows(mask):
    return torch.nonzero(mask.flatten()).flatten()  # expect: XLA401


class Attention(torch.nn.Module):
    def forward(self, hidden, mask):
        return hidden + rows(mask).sum()


class FlashAttention(Attention):
    def forward(self, hidden, mask):
        return self.attend(hidden, mask)

    def attend(self, hidden, mask):
        if mask is not None:
            taken = lengths(mask)
            result = flash_attn_varlen_func(hidden, taken)
        else:
            result = flash_attn_func(hidden)
        return result


KINDS = {"eager": Attention, "flash": FlashAttention}


class Model(torch.nn.Module):
    def __init__(self, config):
        super().__init__()
        self.attention = KINDS[config.kind]()

    def forward(self, hidden, mask):
        return self.attention(hidden, mask)


def train(config, loader):
    device = torch_xla.device()
    model = Model(config).to(device)
    for hidden, mask in loader:
        with torch_xla.step():
            model(hidden.to(device), torch.ones(4, 4, device=device) > 0).sum().backward()
