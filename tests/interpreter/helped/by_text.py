# ruff: noqa
# mypy: ignore-errors
"""A script that takes the name of the device from another module."""

import torch
from devices import NAME


def main(data):
    batches = torch.utils.data.DataLoader(data, batch_size=4, drop_last=True)
    model = torch.nn.Linear(3, 3).to(NAME)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for batch in batches:  # expect: XLA202
        loss = model(batch.to(NAME)).sum()
        loss.backward()
        optimizer.step()
        print(loss.item())
