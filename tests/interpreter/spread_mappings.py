# ruff: noqa
# mypy: ignore-errors
"""What `**mapping` passes on is what the mapping holds, not its keys."""

import torch
import torch_xla
import torch_xla.distributed.parallel_loader as pl


def moved_by_name(model, loader):
    model.eval()
    device = torch_xla.device()
    total = 0.0
    for inputs in pl.MpDeviceLoader(loader, device):
        inputs = {k: v.to(device) for k, v in inputs.items()}
        outputs = model(**inputs)
        total += outputs.loss.item()  # expect: XLA102
    return total


def put_together(model, loader, extra):
    model.eval()
    device = torch_xla.device()
    total = 0.0
    for inputs in pl.MpDeviceLoader(loader, device):
        moved = {k: v.to(device) for k, v in inputs.items()}
        outputs = model(**{**moved, "return_dict": True})
        total += outputs.loss.item()  # expect: XLA102 likely
    return total


def names_are_texts(model, loader):
    model.eval()
    device = torch_xla.device()
    for inputs in pl.MpDeviceLoader(loader, device):
        moved = {**{"a": inputs["a"]}, "b": 1}
        for name in moved:
            print(name)
        for name in {**inputs}:
            print(name)
        if moved["b"]:
            print(moved["b"])
        model(**moved)
