# ruff: noqa
# mypy: ignore-errors
"""Hooks that a trainer takes of an object which is made by default, and methods that have a second name."""

import torch
import torch_xla
import torch_xla.distributed.parallel_loader as pl


class Hook:
    def forward_train(self, trainer, inputs):
        *features, target = inputs
        output = trainer.model(*features)
        return torch.nn.functional.mse_loss(output, target), output.detach()

    forward_valid = forward_train


class HookOfTheHost:
    def forward_valid(self, trainer, inputs):
        return 0.5, inputs[0].shape


class Trainer:
    def __init__(self, model):
        self.device = torch_xla.device()
        self.model = model.to(self.device)

    def register(self, hook):
        self.forward_train = hook.forward_train
        self.forward_valid = hook.forward_valid

    def train(self, loader, optimizer, hook=Hook()):
        self.register(hook)
        for inputs in pl.MpDeviceLoader(loader, self.device):
            loss, output = self.forward_train(self, inputs)
            loss.backward()
            optimizer.step()
            if torch.isnan(output).any():  # expect: XLA103
                raise ValueError("nan")
        self.validate(loader)

    def validate(self, loader):
        total = 0.0
        for inputs in pl.MpDeviceLoader(loader, self.device):
            loss, output = self.forward_valid(self, inputs)
            total += loss.item()  # expect: XLA102
        return total


class TrainerOfTheHost:
    """What the hook returns is on the host."""

    def __init__(self, model):
        self.device = torch_xla.device()
        self.model = model.to(self.device)

    def evaluate(self, loader, hook=HookOfTheHost()):
        for inputs in pl.MpDeviceLoader(loader, self.device):
            loss, shape = hook.forward_valid(self, inputs)
            if loss > 0.1:
                print(shape)


class Evaluator:
    def __init__(self, model):
        self.device = torch_xla.device()
        self.model = model.to(self.device)

    def evaluate(self, loader, hook=Hook()):
        """Nobody asks for the hook that is there by default."""
        for inputs in pl.MpDeviceLoader(loader, self.device):
            loss, output = hook.forward_valid(self, inputs)
            print(loss.item())

    def score(self, loader):
        for inputs in pl.MpDeviceLoader(loader, self.device):
            output = self.model(inputs)
            print(output.sum().item())  # expect: XLA102

    __call__ = score
    test = evaluate


def by_other_names(loader):
    evaluator = Evaluator(torch.nn.Linear(4, 4))
    evaluator.test(loader, HookOfTheHost())
    evaluator(loader)
