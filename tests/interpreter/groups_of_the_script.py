# ruff: noqa
# mypy: ignore-errors
"""A script that joins a process group where somebody else has started it, and launches replicas where not."""

import os

import torch.distributed as dist
import torch_xla
import torch_xla.distributed.xla_multiprocessing as xmp


def join():
    dist.init_process_group("xla", init_method="xla://")


def train(index):
    print(torch_xla.device())


if __name__ == "__main__":
    if "WORLD_SIZE" in os.environ:
        join()
        print("on", torch_xla.device())
        train(0)
    else:
        xmp.spawn(train)  # holds: replicas.launched = None  # expect: XLA002
