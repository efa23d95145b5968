# ruff: noqa
# mypy: ignore-errors
"""Whether the last batch is smaller than the others: of how many samples, in batches of how many."""

import argparse
import sys

import torch
import torch_xla
import torch_xla.runtime as xr
import torch_xla.distributed.parallel_loader as pl
import torch_xla.distributed.xla_multiprocessing as xmp
from torch.utils.data import DataLoader, Subset, random_split
from torch.utils.data.distributed import DistributedSampler
from torchvision import datasets

device = torch_xla.device()
model = torch.nn.Linear(4, 4).to(device)
optimizer = torch.optim.SGD(model.parameters())
serial = xmp.MpSerialExecutor()


def train(loader):
    for x in pl.MpDeviceLoader(loader, device):
        optimizer.zero_grad()
        model(x).sum().backward()
        optimizer.step()


def digits():
    return datasets.MNIST("data", train=True)


def of_a_known_number():
    train(DataLoader(serial.run(digits), batch_size=32))
    train(DataLoader(serial.run(digits), batch_size=64))  # expect: XLA404


def of_a_number_that_is_taken(dataset):
    train(DataLoader(dataset.shuffle(seed=1).select(range(1000)), batch_size=8))
    train(DataLoader(dataset.shuffle(seed=1).select(range(1000)), batch_size=16))  # expect: XLA404


def in_batches_of_an_argument():
    settings = {"num_workers": 1, "batch_size": int(sys.argv[1])}
    train(DataLoader(digits(), **settings))  # expect: XLA404 likely
    settings.update({"shuffle": False, "drop_last": True})
    train(DataLoader(digits(), **settings))


def of_each_replica():
    train(DataLoader(digits(), 32, sampler=DistributedSampler(digits(), 1, 0)))
    train(DataLoader(digits(), 32, sampler=DistributedSampler(digits(), 8, 0)))  # expect: XLA404
    train(DataLoader(digits(), 48, sampler=DistributedSampler(digits(), xr.world_size(), 0)))  # expect: XLA404 likely
    train(DataLoader(digits(), 60, sampler=DistributedSampler(digits(), xr.world_size(), 0)))


def of_a_number_that_is_shared_out(dataset):
    few = dataset.select(range(1000))
    train(DataLoader(few, 8, sampler=DistributedSampler(few, num_replicas=xr.world_size())))  # expect: XLA404 likely
    many = dataset.select(range(1024))
    train(DataLoader(many, 8, sampler=DistributedSampler(many, num_replicas=xr.world_size())))


def of_a_part():
    train(DataLoader(Subset(digits(), range(1000)), batch_size=64))  # expect: XLA404
    train(DataLoader(Subset(digits(), list(range(24, 1048))), batch_size=64))
    train(DataLoader(Subset(digits(), indices=range(0, 2048, 2)), batch_size=64))


def of_random_parts(dataset, length):
    for_training, for_testing = random_split(dataset, [1000, 24])
    train(DataLoader(for_training, batch_size=64))  # expect: XLA404
    train(DataLoader(for_testing, batch_size=8))
    train(DataLoader(random_split(dataset, lengths=(2048, 1))[0], batch_size=64))
    of_some_length, _ = random_split(dataset, [length, 24])
    train(DataLoader(of_some_length, batch_size=64))  # expect: XLA404 likely


def wrapped(loader):
    for x in pl.ParallelLoader(loader, [device]).per_device_loader(device):  # expect: XLA002
        optimizer.zero_grad()
        model(x).sum().backward()
        optimizer.step()


def wrapped_by_a_callee(dataset):
    wrapped(DataLoader(dataset, batch_size=8))  # expect: XLA404 likely
    wrapped(DataLoader(dataset, batch_size=8, drop_last=True))


def options():
    parser = argparse.ArgumentParser()
    parser.add_argument("--batch-size", type=int, default=1)
    parser.add_argument("--many", type=int, default=16)
    parser.add_argument("--uneven", type=int, default=64)
    return parser.parse_args()


def of_one_by_default(dataset, args):
    """What the option is by default leaves no rest, whatever number of samples there is."""
    train(DataLoader(dataset, batch_size=args.batch_size))
    train(DataLoader(dataset, batch_size=vars(args)["batch_size"]))
    train(DataLoader(dataset, batch_size=args.many))  # expect: XLA404 likely


def of_an_option(args):
    """How many samples there are is known, and how many of them a batch has where nobody asks for others."""
    train(DataLoader(digits(), batch_size=args.many))
    train(DataLoader(digits(), batch_size=args.uneven))  # expect: XLA404 likely


def by_settings(dataset, args):
    settings = {"batch_size": args.many, "shuffle": True}
    if args.workers:
        settings["num_workers"] = args.workers
    train(DataLoader(dataset, **settings))  # expect: XLA404 likely
    settings |= {"pin_memory": False}
    train(DataLoader(dataset, **settings))  # expect: XLA404 likely
    if args.whole_batches:
        settings["drop_last"] = True
    train(DataLoader(dataset, **settings))


def taken_one_by_one_to_the_end(steps):
    loader = pl.MpDeviceLoader(DataLoader(digits(), 64), device)  # expect: XLA404
    batches = iter(loader)
    for _ in range(steps):
        optimizer.zero_grad()
        for _ in range(4):
            try:
                x = next(batches)
            except StopIteration:
                batches = iter(loader)
                x = next(batches)
            model(x).sum().backward()
        optimizer.step()


def taken_one_by_one():
    batches = iter(pl.MpDeviceLoader(DataLoader(digits(), 64), device))
    for _ in range(100):
        optimizer.zero_grad()
        model(next(batches)).sum().backward()
        optimizer.step()


def tried_otherwise(loader):
    loader = pl.MpDeviceLoader(DataLoader(digits(), 64), device)
    batches = iter(loader)
    for step in range(100):
        optimizer.zero_grad()
        try:
            x = next(batches)
        except (TypeError, ValueError):
            continue
        model(x).sum().backward()
        optimizer.step()
