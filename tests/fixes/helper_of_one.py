# select: XLA201
"""The marker ends a helper that only this loop calls."""

import torch
import torch_xla


def _update(model, optimizer, batch):
    optimizer.zero_grad()
    loss = model(batch).square().mean()
    loss.backward()
    optimizer.step()
    torch_xla.sync()
    return loss


def train(model, optimizer, batches, device):
    for batch in batches:
        loss = _update(model, optimizer, batch.to(device))
    return loss
