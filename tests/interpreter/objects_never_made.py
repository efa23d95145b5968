# ruff: noqa
# mypy: ignore-errors
"""What methods do comes after what raises when their object is made."""

import torch
import torch_xla
import torch_xla.distributed.parallel_loader as pl


class Model(torch.nn.Module):
    def __init__(self, width):
        super().__init__()
        self.layer = torch.nn.Linear(width, 1)

    def forward(self, x):
        return self.layer(x)


class Agent:
    def __init__(self, loader):
        self.device = torch_xla.device()
        self.model = Model(width=4, leak=0.1).to(self.device)
        self.loader = pl.MpDeviceLoader(loader, self.device)

    def train(self):
        for x in self.loader:
            loss = self.model(x).sum()
            loss.backward()
            print(loss.item())  # expect: XLA102 likely

    @staticmethod
    def without_an_object(model, loader):
        for x in pl.MpDeviceLoader(loader, torch_xla.device()):
            loss = model(x).sum()
            loss.backward()
            print(loss.item())  # expect: XLA102


class OtherAgent(Agent):
    def __init__(self, loader):
        self.device = torch_xla.device()
        self.model = Model(width=4).to(self.device)
        self.loader = pl.MpDeviceLoader(loader, self.device)

    def train(self):
        for x in self.loader:
            loss = self.model(x).sum()
            loss.backward()
            print(loss.item())  # expect: XLA102


class PerhapsMade:
    def __init__(self, loader, leaks):
        self.device = torch_xla.device()
        if leaks:
            self.model = Model(width=4, leak=0.1).to(self.device)
        else:
            self.model = Model(width=4).to(self.device)
        self.loader = pl.MpDeviceLoader(loader, self.device)

    def train(self):
        for x in self.loader:
            loss = self.model(x).sum()
            loss.backward()
            print(loss.item())  # expect: XLA102


class Handed:
    def __init__(self, loader):
        self.device = torch_xla.device()
        self.model = Model(width=4).to(self.device)
        self.loader = pl.MpDeviceLoader(loader, self.device)

    def train(self):
        in_a_function(self)


def in_a_function(agent):
    for x in agent.loader:
        loss = agent.model(x).sum()
        loss.backward()
        print(loss.item())  # expect: XLA102
