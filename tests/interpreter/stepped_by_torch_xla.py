# ruff: noqa
# mypy: ignore-errors
"""Functions that nobody is seen to call: what backward starts from is on the device that torch_xla steps for."""

import torch_xla.core.xla_model as xm


def read_before_the_step(model, loader, optimizer, criterion):
    for x, y in loader:
        loss = criterion(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        print(loss.item())  # expect: XLA102 likely
        xm.optimizer_step(optimizer, barrier=True)


def read_below_the_step(model, loader, optimizer, criterion):
    for x, y in loader:
        loss = criterion(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        xm.optimizer_step(optimizer, barrier=True)
        print(loss.item())


def of_another_optimizer(model, loader, strategy, criterion):
    for x, y in loader:
        loss = criterion(model(x), y)
        loss.backward()
        print(loss.item())
        strategy.optimizer_step(model)
        xm.mark_step()  # expect: XLA002, XLA201


def loader_of_somebody(model, loader, optimizer, criterion):
    """Where this loader does not cut the graph, nothing does, which is worse."""
    for x, y in loader:
        loss = criterion(model(x), y)
        loss.backward()
        print(loss.item())  # expect: XLA102 likely
        xm.optimizer_step(optimizer)


def part_of_results(train_step, model, loader, optimizer):
    for x in loader:
        results = train_step(model, x)
        results.loss.backward()
        print(results.loss.item())  # expect: XLA102 likely
        xm.optimizer_step(optimizer, barrier=True)


def part_of_results_below_the_step(train_step, model, loader, optimizer):
    for x in loader:
        results = train_step(model, x)
        results.loss.backward()
        xm.optimizer_step(optimizer, barrier=True)
        print(results.loss.item())
