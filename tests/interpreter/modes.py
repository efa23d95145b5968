"""What a module does in one mode only: `train()` and `eval()` say which it is in, for its parts, too."""

import torch
import torch.nn as nn
import torch_xla
import torch_xla.distributed.parallel_loader as pl


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(4, 4)

    def forward(self, x):
        y = self.layer(x)
        if not self.training:
            print(y.sum().item())
        return y


class Network(nn.Module):
    def __init__(self):
        super().__init__()
        self.blocks = nn.ModuleList([Block() for _ in range(3)])

    def forward(self, x):
        for block in self.blocks:
            x = block(x)
        return x


class TrainedOnly(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(4, 4)

    def forward(self, x):
        y = self.layer(x)
        if self.training:
            return y
        print(y.sum().item())
        return y


def train(loader):
    device = torch_xla.device()
    network = TrainedOnly().to(device)
    optimizer = torch.optim.SGD(network.parameters())
    network.train()
    for batch in pl.MpDeviceLoader(loader, device):
        optimizer.zero_grad()
        network(batch).sum().backward()
        optimizer.step()


def evaluate(loader):
    device = torch_xla.device()
    network = Network().to(device).eval()
    for batch in pl.MpDeviceLoader(loader, device):
        scores = network(batch)  # expect: XLA102
        del batch
    return scores
