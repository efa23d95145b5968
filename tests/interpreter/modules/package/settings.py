# ruff: noqa
# mypy: ignore-errors
import torch
import torch_xla

device = torch_xla.device()
model = torch.nn.Linear(4, 4).to(device)
