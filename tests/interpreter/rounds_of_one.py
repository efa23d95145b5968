# ruff: noqa
# mypy: ignore-errors
"""What is done every so many steps is done in each, if the program says that these are one."""

import torch
import torch_xla
import torch_xla.distributed.parallel_loader as pl

device = torch_xla.device()
SETTINGS = {"log_every": 1, "save_every": 2}


def shows_each_loss(model, optimizer, data):
    model.to(device)
    losses = []
    for step, x in enumerate(pl.MpDeviceLoader(data, device)):
        loss = model(x).mean()
        if (step + 1) % SETTINGS["log_every"] == 0:
            print(loss.item())  # expect: XLA102  # holds: hot = True
        if (step + 1) % SETTINGS["save_every"] == 0:
            losses.append(loss.item())  # expect: XLA102  # holds: hot = False
        loss.backward()
        optimizer.step()
