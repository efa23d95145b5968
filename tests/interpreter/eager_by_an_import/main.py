# ruff: noqa
# mypy: ignore-errors
"""A module that is imported has turned eager mode on before anything here runs: no read runs work again."""

import torch
import torch_xla
from setup import STEPS

device = torch_xla.device()
model = torch.nn.Linear(4, 1).to(device)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for _ in range(STEPS):  # expect: XLA210
    optimizer.zero_grad()
    loss = model(torch.randn(8, 4).to(device)).pow(2).mean()
    loss.backward()
    optimizer.step()
    print(loss.item())
    torch_xla.sync()
