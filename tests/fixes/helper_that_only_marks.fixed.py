# select: XLA201
"""Calls go of a helper that does nothing but to cut the graph; others may call it as before."""

import torch
import torch_xla


def mark_step():
    """End the step."""
    torch_xla.sync()


def train(model, optimizer, batches):
    mark_step()
    for batch in batches:
        with torch_xla.step():
            optimizer.zero_grad()
            loss = model(batch.to("xla")).square().mean()
            loss.backward()
            optimizer.step()
    return loss
