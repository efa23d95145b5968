# ruff: noqa
# mypy: ignore-errors
"""An autocast for another device, and where the work in it stands."""

import torch
import torch_xla

device = torch_xla.device()
model = torch.nn.Linear(4, 4).to(device)


def work(x):
    model(x)


def in_a_function(x):
    with torch.autocast("cuda"):  # expect: XLA705
        work(x)


def below_a_cut(x):
    with torch.autocast("cuda"):  # expect: XLA705
        torch_xla.sync()
        work(x)


def below_it(x):
    with torch.autocast("cuda"):
        print("nothing yet")
    work(x)
