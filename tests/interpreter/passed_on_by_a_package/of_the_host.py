# ruff: noqa
# mypy: ignore-errors
"""A script that takes nothing of XLA from that package."""

import torch
from engine import Config


def main(data):
    batches = torch.utils.data.DataLoader(data, batch_size=4, drop_last=True)
    model = torch.nn.Linear(3, 3)
    optimizer = torch.optim.SGD(model.parameters(), lr=Config().rate)
    for batch in batches:
        loss = model(batch).sum()
        loss.backward()
        optimizer.step()
        print(loss.item())


main(torch.randn(64, 3))
