"""A program that watches itself and says that its device is a TPU. Its engine, the CPU's, has started before."""

import os

import torch
import torch_xla
import torch_xla.core.xla_model as xm

import xlalint_runtime

device = torch_xla.device()
weight = torch.ones(4, device=device, requires_grad=True)
os.environ["PJRT_DEVICE"] = "TPU"

with xlalint_runtime.guard(report="part.json") as watched:
    for _ in range(3):
        with torch_xla.step():
            loss = (weight * 2).sum()
            loss.item()
    try:
        xm.get_memory_info(device)
    except RuntimeError as error:
        print("memory:", type(error).__name__)
print("engine:", watched.run.engine)
print("notes:", "; ".join(watched.run.notes))
print("found:", [each.code for each in watched.diagnostics])
