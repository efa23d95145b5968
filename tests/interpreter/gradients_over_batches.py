# ruff: noqa
# mypy: ignore-errors
"""Gradients of several batches of a loader, and a marker between the last backward and the update."""

import torch
import torch_xla
import torch_xla.distributed.parallel_loader as pl
from torch.utils.data import DataLoader, TensorDataset

device = torch_xla.device()
samples = TensorDataset(torch.randn(40, 4), torch.randn(40, 1))


def made():
    model = torch.nn.Linear(4, 1).to(device)
    return model, torch.optim.SGD(model.parameters(), lr=0.1)


def loss_of(model, data, target):
    return torch.nn.functional.mse_loss(model(data), target)


def the_loader_ends_the_other_batches(every):
    model, optimizer = made()
    for index, (data, target) in enumerate(pl.MpDeviceLoader(DataLoader(samples, batch_size=5), device)):
        loss_of(model, data, target).backward()
        if (index + 1) % every == 0:
            torch_xla.sync()
            optimizer.step()
            optimizer.zero_grad()


def dropped_by_the_first_batch(every):
    model, optimizer = made()
    for index, (data, target) in enumerate(pl.MpDeviceLoader(DataLoader(samples, batch_size=5), device)):
        if index % every == 0:
            optimizer.zero_grad()
        loss_of(model, data, target).backward()
        if (index + 1) % every == 0:
            torch_xla.sync()
            optimizer.step()


def kept_by_the_others(every):
    model, optimizer = made()
    for index, (data, target) in enumerate(pl.MpDeviceLoader(DataLoader(samples, batch_size=5), device)):
        if index % every != 0:
            print("more of the same")
        else:
            optimizer.zero_grad()
        loss_of(model, data, target).backward()
        if (index + 1) % every == 0:
            torch_xla.sync()
            optimizer.step()


def update(optimizer):
    torch_xla.sync()
    optimizer.step()
    optimizer.zero_grad()


def updated_by_a_function(every):
    model, optimizer = made()
    for index, (data, target) in enumerate(pl.MpDeviceLoader(DataLoader(samples, batch_size=5), device)):
        loss_of(model, data, target).backward()
        if (index + 1) % every == 0:
            update(optimizer)


def of_two_optimizers(every):
    model, optimizer = made()
    other, second = made()
    for index, (data, target) in enumerate(pl.MpDeviceLoader(DataLoader(samples, batch_size=5), device)):
        (loss_of(model, data, target) + loss_of(other, data, target)).backward()
        if (index + 1) % every == 0:
            torch_xla.sync()
            optimizer.step()
            torch_xla.sync()
            second.step()
            optimizer.zero_grad()
            second.zero_grad()


def of_one_batch():
    model, optimizer = made()
    for data, target in pl.MpDeviceLoader(DataLoader(samples, batch_size=5), device):
        loss_of(model, data, target).backward()
        torch_xla.sync()  # expect: XLA205
        optimizer.step()
        optimizer.zero_grad()


def of_one_batch_each_time(epochs):
    model, optimizer = made()
    for _ in range(epochs):
        for data, target in pl.MpDeviceLoader(DataLoader(samples, batch_size=5), device):
            optimizer.zero_grad()
            loss_of(model, data, target).backward()
            torch_xla.sync()  # expect: XLA205
            optimizer.step()


def nothing_ends_the_other_batches(every):
    model, optimizer = made()
    for index, (data, target) in enumerate(DataLoader(samples, batch_size=5)):
        loss_of(model, data.to(device), target.to(device)).backward()
        if (index + 1) % every == 0:
            torch_xla.sync()  # expect: XLA205
            optimizer.step()
            optimizer.zero_grad()
            torch_xla.sync()


class Trainer:
    def __init__(self, every):
        self.model, self.optimizer = made()
        self.every = every

    def called_for_each_batch(self, data, target, index):
        loss_of(self.model, data, target).backward()
        torch_xla.sync()
        if (index + 1) % self.every == 0:
            self.optimizer.step()
            self.optimizer.zero_grad()

    def called_for_each_batch_and_steps_in_a_function(self, data, target, index):
        loss_of(self.model, data, target).backward()
        torch_xla.sync()
        if (index + 1) % self.every == 0:
            self.step()

    def called_for_each_batch_and_marks_before_the_step(self, data, target, index):
        loss_of(self.model, data, target).backward()
        if (index + 1) % self.every == 0:
            torch_xla.sync()  # expect: XLA205
            self.optimizer.step()
            self.optimizer.zero_grad()

    def called_for_each_batch_and_calls_all_the_rest(self, data, target, index):
        loss_of(self.model, data, target).backward()
        if (index + 1) % self.every == 0:
            self.mark()
            self.optimizer.step()
            self.optimizer.zero_grad()

    def called_for_each_batch_and_always_steps(self, data, target, index):
        loss_of(self.model, data, target).backward()
        torch_xla.sync()  # expect: XLA205
        self.step()

    def step(self):
        self.optimizer.step()
        self.optimizer.zero_grad()

    def mark(self):
        torch_xla.sync()  # expect: XLA205
