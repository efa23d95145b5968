# ruff: noqa
# mypy: ignore-errors
"""Whoever is first fetches the data, the others wait, and then they change places: all come to one rendezvous."""

from contextlib import contextmanager

import torch
import torch_xla
import torch_xla.core.xla_model as xm
import torch_xla.runtime as xr


@contextmanager
def first(rank, several):
    if several and rank not in (-1, 0):
        xm.rendezvous("first")
    yield
    if several and rank == 0:
        xm.rendezvous("first")


def fetched(index):
    with first(xr.global_ordinal(), xr.world_size() > 1):
        data = torch.load("data.pt")
    return data


def waits_twice(index):
    rank = xr.global_ordinal()
    if rank not in [-1, 0]:
        xm.rendezvous("fetch")
    data = torch.load("data.pt")
    if rank in (-1, 0):
        xm.rendezvous("fetch")
    return data


def forgets_the_first(index):
    rank = xr.global_ordinal()
    if rank not in (-1, 0):
        xm.rendezvous("fetch")  # expect: XLA502
    return torch.load("data.pt")


def forgets_the_others(index):
    if xr.global_ordinal() in (-1, 0):
        xm.rendezvous("fetch")  # expect: XLA502


def is_alone(index):
    if xm.is_master_ordinal():
        with first(-1, xr.world_size() > 1):
            data = torch.load("data.pt")
        return data


def asks_whether_there_are_several(index, rank=-1):
    if rank not in (-1,):
        xm.rendezvous("fetch")


torch_xla.launch(fetched)
torch_xla.launch(waits_twice)
torch_xla.launch(forgets_the_first)
torch_xla.launch(forgets_the_others)
torch_xla.launch(is_alone)
torch_xla.launch(asks_whether_there_are_several)
