# ruff: noqa
# mypy: ignore-errors
"""The device is what a file of settings says, if one of them says that it is one of XLA."""

import sys

import torch
import torch_xla
import yaml
from omegaconf import OmegaConf

cfg = OmegaConf.load(sys.argv[1])


def attributes(loader):
    device = torch.device(cfg.run.device)
    model = torch.nn.Linear(8, 8).to(device)
    for batch in loader:
        loss = model(batch.to(device)).sum()
        print(loss.item())  # expect: XLA102 likely
        loss.backward()
        torch_xla.sync()  # expect: XLA201


def keys(loader, path):
    with open(path) as file:
        said = yaml.safe_load(file)
    device = said["teacher"]["device"]
    model = torch.nn.Linear(8, 8).to(device)
    for batch in loader:
        loss = model(batch.to(device)).sum()
        print(loss.item())  # expect: XLA102 likely
        loss.backward()
        torch_xla.sync()  # expect: XLA201


def inline(loader, config):
    model = torch.nn.Linear(8, 8).to(config.student.device)
    for batch in loader:
        loss = model(batch.to(config.student.device)).sum()
        print(loss.item())  # expect: XLA102 likely
        loss.backward()
        torch_xla.sync()  # expect: XLA201


def asked_for(loader, settings):
    device = settings.get("student").get("device", "cpu")
    model = torch.nn.Linear(8, 8).to(device)
    for batch in loader:
        loss = model(batch.to(device)).sum()
        print(loss.item())  # expect: XLA102 likely
        loss.backward()
        torch_xla.sync()  # expect: XLA201


def of_the_host(loader):
    model = torch.nn.Linear(8, 8).to(cfg.logging.device)
    for batch in loader:
        loss = model(batch.to(cfg.logging.device)).sum()
        print(loss.item())  # quiet: the host computes
        loss.backward()
        torch_xla.sync()  # expect: XLA201


def of_something_else(loader, student):
    model = torch.nn.Linear(8, 8).to(student.device)
    for batch in loader:
        loss = model(batch.to(student.device)).sum()
        print(loss.item())  # quiet: nobody knows where the student is
        loss.backward()
        torch_xla.sync()  # expect: XLA201
