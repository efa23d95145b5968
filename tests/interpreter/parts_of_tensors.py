# ruff: noqa
# mypy: ignore-errors
"""Rows of a tensor are taken by an operation, parts of a tuple by Python alone."""

import torch
import torch_xla

device = torch_xla.device()
model = torch.nn.Linear(4, 4).to(device)
batch = torch.ones(16, 4, device=device)

for number in range(4):
    with torch_xla.step():
        model(batch[number]).sum().backward()  # expect: XLA402

for number in range(4):
    with torch_xla.step():
        model(torch.split(batch, 4)[number]).sum().backward()

for number in range(4):
    with torch_xla.step():
        model(batch.chunk(4)[number]).sum().backward()
