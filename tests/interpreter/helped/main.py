# ruff: noqa
# mypy: ignore-errors
"""A script that runs on XLA by what another module of the project offers, and never says so."""

import torch
from tpu_utils import end_step, get_device


def main(batches):
    device = get_device()
    model = torch.nn.Linear(3, 3).to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for batch in batches:
        loss = model(batch.to(device)).sum()
        loss.backward()
        optimizer.step()
        print(loss.item())  # expect: XLA102
        end_step()  # expect: XLA201
