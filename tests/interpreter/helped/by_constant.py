# ruff: noqa
# mypy: ignore-errors
"""A script that takes the device of another module by its name."""

import torch
from devices import DEVICE


def main(data):
    batches = torch.utils.data.DataLoader(data, batch_size=4, drop_last=True)
    model = torch.nn.Linear(3, 3).to(DEVICE)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for batch in batches:  # expect: XLA202
        loss = model(batch.to(DEVICE)).sum()
        loss.backward()
        optimizer.step()
        print(loss.item())
