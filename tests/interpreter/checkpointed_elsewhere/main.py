# ruff: noqa
# mypy: ignore-errors
"""A script starts a training of another module, which has registered the device when it was imported."""

import torch_xla
from training import train

if __name__ == "__main__":
    torch_xla.launch(train)
