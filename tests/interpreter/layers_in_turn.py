# ruff: noqa
# mypy: ignore-errors
"""A class that derives from `nn.Sequential` is made with its layers, and calls one after the other."""

import random

import torch
import torch_xla
import torch_xla.distributed.parallel_loader as pl
from torch import nn


class Policy(nn.Sequential):
    def __init__(self, observations, actions, width=64):
        super().__init__(nn.Linear(observations, width), nn.ReLU(), nn.Linear(width, actions))


class Agent:
    def __init__(self):
        self.device = torch_xla.device()
        self.policy = Policy(4, 2).to(self.device)
        self.optimizer = torch.optim.SGD(self.policy.parameters(), lr=0.1)

    def learn(self, observations, returns):
        loss = nn.functional.mse_loss(self.policy(observations).max(1).values, returns)
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()
        return loss


def play(agent, memory):
    for _ in range(1000):  # expect: XLA202
        observations, returns = zip(*random.sample(memory, 32))
        loss = agent.learn(torch.stack(observations).to(agent.device), torch.tensor(returns).to(agent.device))
        print(loss.item())


def main():
    play(Agent(), [(torch.randn(4), 1.0) for _ in range(100)])


class Scaled(nn.Module):
    def forward(self, x):
        return x / x.abs().max().item()


class Block(nn.Sequential):
    def __init__(self, into, out):
        super(Block, self).__init__(nn.Conv2d(into, out, 3), Scaled(), nn.ReLU())


class Listed(nn.Sequential):
    def __init__(self, into, out, is_scaled=True):
        layers = [nn.Conv2d(into, out, 3)]
        layers += [Scaled()]
        layers.extend([nn.ReLU()])
        super().__init__(*layers)


class Plain(nn.Sequential):
    def __init__(self, into, out):
        super().__init__(nn.Conv2d(into, out, 3), nn.ReLU())


class Net(nn.Module):
    def __init__(self, block):
        super().__init__()
        self.block = block
        self.head = nn.Linear(4, 4)

    def forward(self, x):
        return self.head(self.block(x))


def through_a_block(loader):
    device = torch_xla.device()
    model = Net(Block(3, 4)).to(device)
    for x in pl.MpDeviceLoader(loader, device):
        loss = model(x).sum()  # expect: XLA102
        loss.backward()


def by_itself(loader):
    device = torch_xla.device()
    model = Listed(3, 4).to(device)
    for x in pl.MpDeviceLoader(loader, device):
        loss = model(x).sum()  # expect: XLA102
        loss.backward()


def reads_nothing(loader):
    device = torch_xla.device()
    model = Plain(3, 4).to(device)
    for x in pl.MpDeviceLoader(loader, device):
        loss = model(x).sum()
        loss.backward()
