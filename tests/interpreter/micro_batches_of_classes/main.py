# ruff: noqa
# mypy: ignore-errors
import torch
import torch_xla
import torch_xla.core.xla_model as xm
from base import BaseTrainer


class XLATrainer(BaseTrainer):
    def set_up(self):
        self.device = torch_xla.device()

    def end_step(self):
        xm.optimizer_step(self.optimizer, barrier=True)

    def save(self, path):
        xm.rendezvous("save")
        xm.save(self.model.state_dict(), path)


class PatientTrainer(XLATrainer):
    """It reads nothing until all is done."""

    def after_batch(self, number, loss):
        self.last = loss.detach()


def run(index, config, loader):
    trainer = XLATrainer(config, torch.nn.Linear(16, 1), loader)
    trainer.fit()
    trainer.save("model.pt")
    PatientTrainer(config, torch.nn.Linear(16, 1), loader).fit()


def main(config, loader):
    torch_xla.launch(run, args=(config, loader))  # expect: XLA517 likely
