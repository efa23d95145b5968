"""Passes on names of torch_xla: one that another file takes stays until that file does without it."""

import torch_xla.core.xla_model as xm
from torch_xla.core.xla_model import mark_step, xla_device

__all__ = ["xm"]
