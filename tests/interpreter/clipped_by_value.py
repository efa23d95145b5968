# ruff: noqa
# mypy: ignore-errors
"""Gradients that are cut off at a value, and not scaled by their norm, before the replicas sum them."""

import argparse

import torch
import torch.nn as nn
import torch_xla
import torch_xla.core.xla_model as xm
import torch_xla.distributed.parallel_loader as pl


def options():
    parser = argparse.ArgumentParser()
    parser.add_argument("--none", type=float)
    parser.add_argument("--zero", type=float, default=0.0)
    parser.add_argument("--some", type=float, default=0.5)
    return parser.parse_args()


def on_each_replica(loader, model, optimizer, args):
    for x in loader:
        optimizer.zero_grad()
        model(x).sum().backward()
        if args.some > 0:
            nn.utils.clip_grad_value_(model.parameters(), args.some)  # expect: XLA508 likely
        xm.optimizer_step(optimizer)


def off_by_default(loader, model, optimizer, args):
    for x in loader:
        optimizer.zero_grad()
        model(x).sum().backward()
        if args.zero > 0:
            nn.utils.clip_grad_value_(model.parameters(), args.zero)  # expect: XLA508 likely
        elif args.none is not None:
            nn.utils.clip_grad_norm_(model.parameters(), args.none)  # expect: XLA508
        xm.optimizer_step(optimizer)


def below_the_sum(loader, model, optimizer, args):
    for x in loader:
        optimizer.zero_grad()
        model(x).sum().backward()
        xm.reduce_gradients(optimizer)
        nn.utils.clip_grad_value_(model.parameters(), args.some)
        optimizer.step()


def dropped_before_the_sum(loader, model, optimizer, parts):
    for x in loader:
        model(x).sum().backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)  # quiet: a probe, whose gradients nobody sums
        optimizer.zero_grad()
        for part in parts:
            model(part).sum().backward()
        xm.optimizer_step(optimizer)


def kept_until_the_sum(loader, model, optimizer, parts):
    for x in loader:
        model(x).sum().backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)  # expect: XLA508
        for part in parts:
            model(part).sum().backward()
        xm.optimizer_step(optimizer)


def train(index, data):
    args = options()
    device = torch_xla.device()
    model = nn.Linear(4, 4).to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    loader = pl.MpDeviceLoader(data, device)
    on_each_replica(loader, model, optimizer, args)
    off_by_default(loader, model, optimizer, args)
    below_the_sum(loader, model, optimizer, args)
    dropped_before_the_sum(loader, model, optimizer, data)
    kept_until_the_sum(loader, model, optimizer, data)


if __name__ == "__main__":
    torch_xla.launch(train, args=([],))  # expect: XLA517 likely
