# ruff: noqa
# mypy: ignore-errors
"""What the trainer calls; nothing here names torch_xla."""

import torch


class Printer:
    def on_step_end(self, trainer, loss):
        print(loss.item())

    def on_epoch_end(self, trainer, epoch):
        torch.save(trainer.model.state_dict(), f"{epoch}.pt")  # expect: XLA601
