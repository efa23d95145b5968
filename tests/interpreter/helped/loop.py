# ruff: noqa
# mypy: ignore-errors
"""A loop for whatever device it is given."""


class Trainer:
    def __init__(self, model, optimizer, batches, device):
        self.model, self.optimizer, self.batches, self.device = model, optimizer, batches, device

    def train(self):
        for batch in self.batches:  # expect: XLA202
            loss = self.model(batch.to(self.device)).sum()
            loss.backward()
            self.optimizer.step()
            print(loss.item())
