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


def eight_unless_another_is_given():
    args = options()
    cores = args.some or 8
    xmp.spawn(train, nprocs=cores)  # expect: XLA002, XLA510 likely


def one_unless_another_is_given():
    args = options()
    xmp.spawn(train, nprocs=args.some or 1)  # expect: XLA002


def eight_unless_the_caller_says_else(model, cores=8):
    xmp.spawn(train, args=(model,), nprocs=cores)  # expect: XLA002, XLA510 likely


def one_unless_the_caller_says_else(model, cores=1):
    xmp.spawn(train, args=(model,), nprocs=cores)  # expect: XLA002


class Trainer:
    def __init__(self, cores, devices):
        self.cores = cores
        self.devices = devices

    def start(self):
        xmp.spawn(train, nprocs=self.cores)  # expect: XLA002, XLA510
        xmp.spawn(train, nprocs=self.devices)  # expect: XLA002


def told_by_an_object():
    trainer = Trainer(8, 1)
    trainer.start()
