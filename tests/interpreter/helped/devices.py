# ruff: noqa
# mypy: ignore-errors
"""Devices as modules of today name them: a function, a constant, and its text."""

import torch_xla

DEVICE = torch_xla.device()
NAME = "xla"
LIMIT = 3


def current_device():
    return torch_xla.device()
