# ruff: noqa
# mypy: ignore-errors
"""A trainer that leaves to others how a step ends, and reads each micro-batch in a method of its own."""

import torch


class BaseTrainer:
    def __init__(self, config, model, loader):
        self.config = config
        self.set_up()
        self.model = model.to(self.device)
        self.loader = loader
        self.optimizer = torch.optim.AdamW(self.model.parameters(), lr=config.lr)

    def training_step(self, batch):
        x, y = (each.to(self.device) for each in batch)
        loss = torch.nn.functional.mse_loss(self.model(x), y)
        (loss / self.config.accumulate).backward()
        return loss

    def fit(self):
        for number, batch in enumerate(self.loader):
            loss = self.training_step(batch)
            if (number + 1) % self.config.accumulate == 0:
                self.end_step()
                self.optimizer.zero_grad()
            self.after_batch(number, loss)  # expect: XLA102 likely

    def after_batch(self, number, loss):
        self.log({"loss": loss.item()})

    def log(self, values):
        print(values)
