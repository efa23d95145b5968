# ruff: noqa
# mypy: ignore-errors
"""Models and losses that get a tensor on the CPU beside what is on the device raise, and what follows is a note."""

import torch
import torch.nn.functional as F
import torch_xla
import torchvision
from torch.utils.data import DataLoader, TensorDataset

device = torch_xla.device()
rows = TensorDataset(torch.ones(8, 4), torch.ones(8, dtype=torch.long))


def of_a_library(make_optimizer):
    model = torchvision.models.resnet18().to(device)
    for inputs, labels in DataLoader(rows, batch_size=4):
        loss = model(inputs).mean()
        print(loss.item())  # expect: XLA102 likely
        loss.backward()
        torch_xla.sync()  # expect: XLA201 likely


def of_a_library_as_it_should_be(make_optimizer):
    model = torchvision.models.resnet18().to(device)
    for inputs, labels in DataLoader(rows, batch_size=4):
        loss = model(inputs.to(device)).mean()
        print(loss.item())  # expect: XLA102
        loss.backward()
        torch_xla.sync()  # expect: XLA201


def labels_of_a_loss():
    model = torch.nn.Linear(4, 4).to(device)
    criterion = torch.nn.CrossEntropyLoss()
    for inputs, labels in DataLoader(rows, batch_size=4):
        loss = criterion(model(inputs.to(device)), labels)
        print(loss.item())  # expect: XLA102 likely
        loss.backward()
        torch_xla.sync()  # expect: XLA201 likely


def labels_of_a_function():
    model = torch.nn.Linear(4, 4).to(device)
    for inputs, labels in DataLoader(rows, batch_size=4):
        loss = F.cross_entropy(model(inputs.to(device)), labels)
        print(loss.item())  # expect: XLA102 likely
        loss.backward()
        torch_xla.sync()  # expect: XLA201 likely


def labels_on_the_device():
    model = torch.nn.Linear(4, 4).to(device)
    criterion = torch.nn.CrossEntropyLoss()
    for inputs, labels in DataLoader(rows, batch_size=4):
        loss = criterion(model(inputs.to(device)), labels.to(device))
        print(loss.item())  # expect: XLA102
        loss.backward()
        torch_xla.sync()  # expect: XLA201


def labels_that_the_engine_copies():
    model = torch.nn.Linear(4, 4).to(device)
    for inputs, labels in DataLoader(rows, batch_size=4):
        loss = torch.nn.L1Loss()(model(inputs.to(device)), inputs)
        print(loss.item())  # expect: XLA102
        loss.backward()
        torch_xla.sync()  # expect: XLA201


def of_samples_that_nobody_knows(samples):
    model = torch.nn.Linear(4, 4).to(device)
    for inputs, labels in DataLoader(samples, batch_size=4):
        loss = F.cross_entropy(model(inputs), labels)
        print(loss.item())  # expect: XLA102
        loss.backward()
        torch_xla.sync()  # expect: XLA201


def put_together_on_the_device(samples):
    model = torch.nn.Linear(4, 4).to(device)
    for inputs, labels in DataLoader(rows, batch_size=4, collate_fn=lambda rows: samples):
        loss = F.cross_entropy(model(inputs), labels)
        print(loss.item())  # expect: XLA102
        loss.backward()
        torch_xla.sync()  # expect: XLA201
