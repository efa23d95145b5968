# ruff: noqa
# mypy: ignore-errors
"""A script that hands the device which another module offers to one that trains."""

import torch
from loop import Trainer
from tpu_utils import get_device


def main(data):
    device = get_device()
    model = torch.nn.Linear(3, 3).to(device)
    batches = torch.utils.data.DataLoader(data, batch_size=4, drop_last=True)
    Trainer(model, torch.optim.SGD(model.parameters(), lr=0.1), batches, device).train()
