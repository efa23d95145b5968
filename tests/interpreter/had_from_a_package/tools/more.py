# ruff: noqa
# mypy: ignore-errors
import torch_xla


def other_device():
    return torch_xla.device()
