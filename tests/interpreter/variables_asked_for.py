# ruff: noqa
# mypy: ignore-errors
"""Variables that settings of the same name turn on: whether they do, nothing here says."""

import os

import torch_xla


def set_up(config):
    if config.XLA_USE_BF16 == 1:
        os.environ["XLA_USE_BF16"] = "1"  # expect: XLA003 likely
    if config.mixed:
        os.environ["XLA_DOWNCAST_BF16"] = "1"  # expect: XLA003 likely
    else:
        os.environ["XLA_DOWNCAST_BF16"] = "0"
