# ruff: noqa
# mypy: ignore-errors
import torch


class Base:
    def __init__(self, device, mark):
        self.model = torch.nn.Linear(4, 4).to("xla")
        self.mark = mark

    def fit(self, batches):
        for batch in batches:
            self.one(batch)  # expect: XLA201

    def one(self, batch):
        loss = self.training_step(batch)  # expect: XLA102 likely
        loss.backward()
        self.after_step()

    def training_step(self, batch):
        raise NotImplementedError

    def after_step(self):
        import torch_xla

        torch_xla.sync()
