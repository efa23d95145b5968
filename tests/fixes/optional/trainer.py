"""Trains where torch_xla is installed, and where it is not."""

import torch

from saving import save

try:
    import torch_xla
    import torch_xla.core.xla_model as xm
except ImportError:
    xm = None


def train(batches):
    device = torch_xla.device() if xm is not None else torch.device("cpu")
    model = torch.nn.Linear(8, 1).to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for batch in batches:
        optimizer.zero_grad()
        model(batch.to(device)).square().mean().backward()
        if xm is not None:
            xm.optimizer_step(optimizer, barrier=True)
        else:
            optimizer.step()
    save(model, "model.pt")


train(torch.randn(4, 2, 8))
