# ruff: noqa
# mypy: ignore-errors
"""Lists and objects that a mapping holds, and what is put into them where they are."""

import collections
from collections import defaultdict, deque

import torch
import torch_xla
import torch_xla.distributed.parallel_loader as pl

device = torch_xla.device()
model = torch.nn.Linear(4, 4).to(device)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)


def step(x):
    optimizer.zero_grad()
    loss = model(x).sum()
    loss.backward()
    optimizer.step()
    return loss


def losses_by_name(loader):
    history = {"train": [], "val": []}
    for x in pl.MpDeviceLoader(loader, device):
        history["train"].append(step(x).detach())
        print(history["train"][-1])  # expect: XLA102


def numbers_by_name(loader):
    history = {"train": [], "val": []}
    for x in pl.MpDeviceLoader(loader, device):
        step(x)
        history["train"].append(x.shape[0])
        print(history["train"][-1])


def lists_made_when_asked_for(loader, name):
    history = defaultdict(list)
    for x in pl.MpDeviceLoader(loader, device):
        history[name].append(step(x).detach())
        print(sum(history[name]))  # expect: XLA102


def the_last_few(loader):
    recent = deque(maxlen=20)
    for x in pl.MpDeviceLoader(loader, device):
        recent.append(step(x).detach())
        print(sum(recent) / len(recent))  # expect: XLA102


def read_when_all_has_run(loader):
    history = collections.defaultdict(list)
    for x in pl.MpDeviceLoader(loader, device):
        history["loss"].append(step(x).detach())
    return torch.stack(history["loss"]).mean().item()


class Smoothed:
    def __init__(self):
        self.total, self.count = 0.0, 0

    def update(self, value):
        self.total += value
        self.count += 1

    def show(self):
        print(float(self.total) / self.count)


def meters_made_when_asked_for(loader):
    meters = defaultdict(Smoothed)
    for x in pl.MpDeviceLoader(loader, device):
        loss = step(x)
        for name, value in {"loss": loss.detach()}.items():
            meters[name].update(value)
        for meter in meters.values():
            meter.show()  # expect: XLA102


def meters_of_numbers(loader):
    meters = defaultdict(Smoothed)
    for x in pl.MpDeviceLoader(loader, device):
        step(x)
        meters["rows"].update(x.shape[0])


def show(loss):
    print(loss)


def note(loss):
    pass


def hooks_by_event(loader):
    hooks = defaultdict(list)
    hooks["step"].append(show)
    hooks["step"].extend([note])
    for x in pl.MpDeviceLoader(loader, device):
        loss = step(x)
        for hook in hooks["step"]:
            hook(loss)  # expect: XLA102


def parameters_by_group(model):
    groups = {}
    for name, parameter in model.named_parameters():
        group = f"{name.split('.')[0]}, {parameter.ndim > 1}"
        if group not in groups:
            groups[group] = {"lr": 0.1, "params": []}
        groups[group]["params"].append(parameter)
    return list(groups.values())


def moved_after_its_optimizer():
    model = torch.nn.Linear(4, 4)
    optimizer = torch.optim.SGD(parameters_by_group(model), lr=0.1)
    model.to(device)  # expect: XLA701
    model(torch.ones(4, 4, device=device)).sum().backward()
    optimizer.step()
