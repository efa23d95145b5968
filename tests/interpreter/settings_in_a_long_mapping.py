# ruff: noqa
# mypy: ignore-errors
"""Settings in a mapping with many keys: what a program does every so many steps, it does in each."""

import torch
import torch_xla
import torch_xla.core.xla_model as xm
import torch_xla.distributed.parallel_loader as pl

device = torch_xla.device()
settings = {
    "model": "small", "width": 64, "depth": 4, "heads": 8, "dropout": 0.1, "classes": 10,
    "epochs": 3, "batch": 32, "rate": 0.1, "decay": 0.01, "momentum": 0.9, "warmup": 100,
    "seed": 7, "workers": 4, "save_every": 50, "show_every": 1, "folder": "runs", "name": "first",
}  # fmt: skip


def in_each_step(settings, loader):
    model = torch.nn.Linear(4, 4).to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=settings["rate"])
    for step, batch in enumerate(pl.MpDeviceLoader(loader, device)):
        loss = model(batch).mean()
        if step % settings["show_every"] == 0:
            print(loss.cpu())  # expect: XLA102
        total = loss.cpu()  # the host has it by now
        loss.backward()
        xm.optimizer_step(optimizer)
    return total


def now_and_then(settings, loader):
    model = torch.nn.Linear(4, 4).to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=settings["rate"])
    for step, batch in enumerate(pl.MpDeviceLoader(loader, device)):
        loss = model(batch).mean()
        if step % settings["save_every"] == 0:
            print(loss.cpu())  # expect: XLA102
        total = loss.cpu()  # expect: XLA102
        loss.backward()
        xm.optimizer_step(optimizer)
    return total


in_each_step(settings, [])
now_and_then(settings, [])
