# ruff: noqa
# mypy: ignore-errors
"""A number of the device that is asked for once an epoch is a note; one of each step, or of a few updates, is told."""

import math

import torch
import torch_xla
import torch_xla.core.xla_model as xm
import torch_xla.distributed.parallel_loader as pl

device = torch_xla.device()
model = torch.nn.Linear(4, 4).to(device)
optimizer = torch.optim.SGD(model.parameters())
loader = pl.MpDeviceLoader(torch.utils.data.DataLoader([]), device)


def at_the_end_of_each_epoch(epochs):
    for _ in range(epochs):
        total = torch.zeros(1, device=device)
        for batch in loader:
            loss = model(batch).sum()
            loss.backward()
            xm.optimizer_step(optimizer)
            optimizer.zero_grad()
            total += loss.detach()
        print(math.exp(total / 10))  # expect: XLA103


def train_one(loader):
    total = torch.zeros(1, device=device)
    for batch in loader:
        loss = model(batch).sum()
        loss.backward()
        xm.optimizer_step(optimizer)
        optimizer.zero_grad()
        total += loss.detach()
    return total


def by_a_function(epochs):
    for _ in range(epochs):
        if train_one(loader) < 0.1:  # expect: XLA103
            break


def two_numbers(epochs):
    for _ in range(epochs):
        total = train_one(loader)
        print((total.sum() / 10).item(), (total.mean() / 10).item())  # expect: XLA104


def three_numbers(epochs):
    for _ in range(epochs):
        total = train_one(loader)
        print((total.sum() / 10).item(), (total.mean() / 10).item(), (total.max() / 10).item())  # expect: XLA104


def two_numbers_of_each_step(epochs):
    for _ in range(epochs):
        for batch in loader:
            with torch_xla.step():
                loss = model(batch).sum()
                loss.backward()
                xm.optimizer_step(optimizer)
            print((loss / 10).item(), (loss / 8).item())  # expect: XLA104, XLA212


def evaluate():
    total = torch.zeros(1, device=device)
    with torch.no_grad():
        for batch in loader:
            total += model(batch).sum()
    return math.exp(total / 10)  # expect: XLA103


def with_an_evaluation(epochs):
    for _ in range(epochs):
        train_one(loader)
        print(evaluate())


def in_each_step(epochs):
    for _ in range(epochs):
        for batch in loader:
            loss = model(batch).sum()
            if loss > 10:  # expect: XLA103
                continue
            loss.backward()
            xm.optimizer_step(optimizer)
            optimizer.zero_grad()


def after_a_few_updates_of_each_batch():
    for batch in loader:
        for _ in range(3):
            loss = model(batch).sum()
            loss.backward()
            xm.optimizer_step(optimizer)
            optimizer.zero_grad()
        if loss > 10:  # expect: XLA103
            print("large")


def between_the_micro_batches_and_the_step(rounds, batches):
    for _ in range(rounds):
        for batch in batches:
            loss = model(batch.to(device)).sum()
            loss.backward()
        if loss < 10:  # expect: XLA103
            optimizer.step()
        optimizer.zero_grad()
        torch_xla.sync()  # expect: XLA201
