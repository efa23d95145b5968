# ruff: noqa
# mypy: ignore-errors
"""A script that takes nothing of XLA from that module."""

import torch
from tpu_utils import lines


def main():
    model = torch.nn.Linear(3, 3)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for batch in lines("data"):
        loss = model(batch).sum()
        loss.backward()
        optimizer.step()
        print(loss.item())
