# ruff: noqa
# mypy: ignore-errors
import torch
import torch_xla

from .registry import HOOKS


class Trainer:
    def __init__(self, model, settings):
        self.device = torch_xla.device()
        self.model = model.to(self.device)
        self.optimizer = torch.optim.SGD(self.model.parameters(), lr=0.1)
        self.hooks = [HOOKS.build(each) for each in settings["hooks"]]
        self.count = 0

    def call(self, name):
        for hook in self.hooks:
            getattr(hook, name)(self)

    def run(self, batches):
        for batch in batches.to(self.device):
            self.optimizer.zero_grad()
            self.loss = self.model(batch).square().mean()
            self.loss.backward()
            self.optimizer.step()
            self.call("after_step")  # expect: XLA102 likely
            torch_xla.sync()  # expect: XLA201
        self.call("after_epoch")
