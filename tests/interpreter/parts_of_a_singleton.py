# ruff: noqa
# mypy: ignore-errors
"""What an object of one's own making holds is known wherever that one is asked for, as by a function that makes it once."""

import os
from dataclasses import dataclass
from typing import Any

import torch
import torch_xla


@dataclass
class Where:
    name: str
    device: Any


class Manager:
    def __init__(self):
        self.where = self.look()

    def look(self):
        return Where(name="tpu", device=torch_xla.device())

    @property
    def device(self):
        return self.where.device


class HostManager:
    def __init__(self):
        self.place = Place("cpu", torch.device("cpu"))

    @property
    def device(self):
        return self.place.device


@dataclass
class Place:
    name: str
    device: Any


_manager = None
_host_manager = None


def get_manager():
    global _manager
    if _manager is None:
        _manager = Manager()
    return _manager


def get_host_manager():
    global _host_manager
    if _host_manager is None:
        _host_manager = HostManager()
    return _host_manager


def train(batches):
    device = get_manager().device
    model = torch.nn.Linear(4, 4).to(device)
    for batch in batches:
        loss = model(batch.to(device)).mean()
        print(loss.item())  # expect: XLA102
        loss.backward()
        torch_xla.sync()  # expect: XLA201


def train_by_its_part(batches):
    device = get_manager().where.device
    model = torch.nn.Linear(4, 4).to(device)
    for batch in batches:
        loss = model(batch.to(device)).mean()
        print(loss.item())  # expect: XLA102
        loss.backward()
        torch_xla.sync()  # expect: XLA201


def train_on_the_host(batches):
    device = get_host_manager().device
    model = torch.nn.Linear(4, 4).to(device)
    for batch in batches:
        loss = model(batch.to(device)).mean()
        print(loss.item())
        loss.backward()
        torch_xla.sync()  # expect: XLA201


def train_with_one_that_is_given(batches, where: Where):
    device = where.device
    model = torch.nn.Linear(4, 4).to(device)
    for batch in batches:
        loss = model(batch.to(device)).mean()
        print(loss.item())
        loss.backward()
        torch_xla.sync()  # expect: XLA201
