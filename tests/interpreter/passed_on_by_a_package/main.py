# ruff: noqa
# mypy: ignore-errors
"""A script that takes its trainer from a package, which imports it of a module that brings torch_xla."""

import torch
from engine import Average, Config, Printer, Trainer


def main(data):
    config = Config()
    batches = torch.utils.data.DataLoader(data, batch_size=4, drop_last=True)
    trainer = Trainer(config, torch.nn.Linear(3, 3), batches, Printer())
    trainer.fit()


main(torch.randn(64, 3))
