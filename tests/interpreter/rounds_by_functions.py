# ruff: noqa
# mypy: ignore-errors
"""Rounds of a loop that go on with what the one before has recorded, where functions make and read it."""

import torch
import torch_xla

device = torch_xla.device()
model = torch.nn.Linear(8, 8).to(device).eval()
batches = torch.utils.data.DataLoader([torch.randn(8)] * 16, batch_size=4, drop_last=True)


@torch.no_grad()
def by_a_function_within(state, steps):
    def go_on():
        nonlocal state
        state = model(state)
        print(state.norm().item())

    for _ in range(steps):  # expect: XLA202
        go_on()
    return state


@torch.no_grad()
def each_by_itself_in_a_function_within(inputs):
    def look_at():
        nonlocal state
        state = model(each.to(device))
        print(state.norm().item())

    state = None
    for each in inputs:
        look_at()
    return state


def moved_on(state):
    state = model(state)
    print(state.norm().item())
    return state


@torch.no_grad()
def by_a_function(state, steps):
    for _ in range(steps):  # expect: XLA202
        state = moved_on(state)
    return state


def reported(found, mean, total):
    mean = found.mean()
    total += mean.item()
    return mean, total


@torch.no_grad()
def of_something_else(inputs):
    mean, total = None, 0.0
    for each in inputs:
        found = model(each.to(device))
        mean, total = reported(found, mean, total)
    return mean, total


@torch.no_grad()
def summed_by_a_function_within(epochs):
    def add():
        nonlocal correct
        correct += model(batch.to(device)).argmax(1).sum()

    for epoch in range(epochs):
        correct = torch.zeros((), device=device)
        for batch in batches:  # expect: XLA202
            add()
        print(correct.item())
        torch_xla.sync()  # expect: XLA201


def main():
    torch_xla.manual_seed(0)
    state = torch.randn(1, 8, device=device)
    inputs = [torch.randn(1, 8) for _ in range(8)]
    by_a_function_within(state, 4)
    each_by_itself_in_a_function_within(inputs)
    by_a_function(state, 4)
    of_something_else(inputs)
    summed_by_a_function_within(2)


main()
