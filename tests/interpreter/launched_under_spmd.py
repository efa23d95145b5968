"""Processes that are started where SPMD is on have it on as well: no gradients wait for those of others."""

import torch
import torch_xla
import torch_xla.runtime as xr

xr.use_spmd()


def train(index, data):
    device = torch_xla.device()
    model = torch.nn.Linear(4, 1).to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for batch in data:
        optimizer.zero_grad()
        model(batch.to(device)).sum().backward()
        optimizer.step()
        torch_xla.sync()  # expect: XLA201


torch_xla.launch(train, args=([torch.ones(8, 4)],))  # expect: XLA806
