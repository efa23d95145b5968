# ruff: noqa
# mypy: ignore-errors
"""What is computed for a report, below the step: each time, or once in so many steps."""

import logging

import torch
import torch_xla

device = torch_xla.device()
model = torch.nn.Linear(4, 1).to(device)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
logger = logging.getLogger(__name__)


def step(x):
    with torch_xla.step():
        optimizer.zero_grad()
        loss = model(x).sum()
        loss.backward()
        optimizer.step()
        mean = x.mean()
    return loss, mean


def each_time(loader):
    for x in loader:
        loss, mean = step(x.to(device))
        print(torch.stack([loss, mean]).tolist())  # expect: XLA212


def once_in_ten(loader):
    for number, x in enumerate(loader):
        loss, mean = step(x.to(device))
        if number % 10 == 0:
            print(torch.stack([loss, mean]).tolist())  # expect: XLA212


def for_nobody(loader):
    for x in loader:
        with torch_xla.step():
            loss = model(x.to(device)).sum()
            logger.debug("the loss is %s", loss)
            logger.info("the loss is %s", loss)  # expect: XLA101


def once_in_so_many(loader, every):
    for number, x in enumerate(loader):
        loss, mean = step(x.to(device))
        if number % every == every - 1:
            print(torch.stack([loss, mean]).tolist())  # expect: XLA212


def in_all_but_one(loader, every):
    for number, x in enumerate(loader):
        loss, mean = step(x.to(device))
        if number % every != every - 1:
            print(torch.stack([loss, mean]).tolist())  # expect: XLA212


def when_enough_is_gathered(loader):
    losses = []
    for x in loader:
        losses.append(step(x.to(device))[0])
        if len(losses) == 50:
            print(torch.stack(losses).tolist())  # expect: XLA212
            losses = []
