# ruff: noqa
# mypy: ignore-errors
"""Eager mode: on, off, and not known, as in every function of a file that names it."""

import torch
import torch_xla
from torch_xla.experimental import eager_mode

device = torch_xla.device()
model = torch.nn.Linear(4, 4).to(device)
x = torch.randn(4, 4, device=device)


def not_known():
    loss = model(x)
    print(loss.item())  # expect: XLA102 likely
    torch_xla.sync()


def off():
    eager_mode(False)
    loss = model(x)
    print(loss.item())  # expect: XLA102
    torch_xla.sync()


def on():
    eager_mode(True)
    loss = model(x)
    print(loss)  # state: none
    torch_xla.sync()


def on_on_the_first_way(flag):
    eager_mode(False)
    if flag:
        eager_mode(True)
    loss = model(x)
    print(loss.item())  # expect: XLA102 likely
    torch_xla.sync()


def on_on_the_second_way(flag):
    eager_mode(False)
    if flag:
        pass
    else:
        eager_mode(True)
    loss = model(x)
    print(loss.item())  # expect: XLA102 likely
    torch_xla.sync()


def forward(batch):
    return model(batch)


def on_first_and_then_off():
    eager_mode(True)
    loss = forward(x)
    print(loss)  # state: none
    eager_mode(False)
    loss = forward(x)
    print(loss.item())  # state: heavy  # expect: XLA102
    torch_xla.sync()
