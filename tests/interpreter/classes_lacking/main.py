# ruff: noqa
# mypy: ignore-errors
"""A package that has no class of a name raises where it is asked for it: what comes after is a note."""

import torch
import torch_xla
import torch_xla.distributed.parallel_loader as pl
from net import models

device = torch_xla.device()


def train(model, loader):
    for x in pl.MpDeviceLoader(loader, device):
        y = model.to(device)(x)
        print(y.sum().item())  # expect: XLA102


def lacking(loader):
    model = models.Large().to(device)
    for x in pl.MpDeviceLoader(loader, device):
        y = model(x)
        print(y.sum().item())  # expect: XLA102 likely


def offered(loader):
    train(models.Small(), loader)


def made_as_it_is_asked_for(loader):
    train(models.parts.Larger(), loader)


def of_the_module_itself(loader):
    train(models.large.Large(), loader)
