# ruff: noqa
# mypy: ignore-errors
"""Parts of a package register six hooks, which another part looks up that imports none of them."""

import torch

from engine import Trainer


def main(settings):
    Trainer(torch.nn.Linear(4, 1), settings).run(torch.randn(8, 4, 4))
