# ruff: noqa
# mypy: ignore-errors
"""A layer on the device takes no tensor of the CPU: what comes after is a note."""

import torch
import torch_xla
from torch.utils.data import DataLoader, TensorDataset


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(4, 1)

    def forward(self, x, scale=None):
        return self.layer(x) if scale is None else self.layer(x) * scale


class Moving(Model):
    def forward(self, x):
        return self.layer(x.to(torch_xla.device()))


class Chosen(Model):
    def choose(self):
        self.forward = lambda x, y, z: self.layer(x)


class Folder(torch.utils.data.Dataset):
    """Its samples may be anywhere: this file knows devices."""

    def __getitem__(self, number):
        return torch.ones(4) * number


device = torch_xla.device()


def left_on_the_host(optimizer):
    model = Model().to(device)
    x = torch.randn(8, 4)
    for _ in range(8):
        loss = model(x).sum()
        loss.backward()
        print(loss.item())  # expect: XLA102 likely
        optimizer.step()
        torch_xla.sync()  # expect: XLA201 likely


def batches_left_on_the_host(optimizer):
    model = Model().to(device)
    for x, y in DataLoader(TensorDataset(torch.randn(8, 4), torch.randn(8, 1)), batch_size=4):
        loss = (model(x) - y).sum()
        loss.backward()
        print(loss.item())  # expect: XLA102 likely
        optimizer.step()
        torch_xla.sync()  # expect: XLA201 likely


def moved_for_others_alone(optimizer, cuda=False):
    model = torch.nn.Sequential(torch.nn.Flatten(), torch.nn.Linear(4, 1)).to(device)
    for x, y in DataLoader(TensorDataset(torch.randn(8, 4), torch.randn(8, 1)), batch_size=4):
        if torch.cuda.is_available():
            x, y = x.to("cuda"), y.to("cuda")
        loss = (model(x) - y).sum()
        loss.backward()
        print(loss.item())  # expect: XLA102 likely
        optimizer.step()
        torch_xla.sync()  # expect: XLA201 likely


def moved(optimizer):
    model = Model().to(device)
    x = torch.randn(8, 4)
    for _ in range(8):
        loss = model(x.to(device)).sum()
        loss.backward()
        print(loss.item())  # expect: XLA102
        optimizer.step()
        torch_xla.sync()  # expect: XLA201


def moved_by_the_model(optimizer):
    model = Moving().to(device)
    x = torch.randn(8, 4)
    for _ in range(8):
        loss = model(x).sum()
        loss.backward()
        print(loss.item())  # expect: XLA102
        optimizer.step()
        torch_xla.sync()  # expect: XLA201


def moved_perhaps(optimizer, moves):
    model = Model().to(device)
    x = torch.randn(8, 4)
    if moves:
        x = x.to(device)
    for _ in range(8):
        loss = model(x).sum()
        loss.backward()
        print(loss.item())  # expect: XLA102
        optimizer.step()
        torch_xla.sync()  # expect: XLA201


def computed_with(optimizer):
    """The engine moves what is added or multiplied by itself."""
    model = Model().to(device)
    for x in DataLoader(torch.randn(8, 4), batch_size=4):
        loss = model(x.to(device), torch.ones(1)).sum() + torch.zeros(1)
        loss.backward()
        print(loss.item())  # expect: XLA102
        optimizer.step()
        torch_xla.sync()  # expect: XLA201


def of_a_folder(optimizer):
    model = Model().to(device)
    for x in DataLoader(Folder(), batch_size=4):
        loss = model(x).sum()
        loss.backward()
        print(loss.item())  # expect: XLA102
        optimizer.step()
        torch_xla.sync()  # expect: XLA201


def without_weights(optimizer, loader):
    model, criterion = Model().to(device), torch.nn.MSELoss().to(device)
    for x, y in loader:
        loss = model(x.to(device)).sum()
        criterion(torch.zeros(4), torch.ones(4))
        loss.backward()
        print(loss.item())  # expect: XLA102
        optimizer.step()
        torch_xla.sync()  # expect: XLA201


def given_too_much(optimizer, loader):
    model = Model().to(device)
    for x, y in loader:
        loss = model(x.to(device), y.to(device), 3).sum()
        loss.backward()
        print(loss.item())  # expect: XLA102 likely
        optimizer.step()
        torch_xla.sync()  # expect: XLA201 likely


def asked_for_its_wrapper(optimizer, loader):
    model = Model().to(device)
    with model.join():
        for x in loader:
            loss = model(x.to(device)).sum()
            loss.backward()
            print(loss.item())  # expect: XLA102 likely
            optimizer.step()
            torch_xla.sync()  # expect: XLA201 likely


def asked_for_something_else(optimizer, loader):
    model = Model().to(device)
    model.fuse()
    for x in loader:
        loss = model(x.to(device)).sum()
        loss.backward()
        print(loss.item())  # expect: XLA102
        optimizer.step()
        torch_xla.sync()  # expect: XLA201


def given_what_it_chose(optimizer, loader):
    model = Chosen().to(device)
    model.choose()
    for x, y in loader:
        loss = model(x.to(device), y.to(device), 3).sum()
        loss.backward()
        print(loss.item())  # expect: XLA102
        optimizer.step()
        torch_xla.sync()  # expect: XLA201
