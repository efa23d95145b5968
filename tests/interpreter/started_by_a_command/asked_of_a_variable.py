# ruff: noqa
# mypy: ignore-errors
"""There is no default, and a script of the shell has the number in a variable."""

import argparse

import torch_xla
import torch_xla.distributed.xla_multiprocessing as xmp

parser = argparse.ArgumentParser()
parser.add_argument("--num-cores", type=int)
arguments = parser.parse_args()


def train(index):
    torch_xla.sync()


xmp.spawn(train, args=(), nprocs=arguments.num_cores)  # expect: XLA002, XLA510 likely
