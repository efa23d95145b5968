# ruff: noqa
# mypy: ignore-errors
"""There is one process by default, and a script of the shell asks for eight."""

import argparse

import torch_xla
import torch_xla.distributed.xla_multiprocessing as xmp

parser = argparse.ArgumentParser()
parser.add_argument("--num-cores", type=int, default=1)
arguments = parser.parse_args()


def train(index):
    torch_xla.sync()


xmp.spawn(train, args=(), nprocs=arguments.num_cores)  # expect: XLA002, XLA510 likely
