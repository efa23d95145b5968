# ruff: noqa
# mypy: ignore-errors
"""Loops that are left early in a function which trains a model of its own: with that goes what its last step has
left, unless somebody else holds it."""

import torch
import torch_xla
import torch_xla.core.xla_model as xm
import torch_xla.distributed.parallel_loader as pl

device = torch_xla.device()
shared = torch.nn.Linear(4, 1).to(device)
kept = []


def made():
    return torch.nn.Linear(4, 1).to(device)


# Told: somebody holds the model -----------------------------------------------------------------


def given(model, loader):
    net = model.to(device)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    for step, x in enumerate(pl.MpDeviceLoader(loader, device)):
        net(x).mean().backward()
        optimizer.step()
        if step == 20:
            break  # expect: XLA203
    return step


def of_the_module(loader):
    net = shared
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    for step, x in enumerate(pl.MpDeviceLoader(loader, device)):
        net(x).mean().backward()
        optimizer.step()
        if step == 20:
            break  # expect: XLA203
    return step


def returned(loader):
    net = torch.nn.Linear(4, 1).to(device)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    for step, x in enumerate(pl.MpDeviceLoader(loader, device)):
        net(x).mean().backward()
        optimizer.step()
        if step == 20:
            break  # expect: XLA203
    return step, net


def with_its_loss(loader):
    net = torch.nn.Linear(4, 1).to(device)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    for step, x in enumerate(pl.MpDeviceLoader(loader, device)):
        loss = net(x).mean()
        loss.backward()
        optimizer.step()
        if step == 20:
            break  # expect: XLA203
    return loss


def put_into_a_list(loader, nets):
    net = torch.nn.Linear(4, 1).to(device)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    nets.append(net)
    for step, x in enumerate(pl.MpDeviceLoader(loader, device)):
        net(x).mean().backward()
        optimizer.step()
        if step == 20:
            break  # expect: XLA203
    return step


def put_into_a_list_of_the_module(loader):
    net = torch.nn.Linear(4, 1).to(device)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    kept.append(optimizer)
    for step, x in enumerate(pl.MpDeviceLoader(loader, device)):
        net(x).mean().backward()
        optimizer.step()
        if step == 20:
            break  # expect: XLA203
    return step


def around(loader):
    net = torch.nn.Linear(4, 1).to(device)

    def train():
        optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
        for step, x in enumerate(pl.MpDeviceLoader(loader, device)):
            net(x).mean().backward()
            optimizer.step()
            if step == 20:
                break  # expect: XLA203

    train()
    torch.save(net.state_dict(), "net.pt")  # expect: XLA601


class Trainer:
    def run(self, loader):
        self.net = torch.nn.Linear(4, 1).to(device)
        optimizer = torch.optim.SGD(self.net.parameters(), lr=0.1)
        for step, x in enumerate(pl.MpDeviceLoader(loader, device)):
            self.net(x).mean().backward()
            optimizer.step()
            if step == 20:
                break  # expect: XLA203


def saved_below(loader):
    net = torch.nn.Linear(4, 1).to(device)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    for step, x in enumerate(pl.MpDeviceLoader(loader, device)):
        net(x).mean().backward()
        optimizer.step()
        if step == 20:
            break  # expect: XLA203
    xm.save(net.state_dict(), "net.pt")


# Silent: nobody does ----------------------------------------------------------------------------


def gone(loader):
    net = torch.nn.Linear(4, 1).to(device)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    for step, x in enumerate(pl.MpDeviceLoader(loader, device)):
        net(x).mean().backward()
        xm.optimizer_step(optimizer)
        if step == 20:
            break
    return step


def followed_by_other_work(loader):
    gone(loader)
    score = made()(torch.ones(8, 4, device=device)).mean()
    torch_xla.sync()
    return score


def fit(net, optimizer, loader):
    for step, x in enumerate(pl.MpDeviceLoader(loader, device)):
        net(x).mean().backward()
        optimizer.step()
        if step == 20:
            break


def trained_by_another(loader):
    net = torch.nn.Linear(4, 1).to(device)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    fit(net, optimizer, loader)
