# ruff: noqa
# mypy: ignore-errors
"""A registry derives from `dict`: what its decorator puts into it is what is looked up in it."""

import torch
import torch_xla

device = torch_xla.device()


class Registry(dict):
    def register(self, name):
        def put(cls):
            self[name] = cls
            return cls

        return put

    def build(self, config):
        config = dict(config)
        return self[config.pop("type")](**config)


MODELS = Registry()
HEADS = Registry()
SIZES = Registry()


@MODELS.register("masked")
class Masked(torch.nn.Module):
    def __init__(self, width):
        super().__init__()
        self.layer = torch.nn.Linear(width, 4)

    def forward(self, x):
        y = self.layer(x)
        return y[y > 0].sum()  # expect: XLA401


@HEADS.register("asks")
class Asks(torch.nn.Module):
    def forward(self, x):
        if x.sum() > 0:
            return x
        return -x


@SIZES.register("small")
def small():
    return 4


def built(config):
    model = MODELS.build(config).to(device)
    for batch in torch.randn(8, 4, 4).to(device):
        with torch_xla.step():
            model(batch).backward()


def looked_up(name):
    head = HEADS.get(name)().to(device)
    for batch in torch.randn(8, 4, 4).to(device):
        with torch_xla.step():
            head(batch)  # expect: XLA101


def of_the_host(name):
    if SIZES[name]() > 2:
        print("large")
