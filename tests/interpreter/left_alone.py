# ruff: noqa
# mypy: ignore-errors
"""Loops that only some replicas leave: where the others wait for them, and where not."""

import torch
import torch_xla
import torch_xla.core.xla_model as xm
import torch_xla.distributed.parallel_loader as pl

device = torch_xla.device()
model = torch.nn.Linear(4, 4).to(device)
loader = pl.MpDeviceLoader([], device)


def score(x):
    return model(x).sum().item()


def nobody_waits(limit):
    for x in loader:
        if score(x) < limit:
            break


def the_others_wait_in_one_arm(limit, step):
    for x in loader:
        value = score(x)
        if step:
            xm.rendezvous("step")  # expect: XLA512
        else:
            print(value)
        if value < limit:
            break  # expect: XLA503 likely


def the_others_wait_in_the_other_arm(limit, step):
    for x in loader:
        value = score(x)
        if step:
            print(value)
        else:
            xm.rendezvous("step")  # expect: XLA512
        if value < limit:
            break  # expect: XLA503 likely


def the_others_wait_in_a_loop_inside(limit):
    for x in loader:
        value = score(x)
        for part in range(2):
            xm.rendezvous("part")  # expect: XLA512
        if value < limit:
            break  # expect: XLA503 likely


def all_wait_below_the_loop(limit):
    for x in loader:
        if score(x) < limit:
            break
    xm.rendezvous("epoch")


def all_decide_by_the_same_number(limit):
    for x in loader:
        mean = xm.mesh_reduce("score", score(x), min)  # expect: XLA512
        if mean < limit:
            break


def all_stop_after_as_many_steps(limit):
    for step, x in enumerate(loader):
        xm.rendezvous("step")  # expect: XLA512
        if step == limit:
            break


def the_loop_is_whole_for_each_replica(limit):
    if score(torch.ones(4, 4, device=device)) < limit:
        for x in loader:
            break


def the_others_wait_while_some_return(limit):
    for x in loader:
        xm.rendezvous("step")  # expect: XLA512
        if score(x) < limit:
            return  # expect: XLA503 likely


def all_return(limit):
    for x in loader:
        xm.rendezvous("step")  # expect: XLA512
        if score(x) < limit:
            print("small")
            return
        else:
            break


def the_others_raise(limit):
    for x in loader:
        xm.rendezvous("step")  # expect: XLA512
        if score(x) < limit:
            return
        raise ValueError("too large")


def all_return_by_the_same_number(limit):
    for x in loader:
        mean = xm.mesh_reduce("score", score(x), min)  # expect: XLA512
        if mean < limit:
            return
