# ruff: noqa
# mypy: ignore-errors
"""An option that is off by default starts the replicas: what only several suffer from rests on it."""

import argparse

import torch
import torch_xla
import torch_xla.core.xla_model as xm
import torch_xla.distributed.parallel_loader as pl
from torch.utils.data import DataLoader, TensorDataset


def train(options):
    device = torch_xla.device()
    model = torch.nn.Linear(4, 4).to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    samples = TensorDataset(torch.randn(64, 4))
    for (x,) in pl.MpDeviceLoader(DataLoader(samples, batch_size=8, drop_last=True), device):
        loss = model(x).mean()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)  # expect: XLA508 likely
        print(loss.item())  # expect: XLA102
        xm.optimizer_step(optimizer)
        optimizer.zero_grad()


def start(index, options):
    train(options)


parser = argparse.ArgumentParser()
parser.add_argument("--tpu-spawn", action="store_true")
options = parser.parse_args()
if options.tpu_spawn:
    torch_xla.launch(start, args=(options,))  # expect: XLA517 likely
else:
    train(options)
