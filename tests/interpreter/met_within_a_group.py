# ruff: noqa
# mypy: ignore-errors
"""Who meets on one side of a rank test: all replicas, or those of a group, which may all be on that side."""

import torch
import torch.distributed as dist
import torch_xla
import torch_xla.distributed.xla_backend

device = torch_xla.device()
dist.init_process_group("xla", init_method="xla://")
groups = {"stages": dist.new_group([0, 1]), "copies": dist.new_group([0, 2])}


def is_last_stage():
    return dist.get_rank(group=groups["stages"]) == 1


def mean_of_copies(loss):
    dist.all_reduce(loss, group=groups["copies"])  # quiet: the copies of the last stage are all here
    return loss / 2


def step(loss):
    if is_last_stage():
        return mean_of_copies(loss)
    return loss


def gathered(loss, parts):
    if is_last_stage():
        dist.all_gather(parts, loss, group=groups["copies"])  # quiet: as above
    return parts


def step_of_all(loss):
    if is_last_stage():
        dist.all_reduce(loss)  # expect: XLA502
    return loss


def step_of_all_said_so(loss):
    if is_last_stage():
        dist.all_reduce(loss, group=None)  # expect: XLA502
    return loss


def step_of_the_group_of_all(loss):
    if is_last_stage():
        dist.all_reduce(loss, group=dist.group.WORLD)  # expect: XLA502
    return loss


for batch in range(4):
    total = torch.ones(2, device=device)
    step(total)
    gathered(total, [torch.zeros(2, device=device)])
    step_of_all(total)
    step_of_all_said_so(total)
    step_of_the_group_of_all(total)
    torch_xla.sync()
