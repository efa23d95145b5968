"""Arguments and settings that nobody knows are given a device, and hand it on."""

import argparse

import torch
import torch_xla
import torch_xla.distributed.parallel_loader as pl

from settings import load, model_of


def train(args, model, loader, optimizer):
    for inputs, target in loader:
        inputs, target = inputs.to(args.device), target.to(args.device)
        optimizer.zero_grad()
        loss = torch.nn.functional.cross_entropy(model(inputs), target)
        loss.backward()
        optimizer.step()
        print(loss.item())  # expect: XLA102
        torch_xla.sync()  # expect: XLA201


def by_attribute(loader):
    args = argparse.ArgumentParser().parse_args()
    args.device = torch_xla.device()
    model = model_of(args).to(args.device)
    train(args, model, loader, torch.optim.SGD(model.parameters(), lr=args.lr))


def by_key(loader):
    settings = load()
    settings["device"] = torch_xla.device()
    settings["loader"] = pl.MpDeviceLoader(loader, settings["device"])
    model = model_of(settings).to(settings["device"])
    for batch in settings["loader"]:
        score = model(batch).mean()
        print(score.item())  # expect: XLA102


def given_another(loader):
    settings = load()
    settings.device = torch_xla.device()
    settings.device = torch.device("cpu")
    model = torch.nn.Linear(8, 8).to(settings.device)
    for batch in loader:
        print(model(batch.to(settings.device)).mean().item())
