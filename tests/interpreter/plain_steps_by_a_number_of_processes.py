# ruff: noqa
# mypy: ignore-errors
"""Whether a plain step leaves several replicas to part may hang on an option: on what it is if nobody says so."""

import argparse

import torch
import torch_xla
import torch_xla.core.xla_model as xm
import torch_xla.distributed.parallel_loader as pl
import torch_xla.distributed.xla_multiprocessing as xmp


def parts():
    device = torch_xla.device()
    model = torch.nn.Linear(4, 1).to(device)
    return model, torch.optim.SGD(model.parameters(), lr=0.1), pl.MpDeviceLoader([torch.ones(2, 4)], device)


def on_eight(index):
    model, optimizer, loader = parts()
    for x in loader:
        model(x).sum().backward()
        optimizer.step()  # expect: XLA506


def on_one(index):
    model, optimizer, loader = parts()
    for x in loader:
        model(x).sum().backward()
        optimizer.step()


def on_some(index):
    model, optimizer, loader = parts()
    for x in loader:
        model(x).sum().backward()
        optimizer.step()


def on_more_than_one(index):
    model, optimizer, loader = parts()
    for x in loader:
        model(x).sum().backward()
        optimizer.step()  # expect: XLA506


def clips(index):
    model, optimizer, loader = parts()
    for x in loader:
        model(x).sum().backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)  # expect: XLA508 likely
        xm.optimizer_step(optimizer)


def clips_on_one(index):
    model, optimizer, loader = parts()
    for x in loader:
        model(x).sum().backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        xm.optimizer_step(optimizer)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--cores", type=int, default=8)
    parser.add_argument("--one", type=int, default=1)
    parser.add_argument("--some", type=int)
    args = parser.parse_args()
    xmp.spawn(on_eight, nprocs=args.cores)  # expect: XLA002, XLA510 likely
    xmp.spawn(on_one, nprocs=args.one)  # expect: XLA002
    xmp.spawn(on_some, nprocs=args.some)  # expect: XLA002
    xmp.spawn(clips, nprocs=args.some)  # expect: XLA002
    xmp.spawn(clips_on_one, nprocs=args.one)  # expect: XLA002
    if args.some > 1:
        xmp.spawn(on_more_than_one, nprocs=args.some)  # expect: XLA002, XLA510 likely


if __name__ == "__main__":
    main()
