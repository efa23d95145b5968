"""Passes on names of torch_xla: one that another file takes stays until that file does without it."""

import torch_xla.core.xla_model as xm

__all__ = ["xm"]
