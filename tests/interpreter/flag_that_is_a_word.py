# ruff: noqa
# mypy: ignore-errors
"""`use_tpu` may hold the word for a device: its name alone says that XLA is used, not that it is true."""

import torch
import torch_xla
from somewhere import configuration


class Trainer:
    def __init__(self, config, model):
        self.config = config
        if config.use_tpu == "tpu":
            self.device = torch_xla.device()
        else:
            self.device = torch.device("cpu")
        self.model = model.to(self.device)

    def validate(self, batches):
        total = 0.0
        for x in batches:
            out = self.model(x.to(self.device))
            total += out.sum().item()  # expect: XLA102 likely
            total += out.argmax(-1).tolist()[0]
        return total


def validate():
    batches = [torch.randn(8, 4) for _ in range(8)]
    return Trainer(configuration(), torch.nn.Linear(4, 4)).validate(batches)


class Tester:
    def __init__(self, config, model):
        if config.use_tpu:
            self.device = torch_xla.device()
        else:
            self.device = torch.device("cpu")
        self.model = model.to(self.device)

    def validate(self, batches):
        total = 0.0
        for x in batches:
            out = self.model(x.to(self.device))
            total += out.sum().item()  # expect: XLA102
            total += out.argmax(-1).tolist()[0]
        return total


def test():
    batches = [torch.randn(8, 4) for _ in range(8)]
    return Tester(configuration(), torch.nn.Linear(4, 4)).validate(batches)


validate()
test()
