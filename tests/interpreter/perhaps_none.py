"""What is given is not None, and what some way leaves None may be: both arms of a test for it are looked at."""

import torch
import torch_xla
import torch_xla.distributed.parallel_loader as pl


class Language(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(8, 8)
        self.cache = None

    def forward(self, inputs, targets=None):
        logits = self.layer(inputs)
        if targets is None:
            return logits
        return logits, torch.nn.functional.cross_entropy(logits, targets)

    def cached(self, inputs):
        if self.cache is None:
            self.cache = self.layer(inputs)
        return self.cache


def trained(loader):
    device = torch_xla.device()
    model = Language().to(device)
    for batch in pl.MpDeviceLoader(loader, device):
        inputs, targets = batch
        _, loss = model(inputs.to(device), targets.to(device))
        print(loss.item())  # expect: XLA102


def asked(loader):
    device = torch_xla.device()
    model = Language().to(device)
    for batch in pl.MpDeviceLoader(loader, device):
        scores = model(batch)
        print(scores.sum().item())  # expect: XLA102


def best_of(loader):
    device = torch_xla.device()
    model = Language().to(device)
    best = None
    for batch in pl.MpDeviceLoader(loader, device):
        score = model(batch).sum()
        if best is None:
            best = score
            print(best.item())  # expect: XLA102
        else:
            print(score.item())  # expect: XLA102


def kept(loader):
    device = torch_xla.device()
    model = Language().to(device)
    for batch in pl.MpDeviceLoader(loader, device):
        print(model.cached(batch).sum().item())  # expect: XLA102
