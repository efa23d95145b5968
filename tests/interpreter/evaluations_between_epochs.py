# ruff: noqa
# mypy: ignore-errors
"""An evaluation between two epochs whose batches nothing cuts is one graph, whatever ends the steps of the training."""

import torch
import torch_xla
import torch_xla.core.xla_model as xm
import torch_xla.distributed.parallel_loader as pl
from torch.utils.data import DataLoader

device = torch_xla.device()
model = torch.nn.Linear(4, 4).to(device)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)


def train(loader):
    for x, y in loader:
        optimizer.zero_grad()
        torch.nn.functional.mse_loss(model(x.to(device)), y.to(device)).backward()
        xm.optimizer_step(optimizer, barrier=True)


def count(loader):
    correct = 0
    with torch.no_grad():
        for x, y in loader:  # expect: XLA202
            correct += (model(x.to(device)).argmax(1) == y.to(device)).sum()
    return correct.item()


def counts_in_a_function(data):
    for epoch in range(10):
        train(DataLoader(data, batch_size=8, drop_last=True))
        print(count(DataLoader(data, batch_size=8, drop_last=True)))


def gathers(data):
    loader = DataLoader(data, batch_size=8, drop_last=True)
    for epoch in range(10):
        train(loader)
        losses = []
        for x, y in loader:  # expect: XLA202
            losses.append(torch.nn.functional.mse_loss(model(x.to(device)), y.to(device)))
        print(torch.stack(losses).mean().item())


def gathers_once_in_so_many_batches(data, tests):
    loader = DataLoader(data, batch_size=8, drop_last=True)
    for step, (x, y) in enumerate(loader):
        with torch_xla.step():
            optimizer.zero_grad()
            torch.nn.functional.mse_loss(model(x.to(device)), y.to(device)).backward()
            optimizer.step()
        if step % 100 == 0:
            losses = []
            for x, y in DataLoader(tests, batch_size=8, drop_last=True):  # expect: XLA202
                losses.append(torch.nn.functional.mse_loss(model(x.to(device)), y.to(device)))
            print(torch.stack(losses).mean().item())


def cuts_each(data):
    loader = DataLoader(data, batch_size=8, drop_last=True)
    for epoch in range(10):
        train(loader)
        total = 0
        for x, y in loader:  # quiet: each batch is a step
            with torch_xla.step():
                total += torch.nn.functional.mse_loss(model(x.to(device)), y.to(device))
        print(total.item())


def reads_each(data):
    loader = DataLoader(data, batch_size=8, drop_last=True)
    for epoch in range(10):
        train(loader)
        total = 0
        for x, y in loader:  # quiet: each batch is read, and nobody keeps anything else of it
            total += (model(x.to(device)).argmax(1) == y.to(device)).sum().item()
        print(total)


def over_a_loader_of_xla(data):
    loader = pl.MpDeviceLoader(DataLoader(data, batch_size=8, drop_last=True), device)
    for epoch in range(10):
        train(loader)
        total = 0
        for x, y in loader:  # quiet: the loader cuts
            total += torch.nn.functional.mse_loss(model(x), y)
        print(total.item())


def over_the_layers(data):
    loader = DataLoader(data, batch_size=8, drop_last=True)
    for epoch in range(10):
        train(loader)
        norm = 0
        for parameter in model.parameters():  # quiet: no batches
            norm += parameter.square().sum()
        print(norm.item())
