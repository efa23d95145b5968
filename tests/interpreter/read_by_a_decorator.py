# ruff: noqa
# mypy: ignore-errors
"""Decorators of the project that read what the decorated function returns."""

import functools

import torch
import torch_xla
from torch_xla.distributed.parallel_loader import MpDeviceLoader

device = torch_xla.device()
model = torch.nn.Linear(4, 1).to(device)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)


def reporting(function):
    @functools.wraps(function)
    def wrapper(*arguments, **keywords):
        result = function(*arguments, **keywords)
        print(result.item())
        return result

    return wrapper


def reporting_as(name):
    def decorate(function):
        @functools.wraps(function)
        def wrapper(*arguments, **keywords):
            result = function(*arguments, **keywords)
            print(name, float(result["loss"]))
            return result

        return wrapper

    return decorate


def reporting_after_the_cut(function):
    def wrapper(*arguments):
        result = function(*arguments)
        torch_xla.sync()
        print(result.item())
        return result

    return wrapper


def counting(function):
    def wrapper(*arguments):
        print("called")
        return function(*arguments)

    return wrapper


def update(x):
    optimizer.zero_grad()
    loss = model(x).sum()
    loss.backward()
    optimizer.step()
    return loss


@reporting
def reported(x):
    return update(x)


@reporting_as("training")
def reported_as(x):
    return {"loss": update(x)}


@reporting_after_the_cut
def cut(x):
    return update(x)


@counting
def counted(x):
    return update(x)


def of_the_module(data):
    for x in MpDeviceLoader(data, device):
        reported(x)  # expect: XLA102
    for x in MpDeviceLoader(data, device):
        reported_as(x)  # expect: XLA102
    for x in MpDeviceLoader(data, device):
        cut(x)  # expect: XLA201
    for x in MpDeviceLoader(data, device):
        counted(x)


def of_a_function(data):
    @reporting_as("nested")
    def step(x):
        return {"loss": update(x)}

    for x in MpDeviceLoader(data, device):
        step(x)  # expect: XLA102


def of_a_function_after_the_cut(data):
    @reporting_after_the_cut
    def step(x):
        return update(x)

    for x in MpDeviceLoader(data, device):
        step(x)  # expect: XLA201


def of_a_function_that_another_one_calls(data):
    @reporting_as("nested")
    def step(x):
        return {"loss": update(x)}

    def train_on(x):
        step(x)

    for x in MpDeviceLoader(data, device):
        train_on(x)  # expect: XLA102
