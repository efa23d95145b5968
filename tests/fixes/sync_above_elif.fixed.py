# select: XLA102
"""The read stands in the test of an `elif`: the marker comes above the first `if`."""

import torch
import torch_xla


def show(batch, verbose):
    device = torch_xla.device()
    model = torch.nn.Linear(8, 1).to(device)
    loss = model(batch.to(device)).square().mean()
    torch_xla.sync()
    # say what is known
    if not verbose:
        pass
    elif loss.item() > 2.0:
        print("large")
    else:
        print("small")
    loss = loss.square()
    torch_xla.sync()
