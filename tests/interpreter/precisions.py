# ruff: noqa
# mypy: ignore-errors
"""Products that are kept out of an autocast, and where their gradients are computed."""

import torch
import torch_xla

device = torch_xla.device()
model = torch.nn.Linear(4, 4).to(device)


def within(x):
    with torch.autocast("xla"):  # expect: XLA706
        with torch.autocast("xla", enabled=False):
            y = x.to(device).float() @ model.weight
        y.sum().backward()


def below(x):
    with torch.autocast("xla"):
        with torch.autocast("xla", enabled=False):
            y = x.to(device).float() @ model.weight
    y.sum().backward()


def with_a_cut_between(x):
    with torch.autocast("xla"):  # expect: XLA706
        torch_xla.sync()
        with torch.autocast("xla", enabled=False):
            y = x.to(device).float() @ model.weight
        torch_xla.sync()
        y.sum().backward()


def with_work_between(x):
    with torch.autocast("xla"):  # expect: XLA706
        with torch.autocast("xla", enabled=False):
            y = x.to(device).float() @ model.weight
        model(y).sum().backward()


def of_the_one_before(x):
    with torch.autocast("xla"):
        with torch.autocast("xla", enabled=False):
            y = x.to(device).float() @ model.weight
    y.sum().backward()
    with torch.autocast("xla"):
        model(x.to(device)).sum().backward()


def without_a_product(x, classes):
    with torch.autocast("xla"):
        scores = model(x.to(device))
        with torch.autocast("xla", enabled=False):
            loss = torch.nn.functional.cross_entropy(scores.float(), classes)
        loss.backward()


def where_nothing_is_lowered(x):
    with torch.autocast("xla", enabled=False):
        y = x.to(device) @ model.weight
        y.sum().backward()


def if_enabled(x, amp):
    with torch.autocast("xla", enabled=amp):
        with torch.autocast("xla", enabled=False):
            y = x.to(device).float() @ model.weight
        y.sum().backward()
