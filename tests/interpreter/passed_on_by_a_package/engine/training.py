# ruff: noqa
# mypy: ignore-errors
"""A trainer that makes its optimizer before the model moves."""

import torch
import torch_xla
import torch_xla.distributed.parallel_loader as pl


class Trainer:
    def __init__(self, config, model, batches, callback):
        self.config, self.model, self.callback = config, model, callback
        self.device = torch_xla.device()
        self.optimizer = torch.optim.SGD(model.parameters(), lr=config.rate)
        self.model.to(self.device)  # expect: XLA701
        self.batches = pl.MpDeviceLoader(batches, self.device)

    def fit(self):
        for epoch in range(self.config.epochs):
            for batch in self.batches:
                self.optimizer.zero_grad()
                loss = self.model(batch).sum()
                loss.backward()
                self.optimizer.step()
                self.callback.on_step_end(self, loss)  # expect: XLA102
            self.callback.on_epoch_end(self, epoch)
