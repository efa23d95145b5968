# ruff: noqa
# mypy: ignore-errors
"""A model of which only that is known: it was moved to the host, or it was not."""

import torch
import torch_xla
from somewhere import make
from torch.utils.data import DataLoader

device = torch_xla.device()


def by_its_method():
    model = make()
    model = model.cpu()
    features = torch.randn(4, 4)
    optimizer = torch.optim.Adam(model.parameters())
    for _ in range(100):
        optimizer.zero_grad()
        loss = model(features).square().mean()
        print(loss.item())
        loss.backward()
        optimizer.step()


def by_name():
    model = make().to("cpu")
    features = torch.randn(4, 4)
    optimizer = torch.optim.Adam(model.parameters())
    for _ in range(100):
        optimizer.zero_grad()
        loss = model(features).square().mean()
        print(loss.item())
        loss.backward()
        optimizer.step()


def to_the_device_again():
    model = make().cpu()
    model = model.to(device)
    features = torch.randn(4, 4).to(device)
    optimizer = torch.optim.Adam(model.parameters())
    for _ in range(100):  # expect: XLA202
        optimizer.zero_grad()
        loss = model(features).square().mean()
        print(loss.item())
        loss.backward()
        optimizer.step()


def by_a_statement(dataset):
    model = make()
    model.to(torch.device("cpu"))
    optimizer = torch.optim.Adam(model.parameters())
    for batch in DataLoader(dataset, batch_size=8, drop_last=True):
        optimizer.zero_grad()
        loss = model(batch).square().mean()
        loss.backward()
        optimizer.step()
    torch.save(model.state_dict(), "model.pt")


def to_the_device_by_a_statement(dataset):
    model = make()
    model.to(device)
    optimizer = torch.optim.Adam(model.parameters())
    for batch in DataLoader(dataset, batch_size=8, drop_last=True):  # expect: XLA202
        optimizer.zero_grad()
        loss = model(batch).square().mean()
        loss.backward()
        optimizer.step()
    torch.save(model.state_dict(), "model.pt")  # expect: XLA601
