"""Modules that others hold: in lists, one after the other, by name, and appended in a loop."""

import torch
import torch.nn as nn
import torch_xla
import torch_xla.distributed.parallel_loader as pl


class Listed(nn.Module):
    def __init__(self):
        super().__init__()
        self.router = nn.Linear(4, 4)

    def forward(self, x):
        mask = self.router(x) > 0
        if not mask.any():  # expect: XLA103
            return x
        return x * 2


class InTurn(nn.Module):
    def __init__(self):
        super().__init__()
        self.router = nn.Linear(4, 4)

    def forward(self, x):
        mask = self.router(x) > 0
        if not mask.any():  # expect: XLA103
            return x
        return x * 2


class Appended(nn.Module):
    def __init__(self):
        super().__init__()
        self.router = nn.Linear(4, 4)

    def forward(self, x):
        mask = self.router(x) > 0
        if not mask.any():  # expect: XLA103
            return x
        return x * 2


class ByName(nn.Module):
    def __init__(self):
        super().__init__()
        self.router = nn.Linear(4, 4)

    def forward(self, x):
        mask = self.router(x) > 0
        if not mask.any():  # expect: XLA103
            return x
        return x * 2


class AsAttribute(nn.Module):
    def __init__(self):
        super().__init__()
        self.router = nn.Linear(4, 4)

    def forward(self, x):
        mask = self.router(x) > 0
        if not mask.any():  # expect: XLA103
            return x
        return x * 2


class Net(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.layers = nn.ModuleList([Listed() for _ in range(n)])
        self.seq = nn.Sequential(InTurn(), nn.ReLU())
        self.more = nn.ModuleList()
        for i in range(n):
            self.more.append(Appended())
        self.by_name = nn.ModuleDict({"a": ByName()})
        self.transformer = nn.ModuleDict(dict(h=nn.ModuleList([AsAttribute() for _ in range(n)])))

    def forward(self, x):
        for layer in self.layers:
            x = layer(x)
        x = self.seq(x)
        for i, layer in enumerate(self.more):
            x = layer(x)
        for block in self.transformer.h:
            x = block(x)
        return self.by_name["a"](x)


def train(raw):
    device = torch_xla.device()
    net = Net(3).to(device)
    for x in pl.MpDeviceLoader(raw, device):
        net(x)


class Quiet(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.layers = nn.Sequential(*[nn.Linear(4, 4) for _ in range(n)], nn.ReLU())

    def forward(self, x):
        for layer in self.layers:
            x = layer(x)
        return self.layers(x)


def good(raw):
    device = torch_xla.device()
    net = Quiet(3).to(device)
    for x in pl.MpDeviceLoader(raw, device):
        net(x)


def on_the_host(raw):
    net = Net(3)
    for x in raw:
        net(x)
