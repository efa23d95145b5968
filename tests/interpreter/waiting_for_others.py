# ruff: noqa
# mypy: ignore-errors
"""What waits for the other replicas: what a collective left pending, on all ways or on one, until a cut."""

import os

import torch
import torch.distributed as dist
import torch_xla
import torch_xla.core.xla_model as xm
import torch_xla.distributed.xla_backend

device = torch_xla.device()
model = torch.nn.Linear(4, 1).to(device)
dist.init_process_group("xla", init_method="xla://")


def summed():
    total = torch.ones(2, device=device)
    dist.all_reduce(total)
    if dist.get_rank() == 0:
        print(total[0].item())  # expect: XLA501


def summed_then_cut_then_halved():
    total = torch.ones(2, device=device)
    dist.all_reduce(total)
    torch_xla.sync()
    half = total / 2
    if dist.get_rank() == 0:
        print(half[0].item())


def summed_by_xla_then_cut_then_halved():
    total = xm.all_reduce("sum", torch.ones(2, device=device))
    torch_xla.sync()
    half = total / 2
    if dist.get_rank() == 0:
        print(half[0].item())


def summed_in_one_arm(several):
    total = torch.ones(2, device=device)
    if several:
        dist.all_reduce(total)
    mean = total[0] / total[1]
    if dist.get_rank() == 0:
        print(mean.item())  # expect: XLA501 likely


def summed_and_cut_in_one_arm(several):
    total = torch.ones(2, device=device)
    if several:
        dist.all_reduce(total)
        torch_xla.sync()
    mean = total[0] / total[1]
    if dist.get_rank() == 0:
        print(mean.item())


def summed_then_perhaps_cut(optimizer, barrier):
    total = torch.ones(2, device=device)
    dist.all_reduce(total)
    xm.optimizer_step(optimizer, barrier=barrier)
    mean = total[0] / total[1]
    if dist.get_rank() == 0:
        print(mean.item())


def summed_for_one_replica():
    total = torch.ones(2, device=device)
    dist.reduce(total, dst=0)
    if dist.get_rank() == 0:
        print(total[0].item())  # state: none


class Run:
    """Who started it tells by the environment which replica this is."""

    def __init__(self):
        self.number = int(os.environ["RANK"])
        self.local = int(os.environ.get("LOCAL_RANK", 0))
        self.workers = int(os.environ["WORKERS"])

    def log_on_the_master(self):
        total = torch.ones(2, device=device)
        dist.all_reduce(total)
        if self.number == 0:
            print(total[0].item())  # expect: XLA501

    def log_on_local_masters(self):
        total = torch.ones(2, device=device)
        dist.all_reduce(total)
        if self.local == 0:
            print(total[0].item())  # expect: XLA501

    def log_without_workers(self):
        total = torch.ones(2, device=device)
        dist.all_reduce(total)
        if self.workers == 0:
            print(total[0].item())


def set_element_by_element():
    total = torch.zeros(2, device=device)
    torch_xla.sync()
    total[0] = model(torch.ones(3, 4, device=device)).sum()
    print(total.sum().item())  # expect: XLA102
    torch_xla.sync()


def set_element_by_element_to_little():
    total = torch.zeros(2, device=device)
    torch_xla.sync()
    loss = model(torch.ones(3, 4, device=device)).sum()
    total[0] = 3
    print(total.sum().item())
    torch_xla.sync()
    return loss


run = Run()
run.log_on_the_master()
torch_xla.sync()
run.log_on_local_masters()
torch_xla.sync()
run.log_without_workers()
torch_xla.sync()
