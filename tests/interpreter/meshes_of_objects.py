# ruff: noqa
# mypy: ignore-errors
"""A mesh whose axes an object is told when it is made."""

import numpy as np
import torch
import torch_xla
import torch_xla.distributed.spmd as xs
import torch_xla.runtime as xr
from torch_xla.experimental.spmd_fully_sharded_data_parallel import SpmdFullyShardedDataParallel as FSDPv2

xr.use_spmd()


class Setup:
    def __init__(self, axes=("data", "model")):
        count = xr.global_runtime_device_count()
        self.mesh = xs.Mesh(np.arange(count), (count, 1), axes)


def by_default():
    return FSDPv2(torch.nn.Linear(4, 4).to("xla"), mesh=Setup().mesh)  # expect: XLA812


def told():
    return FSDPv2(torch.nn.Linear(4, 4).to("xla"), mesh=Setup(("fsdp", "model")).mesh)
