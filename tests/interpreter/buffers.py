# ruff: noqa
# mypy: ignore-errors
"""What a module registers as a buffer is a tensor that lives where the module does."""

import torch
import torch_xla
import torch_xla.distributed.parallel_loader as pl
from torch import nn


class Queue(nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder = nn.Linear(4, 4)
        self.register_buffer("queue", torch.zeros(4, 400))
        self.register_buffer("pointer", torch.zeros(1, dtype=torch.long))

    def forward(self, x):
        keys = self.encoder(x)
        pointer = int(self.pointer)
        self.queue[:, pointer : pointer + 8] = keys.T  # expect: XLA402
        self.pointer[0] = (pointer + 8) % 400
        return keys.sum()


class Codebook(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("codes", torch.zeros(16, 4))
        self.register_buffer("used", torch.zeros(16))
        self.register_buffer("began", torch.tensor(False))
        self.register_buffer("nothing", None)

    def forward(self, x):
        if not self.began:
            self.began.fill_(True)
        self.used += (x @ self.codes.T).softmax(-1).sum(0)
        if self.used.min() < 1:  # expect: XLA103
            self.used.fill_(1)
        if self.nothing is not None:
            self.nothing.item()
        return (x - self.codes[self.used.argmax()]).square().sum()


class Schedule(nn.Module):
    def __init__(self):
        super().__init__()
        self.network = nn.Linear(4, 4)
        self.register_buffer("rates", torch.linspace(0, 1, 100), persistent=False)

    def forward(self, x):
        step = torch.randint(0, 100, (x.shape[0],), device=x.device)
        return (self.network(x) * self.rates[step][:, None]).sum()


def train(model, loader):
    device = torch_xla.device()
    model = model.to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for x in pl.MpDeviceLoader(loader, device):
        optimizer.zero_grad()
        model(x).backward()
        optimizer.step()


def queue(loader):
    train(Queue(), loader)


def codebook(loader):
    train(Codebook(), loader)


def schedule(loader):
    train(Schedule(), loader)


def on_the_host(loader):
    model = Queue()
    for x in loader:
        model(x).backward()
