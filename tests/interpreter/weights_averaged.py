# ruff: noqa
# mypy: ignore-errors
"""Replicas that step by their own gradients, and make their weights the same by themselves."""

import torch
import torch_xla
import torch_xla.core.xla_model as xm
import torch_xla.runtime as xr


def average(model):
    weights = list(model.parameters())
    xm.all_reduce("sum", weights, scale=1.0 / xr.world_size())


def train(index):
    device = torch_xla.device()
    model = torch.nn.Linear(4, 1).to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for step in range(80):
        with torch_xla.step():
            optimizer.zero_grad()
            model(torch.ones(8, 4, device=device)).sum().backward()
            optimizer.step()
            if step % 8 == 7:
                average(model)


torch_xla.launch(train)
