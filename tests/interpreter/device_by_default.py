# ruff: noqa
# mypy: ignore-errors
"""An option that is XLA's device by default is that one, also where settings hand it on."""

import argparse

import torch
import torch_xla


class Settings:
    def __init__(self):
        self.rate = 0.1
        self.device = "cpu"
        self.other = "cpu"

    def set_other(self, device):
        self.other = device


def train_by_attribute(settings, batches):
    model = torch.nn.Linear(4, 1).to(settings.device)
    for x in batches:
        loss = model(x.to(settings.device)).sum()
        loss.backward()
        print(loss.item())  # expect: XLA102
        torch_xla.sync()  # expect: XLA201


def train_by_method(settings, batches):
    model = torch.nn.Linear(4, 1).to(settings.other)
    for x in batches:
        loss = model(x.to(settings.other)).sum()
        loss.backward()
        print(loss.item())  # expect: XLA102
        torch_xla.sync()  # expect: XLA201


def train_on_the_host(device, batches):
    model = torch.nn.Linear(4, 1).to(device)
    for x in batches:
        loss = model(x.to(device)).sum()
        loss.backward()
        print(loss.item())
        torch_xla.sync()  # expect: XLA201


def train_where_asked(args, batches):
    device = torch_xla.device() if args.device == "xla" else torch.device("cpu")
    model = torch.nn.Linear(4, 1).to(device)
    for x in batches:
        loss = model(x.to(device)).sum()
        loss.backward()
        print(loss.item())  # expect: XLA102
        torch_xla.sync()  # expect: XLA201


def main(batches):
    parser = argparse.ArgumentParser()
    parser.add_argument("--device", choices=["cpu", "xla"], default="xla")
    parser.add_argument("--eval-device", default="cpu")
    args = parser.parse_args()
    settings = Settings()
    settings.device = args.device
    settings.set_other(args.device)
    train_by_attribute(settings, batches)
    train_by_method(settings, batches)
    train_on_the_host(args.eval_device, batches)
    train_where_asked(args, batches)
