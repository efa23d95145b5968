# ruff: noqa
# mypy: ignore-errors
"""Comprehensions over a loader, whose batches cut the graph as those of a loop do."""

import torch
import torch_xla
from torch_xla.distributed.parallel_loader import MpDeviceLoader

device = torch_xla.device()
model = torch.nn.Linear(4, 1).to(device)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)


def loader():
    return MpDeviceLoader([torch.ones(4, 4)] * 8, device)


@torch.no_grad()
def evaluate():
    for epoch in range(3):
        outputs = [model(x) for x in loader()]
        print(torch.stack(outputs).mean())  # what is left is light


@torch.no_grad()
def reads_each():
    return [model(x).sum().item() for x in loader()]


def step(x):
    optimizer.zero_grad()
    loss = model(x).sum()
    loss.backward()
    optimizer.step()
    return loss


compiled = torch_xla.compile(step)


def train():
    for epoch in range(3):
        losses = [compiled(x).detach() for x in loader()]
        print(torch.stack(losses).mean().item())


def train_in_a_loop():
    for epoch in range(3):
        for x in loader():
            loss = compiled(x)
            print((loss / 4).item())  # expect: XLA212


def train_by_a_function():
    for epoch in range(3):
        for x in loader():
            trained = train_on(x)


def train_on(x):
    loss = compiled(x)
    print((loss / 4).item())  # expect: XLA212
    return loss
