# ruff: noqa
# mypy: ignore-errors
"""A marker of an epoch: the steps are those of the loop inside, whose loader cuts."""

import torch
import torch_xla
import torch_xla.core.xla_model as xm
import torch_xla.distributed.parallel_loader as pl

device = torch_xla.device()


def validate(model, loader, limit):
    losses = []
    for step, x in enumerate(loader):
        losses.append(model(x).mean())
        if step + 1 == limit:
            break
    torch_xla.sync()
    return xm.mesh_reduce("loss", torch.stack(losses).mean(), sum).item()


def train(batches):
    model = torch.nn.Linear(2, 2).to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    loader = pl.MpDeviceLoader(batches, device)
    for epoch in range(10):
        for x in loader:
            loss = model(x).mean()
            loss.backward()
            xm.optimizer_step(optimizer)
            optimizer.zero_grad()
        print(validate(model, loader, 50))


def train_by_hand(batches):
    model = torch.nn.Linear(2, 2).to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for epoch in range(10):
        for x in batches:
            loss = model(x.to(device)).mean()
            loss.backward()
            optimizer.step()
            optimizer.zero_grad()
            torch_xla.sync()  # expect: XLA201
