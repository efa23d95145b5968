# ruff: noqa
# mypy: ignore-errors
"""A method of a base class calls what its subclasses define: how is seen only there."""

import torch
import torch_xla
from base import Base


class Reads(Base):
    def training_step(self, batch):
        loss = self.model(batch.to(torch_xla.device())).mean()
        print(loss.item())  # told where the base class calls this and cuts
        return loss


class ReadsLater(Base):
    def training_step(self, batch):
        self.loss = self.model(batch.to(torch_xla.device())).mean()
        return self.loss

    def after_step(self):
        torch_xla.sync()
        print(self.loss.item())


class HasItsOwnLoop(Base):
    def fit(self, batches):
        for batch in batches:
            self.training_step(batch)

    def training_step(self, batch):
        print(self.model(batch.to(torch_xla.device())).mean().item())


class Unrelated:
    def training_step(self, batch):
        loss = torch.nn.Linear(4, 4).to(torch_xla.device())(batch).mean()
        print(loss.item())
        return loss
