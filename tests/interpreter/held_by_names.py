# ruff: noqa
# mypy: ignore-errors
"""Outputs that are deleted are let go, whoever made the loss of them; a barrier of an unknown group may hold nobody."""

import torch
import torch.distributed as dist
import torch_xla
import torch_xla.core.xla_model as xm
import torch_xla.distributed.parallel_loader as pl

device = torch_xla.device()
model = torch.nn.Linear(4, 4).to(device)


def validate(loader, criterion):
    total = 0
    with torch.no_grad():
        for x, y in pl.MpDeviceLoader(loader, device):
            out = model(x)
            loss = criterion(out, y)
            total += loss.item()
            del loss, out, x, y
    return total


def validate_and_keep(loader, criterion):
    total = 0
    with torch.no_grad():
        for x, y in pl.MpDeviceLoader(loader, device):
            out = model(x)
            loss = criterion(out, y)
            total += loss.item()  # expect: XLA102 likely
            del loss
    return total


def load_first(backend):
    dist.init_process_group(backend)
    if xm.is_master_ordinal():
        dist.barrier()  # with that of XLA it returns at once


def load_first_by_the_host():
    dist.init_process_group("gloo")
    if xm.is_master_ordinal():
        dist.barrier()  # expect: XLA502
