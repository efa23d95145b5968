# ruff: noqa
# mypy: ignore-errors
"""Devices that are counted before replicas are launched: that starts the runtime."""

import torch_xla
import torch_xla.runtime as xr


def train(index):
    return torch_xla.device()


print("devices", xr.global_runtime_device_count())  # expect: XLA509
torch_xla.launch(train)
