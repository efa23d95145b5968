# ruff: noqa
# mypy: ignore-errors
"""All that a project has of XLA: a device, and the end of a step."""

import torch_xla
import torch_xla.core.xla_model as xm


def get_device():
    return xm.xla_device()  # expect: XLA002


def end_step():
    torch_xla.sync()


def lines(path):
    return open(path).readlines()
