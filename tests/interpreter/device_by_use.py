# ruff: noqa
# mypy: ignore-errors
"""Functions that nobody is seen to call: what they move to, and cut by hand, is an XLA device."""

import torch
import torch_xla.core.xla_model as xm


def train(model, loader, optimizer, device):
    model.train()
    for x, y in loader:
        x, y = x.to(device), y.to(device)
        optimizer.zero_grad()
        loss = torch.nn.functional.cross_entropy(model(x), y)
        loss.backward()
        print(loss.item())  # expect: XLA102 likely
        xm.optimizer_step(optimizer)
        xm.mark_step()  # expect: XLA002, XLA201


def evaluate(model, loader, device):
    model.eval()
    total = 0
    with torch.no_grad():
        for x, y in loader:
            x, y = x.to(device), y.to(device)
            out = model(x)
            total += (out.argmax(1) == y).sum().item()  # expect: XLA102 likely
            xm.mark_step()  # expect: XLA002, XLA201
    return total


def nothing_says_so(model, loader, optimizer, device):
    model.train()
    for x, y in loader:
        x, y = x.to(device), y.to(device)
        optimizer.zero_grad()
        loss = torch.nn.functional.cross_entropy(model(x), y)
        loss.backward()
        print(loss.item())
        optimizer.step()
