# ruff: noqa
# mypy: ignore-errors
"""What watches a model reads at times what it has, and cuts nothing."""

import torch
import torch_xla
import wandb
from house import hooks
from torch.utils.data import DataLoader

device = torch_xla.device()


def watched(dataset):
    model = torch.nn.Linear(8, 1).to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    wandb.watch(model, log_freq=10)
    for x, y in DataLoader(dataset, batch_size=4, drop_last=True):  # expect: XLA202
        optimizer.zero_grad()
        torch.nn.functional.mse_loss(model(x.to(device)), y.to(device)).backward()
        optimizer.step()


def watched_by_a_run(dataset):
    run = wandb.init(project="lines")
    model = torch.nn.Linear(8, 1).to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    run.watch(model)
    for x, y in DataLoader(dataset, batch_size=4, drop_last=True):  # expect: XLA202
        optimizer.zero_grad()
        torch.nn.functional.mse_loss(model(x.to(device)), y.to(device)).backward()
        optimizer.step()
    run.unwatch(model)


def watched_and_cut(dataset):
    model = torch.nn.Linear(8, 1).to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    wandb.watch(model)
    for x, y in DataLoader(dataset, batch_size=4, drop_last=True):
        with torch_xla.step():
            optimizer.zero_grad()
            torch.nn.functional.mse_loss(model(x.to(device)), y.to(device)).backward()
            optimizer.step()


def hooked_by_who_knows_whom(dataset):
    model = torch.nn.Linear(8, 1).to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    hooks.watch(model)
    for x, y in DataLoader(dataset, batch_size=4, drop_last=True):
        optimizer.zero_grad()
        torch.nn.functional.mse_loss(model(x.to(device)), y.to(device)).backward()
        optimizer.step()
