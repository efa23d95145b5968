# ruff: noqa
# mypy: ignore-errors
"""Nothing in the program starts replicas: who deals out samples to several has some in mind."""

import torch
import torch_xla
import torch_xla.core.xla_model as xm
import torch_xla.distributed.parallel_loader as pl
import torch_xla.runtime as xr
from torch.utils.data import DataLoader
from torch.utils.data.distributed import DistributedSampler


def train(samples):
    device = torch_xla.device()
    model = torch.nn.Linear(4, 4).to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    sampler = DistributedSampler(samples, num_replicas=xr.world_size(), rank=xr.global_ordinal())
    loader = DataLoader(samples, batch_size=8, sampler=sampler, drop_last=True)
    for x in pl.MpDeviceLoader(loader, device):
        optimizer.zero_grad()
        model(x).mean().backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)  # expect: XLA508 likely
        xm.optimizer_step(optimizer)


def summed_first(samples):
    device = torch_xla.device()
    model = torch.nn.Linear(4, 4).to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for x in pl.MpDeviceLoader(DataLoader(samples, batch_size=8, drop_last=True), device):
        optimizer.zero_grad()
        model(x).mean().backward()
        xm.reduce_gradients(optimizer)
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
