# ruff: noqa
# mypy: ignore-errors
"""Replicas part by other statements than `if` as well."""

import torch
import torch_xla
import torch_xla.core.xla_model as xm
import torch_xla.runtime as xr


def by_cases(step):
    rank = xr.global_ordinal()
    match rank:
        case 0:
            xm.rendezvous("first")  # expect: XLA502
        case _:
            pass
    match xr.global_ordinal():
        case 0:
            print("first")
        case 1:
            xm.rendezvous("second")  # expect: XLA502
    match xm.is_master_ordinal():
        case True:
            xm.rendezvous("master")  # expect: XLA502
        case False:
            print("another")
    match step:
        case 3 if rank == 0:
            xm.rendezvous("third step")  # expect: XLA502
    match rank:
        case 0 | 1:
            xm.rendezvous("two of them")  # expect: XLA503 likely
    match rank:
        case 0 as first if step > 3:
            print(first, xm.all_reduce("sum", torch.ones(2, device="xla")))  # expect: XLA501, XLA502


def by_cases_for_all(step):
    rank = xr.global_ordinal()
    match rank:
        case 0:
            xm.rendezvous("either way")
        case _:
            xm.rendezvous("either way")
    match rank:
        case 0:
            name = "first"
        case other:
            name = str(other)
    print(name)
    match step:
        case 0:
            xm.rendezvous("first step")
    match xr.world_size():
        case 1:
            print("alone")
        case _:
            xm.rendezvous("several")
    match step:
        case number if number > 3 and rank == 0:
            print(number)
    xm.rendezvous("in the end")


def reads_by_cases():
    device = torch_xla.device()
    model = torch.nn.Linear(4, 1).to(device)
    scores = xm.all_reduce("sum", model(torch.ones(4, 4, device=device)))
    match xr.global_ordinal():
        case 0:
            print(scores.sum().item())  # expect: XLA102, XLA501
    torch_xla.sync()


def by_rounds(tries):
    rank = xr.global_ordinal()
    while rank == 0:
        xm.rendezvous("first")  # expect: XLA502
        break
    while rank == 0 and tries < 3:
        xm.rendezvous("first, tried again")  # expect: XLA502
        tries += 1
    while not xm.is_master_ordinal():
        xm.rendezvous("others")  # expect: XLA502
        break


def by_rounds_for_all(tries):
    at = xr.global_ordinal()
    while at < 100:
        print(at)
        at += xr.world_size()
    while xr.global_ordinal() == 0 and tries < 3:
        print(tries)
        tries += 1
    xm.rendezvous("in the end")


def by_what_is_asked_first():
    rank = xr.global_ordinal()
    rank == 0 and xm.rendezvous("first")  # expect: XLA502
    rank or xm.rendezvous("first once more")  # expect: XLA502
    rank == 0 and print("first")
    xm.rendezvous("in the end")


def by_a_list():
    rank = xr.global_ordinal()
    if rank in (0, 1):
        xm.rendezvous("two of them")  # expect: XLA503 likely
    if rank in (-1, 0):
        xm.rendezvous("first")  # expect: XLA502
    if rank not in [0, 1]:
        print("another")


def train(index, step):
    by_cases(step)
    by_cases_for_all(step)
    reads_by_cases()
    by_rounds(step)
    by_rounds_for_all(step)
    by_what_is_asked_first()
    by_a_list()


torch_xla.launch(train, args=(int(input()),))
