# ruff: noqa
# mypy: ignore-errors
"""What ends the steps of a project."""

import torch_xla


def end_step():
    torch_xla.sync()
