# ruff: noqa
# mypy: ignore-errors
"""A name of the function around is not that of the module, whatever the module calls so."""

import torch
import torch_xla
import torch_xla.core.xla_model as xm

device = torch_xla.device()
model = torch.nn.Linear(4, 4).to(device)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)


def step_of_cuda(model, optimizer, device):
    def step(x):
        with torch.autocast("cuda"):
            loss = model(x.to(device)).sum()
        loss.backward()
        optimizer.step()

    return step


def step_of_xla(model, optimizer, device):
    def step(x):
        loss = model(x.to(device)).sum()
        loss.backward()
        xm.optimizer_step(optimizer, barrier=True)

    return step


def step_by_the_module(number):
    def step(x):
        with torch.autocast("cuda"):  # expect: XLA705
            loss = model(x.to(device)).sum() * number
        loss.backward()
        optimizer.step()

    return step


kind = "xla"
make = step_of_cuda if kind == "cuda" else step_of_xla
make(model, optimizer, device)(torch.ones(4))
