"""Several replicas train with ZeRO and keep checkpoints, as the optimizer and the engine want it."""

import sys

import torch
import torch_xla
import torch_xla.distributed.parallel_loader as pl
import torch_xla.runtime as xr
from checkpoints import keep
from data import training_loader
from torch_xla.distributed.zero_redundancy_optimizer import ZeroRedundancyOptimizer

EPOCHS = 2


def build(device):
    model = torch.nn.Sequential(
        torch.nn.Linear(8, 8), torch.nn.ReLU(), torch.nn.Dropout(0.1), torch.nn.Linear(8, 2)
    ).to(device)
    optimizer = ZeroRedundancyOptimizer(model.parameters(), torch.optim.SGD, lr=0.1, pin_layout=False, grad_clipping=True, max_norm=1.0)
    return model, optimizer


def train_epoch(model, optimizer, batches):
    total = 0.0
    for step, (features, labels) in enumerate(batches):
        with torch_xla.step():
            optimizer.zero_grad()
            loss = torch.nn.functional.cross_entropy(model(features), labels)
            loss.backward()
            optimizer.step()
        total += loss.item()
        if step % 2 == 1:
            keep(model, step)
    return total


def train(index):
    torch.manual_seed(7)
    torch_xla.manual_seed(7)
    device = torch_xla.device()
    model, optimizer = build(device)
    batches = pl.MpDeviceLoader(training_loader(xr.world_size(), xr.global_ordinal()), device)
    return [train_epoch(model, optimizer, batches) for _ in range(EPOCHS)]


def main():
    if "--replicas" in sys.argv:
        torch_xla.launch(train)
    return train(xr.global_ordinal())


if __name__ == "__main__":
    main()
