# ruff: noqa
# mypy: ignore-errors
"""A batch that a function moves which calls itself for the parts: what comes of it is known by where it does not."""

import torch
import torch_xla
from torch.utils.data import DataLoader

device = torch_xla.device()
model = torch.nn.Linear(4, 4).to(device)


def move(sample):
    if torch.is_tensor(sample):
        return sample.to(device)
    if isinstance(sample, dict):
        return {key: move(value) for key, value in sample.items()}  # expect: XLA092
    if isinstance(sample, (list, tuple)):
        return [move(value) for value in sample]  # expect: XLA092
    return sample


def moved(samples):
    for sample in samples:
        yield move(sample)


def keep(sample):
    if isinstance(sample, dict):
        return {key: keep(value) for key, value in sample.items()}  # expect: XLA092
    return sample


def depth(sample):
    return 1 + depth(sample["inner"]) if "inner" in sample else 0  # expect: XLA092


def masks(samples):
    for sample in samples:
        sample = move(sample)
        with torch_xla.step():
            taken = model(sample["x"])[sample["mask"] > 0]  # expect: XLA401


def masks_of_a_loader(data):
    for sample in moved(DataLoader(data, batch_size=8, drop_last=True)):
        with torch_xla.step():
            taken = model(sample["x"])[sample["mask"] > 0]  # expect: XLA401


def reads(samples):
    for sample in samples:
        x, y = move(sample)
        with torch_xla.step():
            loss = model(x).sum() + y
            print(loss.item())  # expect: XLA101


def stays_on_the_host(samples):
    for sample in samples:
        sample = keep(sample)
        with torch_xla.step():
            taken = model(torch.ones(4, 4, device=device))[sample["mask"] > 0]  # quiet: nobody has moved it


def counts(samples):
    for sample in samples:
        with torch_xla.step():
            loss = model(torch.ones(4, device=device)).sum()
            if depth(sample) > 3:  # quiet: a number
                loss = loss * 2


def takes_by_numbers(samples):
    for sample in samples:
        sample = move(sample)
        with torch_xla.step():
            taken = model(sample["x"])[sample["index"]]  # quiet: it takes as many as there are
