# ruff: noqa
# mypy: ignore-errors
"""Collectives of lists: what goes in is reduced in place, and what comes out as well."""

import torch
import torch_xla
import torch_xla.core.xla_model as xm

device = torch_xla.device()
model = torch.nn.Linear(4, 1).to(device)


def what_comes_out(rank):
    loss = model(torch.ones(2, 4, device=device)).sum()
    total = xm.all_reduce(xm.REDUCE_SUM, [loss])[0]
    if xm.is_master_ordinal():
        print(total.item())  # expect: XLA501


def what_went_in(rank):
    loss = model(torch.ones(2, 4, device=device)).sum()
    losses = [loss]
    xm.all_reduce(xm.REDUCE_SUM, losses)
    if xm.is_master_ordinal():
        losses[0].item()  # expect: XLA501


def by_name(rank):
    loss = model(torch.ones(2, 4, device=device)).sum()
    xm.all_reduce(xm.REDUCE_SUM, [loss])
    if xm.is_master_ordinal():
        loss.item()  # expect: XLA501


def nothing_else_pends(rank):
    count = torch.ones(4, device=device)
    torch_xla.sync()
    total = xm.all_reduce(xm.REDUCE_SUM, count)
    if xm.is_master_ordinal():
        total.cpu()  # expect: XLA501


def after_a_cut(rank):
    count = torch.ones(4, device=device)
    total = xm.all_reduce(xm.REDUCE_SUM, [count])[0]
    torch_xla.sync()
    if xm.is_master_ordinal():
        total.cpu()


def not_reduced(rank):
    count = torch.ones(4, device=device)
    torch_xla.sync()
    total = count.sum()
    if xm.is_master_ordinal():
        total.cpu()


def one_replica(index):
    pass


def starts_replicas():
    torch_xla.launch(one_replica)
