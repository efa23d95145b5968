# ruff: noqa
# mypy: ignore-errors
"""All that parts of torch have is imported by a star: it is what it is where it is imported by its name."""

import torch
import torch_xla
from torch import *
from torch.nn import *
from torch.nn.functional import *
from torch.optim import *

device = torch_xla.device()


class Network(Module):
    def __init__(self):
        super().__init__()
        self.layer = Linear(4, 4)

    def forward(self, x):
        return relu(self.layer(x))


def never_cut(x):
    network = Network().to(device)
    optimizer = SGD(network.parameters(), lr=0.1)
    for _ in range(max(8, abs(-16))):  # expect: XLA202
        loss = mse_loss(network(x), zeros(8, 4, device=device))
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        print(loss.item())


def cut(x):
    network = Network().to(device)
    optimizer = SGD(network.parameters(), lr=0.1)
    for _ in range(max(8, abs(-16))):
        with torch_xla.step():
            loss = mse_loss(network(x), zeros(8, 4, device=device))
            loss.backward()
            optimizer.step()
            optimizer.zero_grad()
        print(loss.item())


class Adam:
    """What a module defines by itself is not what a star gave before."""

    def __init__(self, parameters):
        self.parameters = list(parameters)


def kept(x):
    network = Network().to(device)
    held = Adam(network.parameters())
    with torch_xla.step():
        network(x)
    return held

