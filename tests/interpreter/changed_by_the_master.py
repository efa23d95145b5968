# ruff: noqa
# mypy: ignore-errors
"""Tensors that some replicas alone change: whether their graph holds a sum in which all replicas meet."""

import torch
import torch_xla
import torch_xla.core.xla_model as xm


def parts():
    device = torch_xla.device()
    model = torch.nn.Linear(4, 1).to(device)
    average = [p.detach().clone() for p in model.parameters()]
    total = torch.zeros((), device=device)
    torch_xla.sync()
    return device, model, torch.optim.SGD(model.parameters(), lr=0.1), average, total


@torch.no_grad()
def follow(average, model):
    for mean, p in zip(average, model.parameters()):
        mean.mul_(0.9).add_(p, alpha=0.1)


def by_the_master(index):
    device, model, optimizer, average, total = parts()
    for x in torch.randn(6, 8, 4).to(device):
        with torch_xla.step():
            optimizer.zero_grad()
            loss = model(x).mean()
            loss.backward()
            xm.optimizer_step(optimizer)
            if xm.is_master_ordinal():
                follow(average, model)  # expect: XLA502
                total += loss.detach()  # expect: XLA502


def by_all(index):
    device, model, optimizer, average, total = parts()
    for x in torch.randn(6, 8, 4).to(device):
        with torch_xla.step():
            optimizer.zero_grad()
            loss = model(x).mean()
            loss.backward()
            xm.optimizer_step(optimizer)
            total += loss.detach()
            for mean, p in zip(average, model.parameters()):
                mean.lerp_(p.detach(), 0.1)
            if xm.is_master_ordinal():
                print("step")


def what_the_master_makes_and_lets_go(index):
    device, model, optimizer, average, total = parts()
    for x in torch.randn(6, 8, 4).to(device):
        with torch_xla.step():
            optimizer.zero_grad()
            model(x).mean().backward()
            xm.optimizer_step(optimizer)
            if xm.is_master_ordinal():
                noise = torch.randn(4, device=device)
                noise.mul_(2)


def without_a_sum(index):
    device, model, optimizer, average, total = parts()
    for x in torch.randn(6, 8, 4).to(device):
        with torch_xla.step():
            loss = model(x).mean()
            if xm.is_master_ordinal():
                total += loss.detach()


def on_the_host(index):
    device, model, optimizer, average, total = parts()
    average = [p.cpu() for p in average]
    for x in torch.randn(6, 8, 4).to(device):
        with torch_xla.step():
            optimizer.zero_grad()
            model(x).mean().backward()
            xm.optimizer_step(optimizer)
        if xm.is_master_ordinal():
            for mean, p in zip(average, model.parameters()):
                mean.lerp_(p.detach().cpu(), 0.1)


if __name__ == "__main__":
    torch_xla.launch(by_the_master)  # expect: XLA517 likely
    torch_xla.launch(by_all)  # expect: XLA517 likely
    torch_xla.launch(what_the_master_makes_and_lets_go)  # expect: XLA517 likely
    torch_xla.launch(without_a_sum)
    torch_xla.launch(on_the_host)  # expect: XLA517 likely
