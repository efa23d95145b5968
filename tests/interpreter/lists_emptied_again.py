# ruff: noqa
# mypy: ignore-errors
"""A list to which each round appends does not grow where it is emptied or shortened again."""

import torch
import torch_xla
import torch_xla.distributed.parallel_loader as pl

device = torch_xla.device()
model = torch.nn.Linear(4, 4).to(device)


def never(batches):
    losses = []
    for batch in pl.MpDeviceLoader(batches, device):
        losses.append(model(batch).mean().detach())
        torch.stack(losses).mean()  # expect: XLA403


def cleared(batches):
    losses = []
    for batch in pl.MpDeviceLoader(batches, device):
        losses.append(model(batch).mean().detach())
        if len(losses) == 4:
            torch.stack(losses).mean()
            losses.clear()


def deleted(batches):
    losses = []
    for batch in pl.MpDeviceLoader(batches, device):
        losses.append(model(batch).mean().detach())
        if len(losses) == 4:
            torch.stack(losses).mean()
            del losses[:]


def without_the_oldest(batches):
    losses = []
    for batch in pl.MpDeviceLoader(batches, device):
        losses.append(model(batch).mean().detach())
        if len(losses) > 4:
            losses.pop(0)
            torch.stack(losses).mean()


def another_one_is_cleared(batches):
    losses, others = [], []
    for batch in pl.MpDeviceLoader(batches, device):
        losses.append(model(batch).mean().detach())
        others.append(batch)
        if len(others) == 4:
            others.clear()
        torch.stack(losses).mean()  # expect: XLA403


def cleared_in_each_epoch(batches):
    losses = []
    for epoch in range(3):
        for batch in pl.MpDeviceLoader(batches, device):
            losses.append(model(batch).mean().detach())
            torch.stack(losses).mean()  # expect: XLA403
        losses.clear()
