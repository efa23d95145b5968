"""What PyTorch refuses to load: values of NumPy, and objects of classes that nobody has allowed."""

from __future__ import annotations

import itertools
from typing import Any

import torch

_MOST = 64
"""Of a list or dictionary so many are looked at."""
_PLAIN = (
    bool,
    int,
    float,
    complex,
    str,
    bytes,
    bytearray,
    torch.Tensor,
    torch.Size,
    torch.dtype,
    torch.device,
)
_CONTAINERS = (list, tuple, set)


def refused(value: Any) -> str:
    """What in a value `torch.load` refuses, in words; empty where there is nothing."""
    kind = type(value)
    if kind in _CONTAINERS or isinstance(value, dict):
        held = itertools.chain(value, value.values()) if isinstance(value, dict) else value
        return next(filter(None, map(refused, itertools.islice(held, _MOST))), "")
    if value is None or isinstance(value, torch.Tensor) or kind in _PLAIN:
        return ""
    if kind in torch.serialization.get_safe_globals():
        return ""
    return "a NumPy value" if kind.__module__ == "numpy" else f"an object of `{kind.__name__}`"
