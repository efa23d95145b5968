"""Modules that are called alike, of which one brings XLA: what takes the names of the other has none of it."""

import torch
import torch_xla
from utils.optimizers import Careful


def train(batches):
    device = torch_xla.device()
    model = torch.nn.Linear(4, 4).to(device)
    optimizer = Careful(model.parameters(), torch.optim.SGD(model.parameters(), lr=0.1))
    for batch in batches:
        optimizer.zero_grad()
        model(batch.to(device)).square().mean().backward()
        optimizer.step()
        torch_xla.sync()  # expect: XLA201
