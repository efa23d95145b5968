# ruff: noqa
# mypy: ignore-errors
"""A device that the launching process uses: who settles that, and what does not."""

import torch_xla
import torch_xla.core.xla_model as xm
import torch_xla.runtime as xr


def train(index):
    return torch_xla.device()


def start():
    torch_xla.launch(train)


def ask():
    return xr.world_size()  # expect: XLA509


print(xr.device_type())  # owed: nothing
ask()  # owed: nothing
torch_xla.sync()  # owed: DEVICE
start()
torch_xla.launch(train)  # owed: nothing
