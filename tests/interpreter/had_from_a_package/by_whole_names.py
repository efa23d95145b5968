# ruff: noqa
# mypy: ignore-errors
"""A module of the package by its whole name, and one for want of which another is taken."""

import tools.devices
import torch

try:
    from tools.devices import step_of
except ImportError:
    from devices import step_of


def train(batches):
    device = tools.devices.device_of()
    model = torch.nn.Linear(4, 4)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    model.to(device)  # expect: XLA701
    for x, y in tools.devices.loader_of(batches, device):
        (model(x) - y).pow(2).mean().backward()
        step_of(optimizer)
        optimizer.zero_grad()
