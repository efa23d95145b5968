# ruff: noqa
# mypy: ignore-errors
"""What torch_xla's own source looks like; here `resolve` knows this file as torch_xla.core.xla_model."""

import torch_xla  # uses: torch_xla


def mark_step(wait=False):
    torch_xla.sync(wait)  # uses: torch_xla.sync


class CollectiveContext:
    pass


def optimizer_step(optimizer):
    CollectiveContext()  # none: its own definition
    mark_step()  # none: its own definition
