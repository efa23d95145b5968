# select: XLA201
"""The package may be missing, but not where the marker calls it."""

import torch

try:
    import torch_xla
    import torch_xla.core.xla_model as xm
except ImportError:
    torch_xla = xm = None


def train(batches):
    device = xm.xla_device()
    model = torch.nn.Linear(8, 1).to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for batch in batches:
        with torch_xla.step():
            optimizer.zero_grad()
            loss = model(batch.to(device)).square().mean()
            loss.backward()
            optimizer.step()
    return loss.item()
