# ruff: noqa
# mypy: ignore-errors
"""Without SPMD a loader that is told how to shard its batches shards nothing, and raises nothing."""

import torch
import torch_xla
import torch_xla.distributed.spmd as xs
from torch_xla.distributed.parallel_loader import MpDeviceLoader


def main():
    mesh = xs.get_1d_mesh("data")
    batches = MpDeviceLoader(
        [torch.ones(8, 2)], torch_xla.device(), input_sharding=xs.ShardingSpec(mesh, ("data", None))
    )
    for batch in batches:
        print(batch)
    return xs.ShardingSpec(mesh, ("fsdp", None))  # expect: XLA807


main()
