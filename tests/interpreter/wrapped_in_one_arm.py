# ruff: noqa
# mypy: ignore-errors
"""A model of which only that it is moved is known, wrapped where there are several replicas: it is a module."""

import math

import torch
import torch_xla
import torch_xla.distributed.parallel_loader as pl
from models import build
from torch.nn.parallel import DistributedDataParallel

device = torch_xla.device()


def asked_in_each_round(settings, data):
    model = build(settings).to(device)
    if settings.replicas > 1:
        model = DistributedDataParallel(model)
    for x in pl.MpDeviceLoader(data, device):
        loss = model(x).mean()
        if math.isnan(loss):  # expect: XLA103
            return
        loss.backward()


def compared_in_each_round(settings, data):
    model = build(settings).to(device)
    model = DistributedDataParallel(model) if settings.replicas > 1 else model
    for x in pl.MpDeviceLoader(data, device):
        loss = model(x).mean()
        assert loss < 9  # expect: XLA103
        loss.backward()


def stays_on_the_host(settings, data):
    model = build(settings)
    if settings.replicas > 1:
        model = DistributedDataParallel(model)
    for x in data:
        loss = model(x).mean()
        if math.isnan(loss):
            return
        loss.backward()
