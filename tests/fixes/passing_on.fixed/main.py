import torch
import torch_xla
import torch_xla.runtime as xr

import cold


def train(model, optimizer, batches):
    device = torch_xla.device()
    for batch in batches:
        with torch_xla.step():
            model(batch.to(device)).square().mean().backward()
            optimizer.step()
            optimizer.zero_grad()
    print(xr.world_size(), xr.global_ordinal())


model = torch.nn.Linear(4, 1)
train(model, torch.optim.SGD(model.parameters(), lr=0.1), [torch.randn(2, 4)])
cold.end()
