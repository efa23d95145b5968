# ruff: noqa
# mypy: ignore-errors
"""A script that takes nothing but a number from that module."""

import torch
from devices import LIMIT


def main(data):
    batches = torch.utils.data.DataLoader(data, batch_size=4, drop_last=True)
    model = torch.nn.Linear(3, 3)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for batch in list(batches)[:LIMIT]:
        loss = model(batch).sum()
        loss.backward()
        optimizer.step()
        print(loss.item())
