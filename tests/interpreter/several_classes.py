# ruff: noqa
# mypy: ignore-errors
"""A layer that is of one of several classes: a call runs the forward of each."""

import torch
import torch_xla
import torch_xla.core.xla_model as xm
import torch_xla.distributed.parallel_loader as pl
from torch import nn


class Experts(nn.Module):
    def __init__(self):
        super().__init__()
        self.gate = nn.Linear(8, 8)
        self.threshold = 0.5

    def forward(self, x):
        mask = self.gate(x) > self.threshold
        if not mask.any():  # expect: XLA103 likely
            return self.gate(x)
        return self.gate(x * mask.sum())

    def rank(self, output):
        return output.item()


class Dense(nn.Module):
    def __init__(self):
        super().__init__()
        self.up = nn.Linear(8, 8)
        self.threshold = None

    def forward(self, x):
        if self.threshold is not None:
            if x.sum() > self.threshold:
                x = x * 2
        return self.up(x)

    def rank(self, output):
        return 8


class Pair(nn.Module):
    def forward(self, x):
        return x, x.sum()


class Block(nn.Module):
    def __init__(self, index, every, plain):
        super().__init__()
        if index % every == 0:
            self.ffn = Experts()
        elif plain:
            self.ffn = nn.Linear(8, 8)
        else:
            self.ffn = Dense()
        self.last = Pair() if index == 3 else nn.Linear(8, 8)

    def forward(self, x):
        x = x + self.ffn(x)
        if isinstance(self.last, Pair):
            return self.last(x)[0]
        return self.last(x)


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.blocks = nn.ModuleList([Block(i, 2, False) for i in range(4)])

    def forward(self, x):
        for block in self.blocks:
            x = block(x)
        return x


def train(batches):
    device = torch_xla.device()
    model = Model().to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for x in pl.MpDeviceLoader(batches, device):
        loss = model(x).sum()
        loss.backward()
        xm.optimizer_step(optimizer)
        print(loss.item())  # expect: XLA102


def one_of_two_methods(batches, sparse):
    device = torch_xla.device()
    layer = Experts() if sparse else Dense()
    layer = layer.to(device)
    optimizer = torch.optim.SGD(layer.parameters(), lr=0.1)
    for x in pl.MpDeviceLoader(batches, device):
        loss = layer(x).sum()
        loss.backward()
        xm.optimizer_step(optimizer)
        layer.rank(loss)  # expect: XLA102 likely
