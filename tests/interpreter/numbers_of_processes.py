# ruff: noqa
# mypy: ignore-errors
"""How many processes are asked for may be an option of the command line, with a number by default."""

import argparse

import torch_xla.distributed.xla_multiprocessing as xmp


def train(index):
    pass


def options():
    parser = argparse.ArgumentParser()
    parser.add_argument("--num-cores", type=int, default=8)
    parser.add_argument("--one", type=int, default=1)
    parser.add_argument("--some", type=int)
    return parser.parse_args()


def eight_by_default():
    args = options()
    xmp.spawn(train, nprocs=args.num_cores)  # expect: XLA002, XLA510 likely


def one_by_default():
    args = options()
    xmp.spawn(train, nprocs=args.one)  # expect: XLA002


def none_by_default():
    args = options()
    xmp.spawn(train, nprocs=args.some)  # expect: XLA002
