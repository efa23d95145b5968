# ruff: noqa
# mypy: ignore-errors
"""Replicas are processes that import the program anew: they know nothing of the eager mode of the one that starts them."""

import torch
import torch_xla
import torch_xla.core.xla_model as xm
import torch_xla.distributed.xla_multiprocessing as xmp
from torch_xla.experimental import eager_mode


def train():
    model = torch.nn.Linear(4, 1).to(torch_xla.device())
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    return model, optimizer


def lazily(index):
    model, optimizer = train()
    for _ in range(100):
        optimizer.zero_grad()
        model(torch.ones(8, 4).to("xla")).pow(2).mean().backward()
        xm.optimizer_step(optimizer)
        torch_xla.sync()  # expect: XLA201 likely


def eagerly(index):
    model, optimizer = train()
    for _ in range(100):  # expect: XLA210
        optimizer.zero_grad()
        model(torch.ones(8, 4).to("xla")).pow(2).mean().backward()
        xm.optimizer_step(optimizer)
        torch_xla.sync()


def turned_on_by_each(index):
    eager_mode(True)
    eagerly(index)


if __name__ == "__main__":
    eager_mode(True)
    torch_xla.launch(lazily)
    torch_xla.launch(turned_on_by_each)  # expect: XLA517 likely
    torch_xla.launch(eagerly, debug_single_process=True)
    xmp.spawn(eagerly, start_method="fork")  # expect: XLA002
