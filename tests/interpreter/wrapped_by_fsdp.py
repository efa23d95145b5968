# ruff: noqa
# mypy: ignore-errors
"""FSDP moves a model and cuts its parameters in parts: an optimizer that was built before trains nothing.

The guard does not see it, as FSDP replaces parameters one by one and moves no module. On the engine the
optimizer's parameters get no gradient.
"""

import torch
import torch_xla
from torch_xla.distributed.fsdp import XlaFullyShardedDataParallel as FSDP


def optimizer_before():
    model = torch.nn.Linear(8, 4)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    model = FSDP(model)  # expect: XLA701
    with torch_xla.step():
        model(torch.randn(8, 8).to("xla")).square().mean().backward()
        optimizer.step()


def optimizer_after():
    model = FSDP(torch.nn.Linear(8, 4))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    with torch_xla.step():
        model(torch.randn(8, 8).to("xla")).square().mean().backward()
        optimizer.step()


def wrapped_in_turn():
    model = torch.nn.Sequential(*(FSDP(torch.nn.Linear(8, 8)) for _ in range(2)))
    model = FSDP(model)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    with torch_xla.step():
        model(torch.randn(8, 8).to("xla")).square().mean().backward()
        optimizer.step()
