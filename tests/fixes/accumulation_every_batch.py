# select: XLA201
"""Gradients are accumulated, with a marker after every micro-batch: the whole body is the step."""

import torch
import torch_xla


def train(model, optimizer, batches, device, n):
    for i, batch in enumerate(batches):
        loss = model(batch.to(device)).square().mean() / n
        loss.backward()
        if (i + 1) % n == 0 or i + 1 == len(batches):
            optimizer.step()
            optimizer.zero_grad()
        torch_xla.sync()
