# ruff: noqa
# mypy: ignore-errors
"""Loops over what is written as a list of one: one round, whatever ends it."""

import torch
import torch_xla

device = torch_xla.device()


def trained_once():
    model = torch.nn.Linear(4, 4).to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for size in [8]:
        loss = model(torch.randn(size, 4).to(device)).sum()
        print(loss.item())
        loss.backward()
        optimizer.step()


def trained_twice():
    model = torch.nn.Linear(4, 4).to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for size in [8, 16]:  # expect: XLA202
        loss = model(torch.randn(size, 4).to(device)).sum()
        print(loss.item())
        loss.backward()
        optimizer.step()


def spread(sizes):
    model = torch.nn.Linear(4, 4).to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for size in [*sizes]:  # expect: XLA202
        loss = model(torch.randn(size, 4).to(device)).sum()
        print(loss.item())
        loss.backward()
        optimizer.step()


def loops_inside():
    for model in (torch.nn.Linear(4, 4).to(device),):
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        for _ in range(9):  # expect: XLA202
            loss = model(torch.randn(8, 4).to(device)).sum()
            print(loss.item())
            loss.backward()
            optimizer.step()


def ended_early(stop):
    found = None
    for size in [8]:
        if stop:
            continue
        found = torch.randn(size, 4, device=device)
        if size > 4:
            break
    else:
        found = torch.ones(4, device=device)
    if found.sum() > 0:  # expect: XLA103
        return size
    for size in [16]:
        return torch.ones(size).item()
