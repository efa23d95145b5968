# ruff: noqa
# mypy: ignore-errors
"""A script that asks a function of another module, which asks torch_xla as of 2.8."""

import torch
from devices import current_device


def main(data):
    batches = torch.utils.data.DataLoader(data, batch_size=4, drop_last=True)
    model = torch.nn.Linear(3, 3).to(current_device())
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for batch in batches:  # expect: XLA202
        loss = model(batch.to(current_device())).sum()
        loss.backward()
        optimizer.step()
        print(loss.item())
