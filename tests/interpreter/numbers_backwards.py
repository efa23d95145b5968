# ruff: noqa
# mypy: ignore-errors
"""Numbers that a loop gets from its last to its first."""

import torch
import torch_xla

device = torch_xla.device()
model = torch.nn.Linear(4, 4).to(device)
weights = torch.linspace(0.0, 1.0, 20, device=device)


def step(x, number):
    return model(x) * weights[number]  # expect: XLA402


def of_a_schedule(x):
    for number in reversed(range(20)):
        x = step(x, number)
        torch_xla.sync()  # expect: XLA201
    return x


def in_one_graph(x):
    for number in reversed(range(20)):
        x = model(x) * weights[number]
    torch_xla.sync()
    return x


def of_a_list(x, names):
    for name in reversed(list(names)):
        x = model(x) * len(name)
        torch_xla.sync()  # expect: XLA201
    return x
