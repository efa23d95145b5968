# ruff: noqa
# mypy: ignore-errors
"""A tensor on the CPU and an array read the numbers of the device that they are indexed by; others do not."""

import numpy as np
import torch
import torch_xla
import torch_xla.distributed.parallel_loader as pl


def count(model, loader, given):
    device = torch_xla.device()
    model = model.to(device)
    table, counts, names = torch.zeros(3, 3), np.zeros((3, 3)), given.names
    on_device = torch.zeros(3, 3, device=device)
    for x, y in pl.MpDeviceLoader(loader, device):
        predicted = model(x).argmax(1)
        for target, guess in zip(y.view(-1), predicted.view(-1)):
            table[target.long(), guess.long()] += 1  # expect: XLA103
            counts[target, guess] = 1  # expect: XLA103
            print(table[guess, target])  # expect: XLA103
            counts[predicted] = 1
            on_device[target, guess] += 1
            names[guess] = 1
        table[0, 1] += 1
        counts[:, 0] = 1
    return table, counts
