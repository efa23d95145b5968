# ruff: noqa
# mypy: ignore-errors
"""What something unknown moves to the device is a tensor where an operation shows it, or a module."""

import torch
import torch_xla
from somewhere import batches, layers, load, stored


def compared(model, pad):
    device = torch_xla.device()
    for x, y in batches():
        x, y = x.to(device), y.to(device)
        kept = x[y != pad]  # expect: XLA401
        if (x > 0).any():  # expect: XLA103
            continue
        model(kept).sum().backward()
        torch_xla.sync()


def copied(model, pad):
    device = torch_xla.device()
    for batch in batches():
        batch = {k: v.to(device) for k, v in batch.items()}
        labels = batch["input_ids"].clone()
        labels[labels == pad] = -100  # expect: XLA401
        model(**batch, labels=labels).loss.backward()
        torch_xla.sync()  # expect: XLA201


def by_functions(model):
    device = torch_xla.device()
    for x in batches():
        x = x.to(device)
        if torch.isnan(x).any():  # expect: XLA103
            continue
        rows = torch.nonzero(x)  # expect: XLA401
        model(x, rows).sum().backward()
        torch_xla.sync()


def a_list_of_layers(x):
    """A module is asked whether it is another one, for one of its parts, and to change its type."""
    device = torch_xla.device()
    model = layers().to(device)
    model = model.half()
    if model == None:
        return x
    if model[0] == stored:
        return x
    if model:
        x = model(x)
    return x


def a_moved_batch(n):
    """What has keys holds numbers, too."""
    data = load().to(torch_xla.device())
    if data.num_graphs > n:
        return data["count"] * 2
    return data["name"]
