# ruff: noqa
# mypy: ignore-errors
"""Sharded by a program whose script of the shell turns SPMD on: it may be started so."""

import torch
import torch_xla.distributed.spmd as xs
from torch_xla.experimental.spmd_fully_sharded_data_parallel import SpmdFullyShardedDataParallel


def main():
    mesh = xs.get_1d_mesh("fsdp")
    model = torch.nn.Linear(8, 4).to("xla")
    xs.mark_sharding(model.weight, mesh, (None, "fsdp"))
    SpmdFullyShardedDataParallel(torch.nn.Linear(8, 4), mesh=mesh)


main()
