"""A module of torch_xla that is imported by its name."""

import importlib

import torch

xm = importlib.import_module("torch_xla.core.xla_model")


def train(loader):
    model = torch.nn.Linear(6, 3).to(xm.xla_device())
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for batch in loader:
        loss = model(batch.to("xla")).sum()
        loss.backward()
        optimizer.step()
        print(loss.item())  # expect: XLA102
        xm.mark_step()  # expect: XLA201
