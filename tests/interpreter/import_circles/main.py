# ruff: noqa
# mypy: ignore-errors
"""Modules that import each other, and themselves: what a name means is looked for once."""

import torch
import torch_xla

from . import main, one, other
from .main import *
from .one import *
from .one import given, lost, model
from .other import found as main_found


def judged(x):
    with torch_xla.step():
        print(model(x.to(torch_xla.device())), given, lost, main_found, unheard_of)  # expect: XLA101
        print(torch.ones(2, device=torch_xla.device()))  # expect: XLA101


def through_modules():
    with torch_xla.step():
        print(one.other.one.other.model(torch.ones(4, 4, device=torch_xla.device())))  # expect: XLA101
        main.main.main.given(one.lost)
