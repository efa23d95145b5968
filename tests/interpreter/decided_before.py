# ruff: noqa
# mypy: ignore-errors
"""What a test that parts the replicas has set is another one on each of them, and so is a test of that."""

import torch
import torch_xla
import torch_xla.core.xla_model as xm
import torch_xla.distributed.parallel_loader as pl
from torch.utils.data import DataLoader, DistributedSampler


class Stopper:
    def __init__(self, patience):
        self.patience = patience
        self.best = 1000.0
        self.bad = 0
        self.early_stop = False

    def __call__(self, loss):
        if loss < self.best:
            self.best = loss
            self.bad = 0
        else:
            self.bad += 1
            if self.bad >= self.patience:
                self.early_stop = True

    @property
    def has_waited(self):
        return self.bad >= self.patience


def train(model, loader, optimizer):
    for x, y in loader:
        optimizer.zero_grad()
        loss = torch.nn.functional.cross_entropy(model(x), y)
        loss.backward()
        xm.optimizer_step(optimizer)


def validate(model, loader, device):
    total = torch.zeros((), device=device)
    for x, y in loader:
        total += torch.nn.functional.cross_entropy(model(x), y)
    return total.item() / len(loader)


def counts_bad_epochs(model, loader, held, optimizer, device):
    best, bad = 1000.0, 0
    for epoch in range(10):
        train(model, loader, optimizer)
        loss = validate(model, held, device)
        if loss < best:
            best, bad = loss, 0
        else:
            bad += 1
        if bad > 3:
            break  # expect: XLA503 likely


def has_found_it(model, loader, held, optimizer, device):
    found = False
    for epoch in range(10):
        train(model, loader, optimizer)
        if validate(model, held, device) < 0.1:
            found = True
        if found:
            break  # expect: XLA503 likely


def asks_an_object(model, loader, held, optimizer, device):
    stopper = Stopper(3)
    for epoch in range(10):
        train(model, loader, optimizer)
        stopper(validate(model, held, device))
        if stopper.early_stop:
            break  # expect: XLA503 likely


def asks_its_property(model, loader, held, optimizer, device):
    stopper = Stopper(3)
    for epoch in range(10):
        train(model, loader, optimizer)
        stopper(validate(model, held, device))
        if stopper.has_waited:
            break  # expect: XLA503 likely


def decides_by_the_sum(model, loader, held, optimizer, device):
    best, bad = 1000.0, 0
    for epoch in range(10):
        train(model, loader, optimizer)
        loss = xm.mesh_reduce("loss", validate(model, held, device), sum)
        if loss < best:
            best, bad = loss, 0
        else:
            bad += 1
        if bad > 3:
            break


def counts_epochs(model, loader, held, optimizer, device, limit):
    """What is set under another test is the same everywhere."""
    best, bad = 1000.0, 0
    for epoch in range(10):
        train(model, loader, optimizer)
        loss = validate(model, held, device)
        if loss < best:
            best = loss
        if epoch > limit:
            bad += 1
        if bad > 3:
            break


def tells_alike(model, loader, held, optimizer, device):
    """Both arms say the same."""
    for epoch in range(10):
        train(model, loader, optimizer)
        if validate(model, held, device) < 0.1:
            word, last = "good", True
        else:
            word, last = "bad", True
        print(word)
        if last:
            break


def sees_all_of_it(model, loader, whole, optimizer, device):
    """Nobody deals these samples out: each replica sees all of them, in their order."""
    best, bad = 1000.0, 0
    for epoch in range(10):
        train(model, loader, optimizer)
        loss = validate(model, whole, device)
        if loss < best:
            best, bad = loss, 0
        else:
            bad += 1
        if bad > 3:
            break


def main(index, data, rest):
    device = torch_xla.device()
    model = torch.nn.Linear(4, 4).to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    loader = pl.MpDeviceLoader(DataLoader(data, sampler=DistributedSampler(data), drop_last=True), device)
    held = pl.MpDeviceLoader(DataLoader(rest, sampler=DistributedSampler(rest), drop_last=True), device)
    whole = pl.MpDeviceLoader(DataLoader(rest, drop_last=True), device)
    counts_bad_epochs(model, loader, held, optimizer, device)
    has_found_it(model, loader, held, optimizer, device)
    asks_an_object(model, loader, held, optimizer, device)
    asks_its_property(model, loader, held, optimizer, device)
    decides_by_the_sum(model, loader, held, optimizer, device)
    counts_epochs(model, loader, held, optimizer, device, 3)
    tells_alike(model, loader, held, optimizer, device)
    sees_all_of_it(model, loader, whole, optimizer, device)


if __name__ == "__main__":
    torch_xla.launch(main, args=(1, 2))  # expect: XLA517 likely
