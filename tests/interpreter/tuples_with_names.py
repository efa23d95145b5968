# ruff: noqa
# mypy: ignore-errors
"""A tuple whose parts have names is taken apart in the order of its fields."""

from typing import NamedTuple

import torch
import torch_xla

device = torch_xla.device()
model = torch.nn.Linear(4, 1).to(device)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)


class Outcome(NamedTuple):
    loss: torch.Tensor
    size: int
    label: str = "train"


def step(batch):
    optimizer.zero_grad()
    loss = model(batch.to(device)).square().mean()
    loss.backward()
    optimizer.step()
    return Outcome(loss, len(batch))


def taken_apart(batches):
    for batch in batches:
        loss, size, _ = step(batch)
        print(loss.item(), size)  # expect: XLA102
        torch_xla.sync()  # expect: XLA201


def what_stands_beside_it(batches):
    for batch in batches:
        _, size, label = step(batch)
        print(float(size), f"{label}")
        torch_xla.sync()  # expect: XLA201


def by_its_name(batches):
    for batch in batches:
        outcome = step(batch)
        print(outcome.loss.item())  # expect: XLA102
        torch_xla.sync()  # expect: XLA201


some = [torch.randn(8, 4) for _ in range(9)]
taken_apart(some)
what_stands_beside_it(some)
by_its_name(some)
