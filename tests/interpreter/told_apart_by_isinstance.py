# ruff: noqa
# mypy: ignore-errors
"""What a program asks by `isinstance` of a model, an optimizer or a loader: the arms for others are not entered."""

import torch
import torch_xla
from torch.utils.data import DataLoader

device = torch_xla.device()
model = torch.nn.Linear(4, 4).to(device)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)


def loss_of(batch):
    return model(batch.to(device)).mean()


def of_a_model(batches):
    for batch in batches:
        loss = loss_of(batch)
        if isinstance(model, torch.optim.Optimizer):
            print(loss.item())
        elif isinstance(model, DataLoader):
            print(loss.item())
        torch_xla.sync()  # expect: XLA201


def of_an_optimizer(batches):
    for batch in batches:
        loss = loss_of(batch)
        if isinstance(optimizer, (DataLoader, torch.nn.Module)):
            print(loss.item())
        else:
            print(loss.item())  # expect: XLA102
        torch_xla.sync()  # expect: XLA201


def of_a_loader(data):
    loader = DataLoader(data, batch_size=4)
    for batch in loader:
        loss = loss_of(batch)
        if isinstance(loader, torch.nn.Module):
            print(loss.item())
        torch_xla.sync()  # expect: XLA201


def of_one_of_two(batches):
    for batch in batches:
        loss = loss_of(batch)
        if isinstance(optimizer, (torch.nn.Module, torch.optim.Optimizer)):
            print(loss.item())  # expect: XLA102
        torch_xla.sync()  # expect: XLA201


def of_which_optimizer(batches):
    for batch in batches:
        loss = loss_of(batch)
        if isinstance(optimizer, torch.optim.Adam):
            print(loss.item())  # expect: XLA102
        torch_xla.sync()  # expect: XLA201


def of_what_may_be_either(batches, with_model):
    part = model if with_model else optimizer
    for batch in batches:
        loss = loss_of(batch)
        if isinstance(part, torch.nn.Module):
            print(loss.item())  # expect: XLA102
        torch_xla.sync()  # expect: XLA201
