# ruff: noqa
# mypy: ignore-errors
"""What is done only where an option is more than the number that it is by default informs, if that means nothing."""

import argparse

import torch
import torch_xla
import torch_xla.distributed.parallel_loader as pl

parser = argparse.ArgumentParser()
parser.add_argument("--debug-step", type=int, default=-1)
parser.add_argument("--clip", type=float, default=0.0)
parser.add_argument("--every", type=int, default=10)
parser.add_argument("--patience", type=int, default=0)
parser.add_argument("--num-cores", type=int, default=0)
parser.add_argument("--local_rank", type=int, default=-1)
args = parser.parse_args()
device = torch_xla.device()
model = torch.nn.Linear(4, 4).to(device)


def unless_it_is_minus_one(batches):
    for step, batch in enumerate(pl.MpDeviceLoader(batches, device)):
        loss = model(batch).mean()
        if args.debug_step >= 0 and step > 3:
            print(loss.item())  # expect: XLA102 likely
        loss.backward()


def if_it_is_above_zero(batches):
    for batch in pl.MpDeviceLoader(batches, device):
        loss = model(batch).mean()
        if args.clip > 0:
            print(loss.item())  # expect: XLA102 likely
        loss.backward()


def unless_it_is_zero(batches):
    for batch in pl.MpDeviceLoader(batches, device):
        loss = model(batch).mean()
        if args.patience != 0:
            print(loss.item())  # expect: XLA102 likely
        loss.backward()


def if_it_is_any(batches):
    for batch in pl.MpDeviceLoader(batches, device):
        loss = model(batch).mean()
        if args.patience:
            print(loss.item())  # expect: XLA102 likely
        loss.backward()


def if_it_is_any_by_default(batches):
    for batch in pl.MpDeviceLoader(batches, device):
        loss = model(batch).mean()
        if args.every:
            print(loss.item())  # expect: XLA102
        loss.backward()


def as_it_is_by_default(batches):
    for batch in pl.MpDeviceLoader(batches, device):
        loss = model(batch).mean()
        if args.every > 0:
            print(loss.item())  # expect: XLA102
        loss.backward()


def where_zero_is_enough(batches):
    for batch in pl.MpDeviceLoader(batches, device):
        loss = model(batch).mean()
        if args.patience >= 0:
            print(loss.item())  # expect: XLA102
        loss.backward()


def on_a_replica_of_several(batches):
    for batch in pl.MpDeviceLoader(batches, device):
        loss = model(batch).mean()
        if args.local_rank != -1:
            print(loss.item())  # expect: XLA102
        loss.backward()


def on_several_cores(batches):
    for batch in pl.MpDeviceLoader(batches, device):
        loss = model(batch).mean()
        if args.num_cores > 0:
            print(loss.item())  # expect: XLA102
        loss.backward()
