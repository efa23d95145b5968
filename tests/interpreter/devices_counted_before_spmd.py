# ruff: noqa
# mypy: ignore-errors
"""Devices that are counted before SPMD is turned on, which may still be: none is used as one of several."""

import torch
import torch_xla
import torch_xla.runtime as xr

if xr.global_runtime_device_count() > 1 and xr.addressable_runtime_device_count() > 1:
    xr.use_spmd()
torch.ones(2, 2).to(torch_xla.device())
