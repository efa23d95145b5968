# ruff: noqa
# mypy: ignore-errors
"""What is done every so many steps is told for information; a loop over batches in it runs as often as it does."""

import torch
import torch_xla
import torch_xla.distributed.parallel_loader as pl

device = torch_xla.device()


def evaluates_by_a_loop(model, optimizer, data, held_out, every):
    model.to(device)
    for step, x in enumerate(pl.MpDeviceLoader(data, device)):
        loss = model(x).mean()
        loss.backward()
        optimizer.step()
        if step % every == 0:
            total = 0.0
            for y in pl.MpDeviceLoader(held_out, device):
                score = model(y).mean()
                total += score.item()  # expect: XLA102  # holds: hot = True
            last = model(x).mean()
            print(last.item())  # expect: XLA102  # holds: hot = False


def shows_some_numbers(model, optimizer, data, every):
    model.to(device)
    for step, x in enumerate(pl.MpDeviceLoader(data, device)):
        losses = {"mean": model(x).mean(), "sum": model(x).sum()}
        losses["mean"].backward()
        optimizer.step()
        if step % every == 0:
            for name, value in losses.items():
                print(name, value.item())  # expect: XLA102  # holds: hot = False
