# ruff: noqa
# mypy: ignore-errors
"""The variable has more than one value."""

import argparse

import torch_xla
import torch_xla.distributed.xla_multiprocessing as xmp

parser = argparse.ArgumentParser()
parser.add_argument("--num-cores", type=int, default=1)
arguments = parser.parse_args()


def train(index):
    torch_xla.sync()


xmp.spawn(train, args=(), nprocs=arguments.num_cores)  # expect: XLA002
