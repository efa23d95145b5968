# ruff: noqa
# mypy: ignore-errors
"""Names that mean something else where they are used."""

import torch_xla.core.xla_model as xm  # uses: torch_xla.core.xla_model
from torch_xla.core.xla_model import mark_step, xla_device  # uses: torch_xla.core.xla_model.mark_step, torch_xla.core.xla_model.xla_device


def parameter(xm):
    xm.mark_step()  # none: a parameter


def assigned():
    xm.mark_step()  # none: bound further below, so local everywhere
    xm = object()


def bound_by_loop(models):
    for xm in models:
        xm.mark_step()  # none: a loop variable
    with open("x") as mark_step:
        mark_step()  # none: bound by `with`
    try:
        pass
    except ValueError as xla_device:
        xla_device()  # none: bound by `except`


def bound_by_import():
    import numpy as xm

    xm.mark_step()  # none: numpy


def bound_by_match(command):
    match command:
        case [xm, *mark_step]:
            xm.mark_step(mark_step())  # none: captured


def nested(xm):
    def inner():
        return xm.mark_step()  # none: the parameter around it

    return inner, lambda mark_step: mark_step(), [xm for xm in range(3)]


results = [mark_step() for mark_step in (print,)]  # none: the comprehension's own
mark_step()  # uses: torch_xla.core.xla_model.mark_step
kept = [last := xm.mark_step() for _ in range(3)]  # uses: torch_xla.core.xla_model.mark_step


class Model:
    mark_step = None

    def forward(self):
        mark_step()  # uses: torch_xla.core.xla_model.mark_step
        self.mark_step()  # none: an attribute of the model


def rebinds():
    global xm
    xm = None


xm.mark_step()  # uses: torch_xla.core.xla_model.mark_step


def nonlocal_names():
    import torch_xla.runtime as xr  # uses: torch_xla.runtime

    def count():
        nonlocal xr
        return xr.world_size()  # uses: torch_xla.runtime.world_size

    return count


xm.mark_step = print  # none: bound, not used
