# ruff: noqa
# mypy: ignore-errors
"""Nothing in the program starts replicas, or asks for others: one replica clips what it has computed."""

import torch
import torch_xla
import torch_xla.core.xla_model as xm
import torch_xla.distributed.parallel_loader as pl
from torch.utils.data import DataLoader


def train(samples):
    device = torch_xla.device()
    model = torch.nn.Linear(4, 4).to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for x in pl.MpDeviceLoader(DataLoader(samples, batch_size=8, drop_last=True), device):
        optimizer.zero_grad()
        model(x).mean().backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        xm.optimizer_step(optimizer)
