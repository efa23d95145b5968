# ruff: noqa
# mypy: ignore-errors
"""Until 2.8 torch_xla had a gradient scaler of its own, which told syncfree optimizers `found_inf`."""

import torch
import torch_xla
from torch_xla.amp import GradScaler, syncfree

DEVICE = torch_xla.device()


def train(optimizer, scaler, model):
    for _ in range(10):
        optimizer.zero_grad()
        loss = model(torch.ones(8, 4, device=DEVICE)).sum()
        scaler.scale(loss).backward()
        scaler.step(optimizer)
        scaler.update()
        torch_xla.sync()


def of_torch():
    model = torch.nn.Linear(4, 1).to(DEVICE)
    train(torch.optim.SGD(model.parameters(), lr=0.1), GradScaler(), model)


def syncfree_by_torch_xla():
    model = torch.nn.Linear(4, 1).to(DEVICE)
    train(syncfree.SGD(model.parameters(), lr=0.1), GradScaler(), model)


def zeroing():
    model = torch.nn.Linear(4, 1).to(DEVICE)
    train(torch.optim.Adam(model.parameters()), GradScaler(use_zero_grad=True), model)


def syncfree_by_torch():
    model = torch.nn.Linear(4, 1).to(DEVICE)
    train(syncfree.SGD(model.parameters(), lr=0.1), torch.amp.GradScaler("xla"), model)
