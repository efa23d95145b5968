# ruff: noqa
# mypy: ignore-errors
"""Loops that keep the gradients of each batch, and never cut: they drop them in each round, so they do not add
them up for one graph."""

import torch
import torch_xla
from torch.utils.data import DataLoader, TensorDataset

device = torch_xla.device()
model = torch.nn.Sequential(torch.nn.Linear(8, 8), torch.nn.ReLU(), torch.nn.Linear(8, 4)).to(device)
loader = DataLoader(TensorDataset(torch.randn(16, 8), torch.randint(4, (16,))), batch_size=4)


def loss_of(inputs, labels):
    return torch.nn.functional.cross_entropy(model(inputs.to(device)), labels.to(device))


def in_a_list():
    kept = []
    for inputs, labels in loader:  # expect: XLA202
        model.zero_grad()
        loss_of(inputs, labels).backward()
        kept.append(model[0].weight.grad.clone())
    return torch.stack(kept).mean(0).cpu()


def in_a_dict():
    squares = {name: torch.zeros_like(p) for name, p in model.named_parameters()}
    for inputs, labels in loader:  # expect: XLA202
        model.zero_grad()
        loss_of(inputs, labels).backward()
        for name, p in model.named_parameters():
            squares[name] += p.grad.detach() ** 2
    return {name: each.cpu() for name, each in squares.items()}


def of_each_or_of_all_before(of_each):
    kept = []
    for inputs, labels in loader:  # expect: XLA202
        if of_each:
            model.zero_grad()
        loss_of(inputs, labels).backward()
        kept.append(model[0].weight.grad.clone())
    return torch.stack(kept).mean(0).cpu()


def cut_in_each_round():
    kept = []
    for inputs, labels in loader:
        with torch_xla.step():
            model.zero_grad()
            loss_of(inputs, labels).backward()
            kept.append(model[0].weight.grad.clone())
    return torch.stack(kept).mean(0).cpu()


def added_up():
    model.zero_grad()
    total = 0.0
    for inputs, labels in loader:
        loss = loss_of(inputs, labels)
        loss.backward()
        total += loss.detach()
    torch_xla.sync()
    return total.item()


def dropped_now_and_then():
    total = 0.0
    for step, (inputs, labels) in enumerate(loader):
        loss = loss_of(inputs, labels)
        loss.backward()
        total += loss.detach()
        if step % 4 == 3:
            model.zero_grad()
    torch_xla.sync()
    return total.item()


in_a_list()  # expect: XLA102
in_a_dict()  # expect: XLA102 likely
cut_in_each_round()
added_up()
dropped_now_and_then()
