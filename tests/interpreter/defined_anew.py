# ruff: noqa
# mypy: ignore-errors
"""A module that defines its functions anew, as the cells of a notebook do: each sees what was there."""

import torch
import torch_xla
import torch_xla.distributed.parallel_loader as pl


def train(model, loader, optimizer, device):
    for x in loader:
        optimizer.zero_grad()
        loss = model(x.to(device)).sum()
        loss.backward()
        optimizer.step()
        print(loss.item())


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = torch.nn.Linear(4, 1).to(device)
    train(model, [torch.ones(8, 4)], torch.optim.SGD(model.parameters(), lr=0.1), device)


main()


def train(model, loader, optimizer, device):
    for x in pl.MpDeviceLoader(loader, device):
        optimizer.zero_grad()
        loss = model(x).sum()
        loss.backward()
        optimizer.step()


def main():
    device = torch_xla.device()
    model = torch.nn.Linear(4, 1).to(device)
    train(model, [torch.ones(8, 4)], torch.optim.SGD(model.parameters(), lr=0.1), device)
    count(model, [torch.ones(8, 4)], device)


def count(model, loader, device):
    for x in pl.MpDeviceLoader(loader, device):
        print(model(x).sum())  # the one below has taken its place when `main` is called


def count(model, loader, device):
    for x in pl.MpDeviceLoader(loader, device):
        model(x)


main()


def count(model, loader, device):
    for x in pl.MpDeviceLoader(loader, device):
        loss = model(x).sum()
        print(loss)  # expect: XLA102


def train(model, loader, optimizer, device):
    for x in pl.MpDeviceLoader(loader, device):
        optimizer.zero_grad()
        loss = model(x).sum()
        loss.backward()
        optimizer.step()
        print(loss.item())  # expect: XLA102


main()
