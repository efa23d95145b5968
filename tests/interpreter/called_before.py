# ruff: noqa
# mypy: ignore-errors
"""What unknown callees did before a call matters to the work that was pending then, and to no other."""

import framework
import torch
import torch_xla
import torch_xla.distributed.parallel_loader as pl

device = torch_xla.device()
model = torch.nn.Linear(4, 4).to(device)
loader = pl.MpDeviceLoader([], device)


def evaluated():
    total = 0
    for batch in loader:
        scores = model(batch)
        total += scores.sum().item()  # expect: XLA102
    return total


def read_and_cut_alone():
    scores = model(torch.ones(4, 4, device=device))
    print(scores.sum().item())  # expect: XLA102
    torch_xla.sync()


def read_and_cut(loss):
    print(loss.item())  # expect: XLA102 likely
    torch_xla.sync()


def read_what_is_its_own(x):
    scores = model(x)
    print(scores.sum().item())  # expect: XLA102 likely
    torch_xla.sync()


def nothing_pends():
    torch_xla.sync()
    framework.prepare(model)
    read_and_cut_alone()
    framework.prepare(model)
    evaluated()


def work_pends():
    loss = model(torch.randn(4, 4, device=device)).sum()
    framework.prepare(model)
    read_and_cut(loss)


def other_work_pends():
    x = torch.randn(4, 4, device=device) * 2
    framework.prepare(model)
    read_what_is_its_own(x)


nothing_pends()
work_pends()
other_work_pends()
