# ruff: noqa
# mypy: ignore-errors
"""Conditional expressions over a test of the replicas: what is done in them, and what they give."""

import torch
import torch.distributed as dist
import torch_xla
import torch_xla.core.xla_model as xm
import torch_xla.distributed.parallel_loader as pl
import torch_xla.runtime as xr
from torch.utils.tensorboard import SummaryWriter


def reduced(model, optimizer, x):
    loss = model(x).sum()
    loss.backward()
    xm.optimizer_step(optimizer)
    optimizer.zero_grad()
    return xm.all_reduce(xm.REDUCE_SUM, loss)


def a_writer_of_the_master(loader, model, optimizer):
    writer = SummaryWriter("runs") if dist.get_rank() == 0 else None
    for step, x in enumerate(loader):
        mean = reduced(model, optimizer, x)
        if writer is not None:
            writer.add_scalar("loss", mean.item(), step)  # expect: XLA102, XLA501


def none_but_for_the_master(loader, model, optimizer):
    writer = None if xr.global_ordinal() != 0 else SummaryWriter("runs")
    for step, x in enumerate(loader):
        mean = reduced(model, optimizer, x)
        if not writer:
            continue
        writer.add_scalar("loss", mean.item(), step)  # expect: XLA102, XLA501


def read_within(loader, model, optimizer):
    for x in loader:
        mean = reduced(model, optimizer, x)
        shown = mean.item() if xr.global_ordinal() == 0 else 0.0  # expect: XLA102, XLA501
        xm.master_print(shown)


def read_by_all(loader, model, optimizer):
    for step, x in enumerate(loader):
        mean = reduced(model, optimizer, x)
        name = "master" if xr.global_ordinal() == 0 else "worker"
        shown = mean.item() if step % 2 else 0.0  # expect: XLA102
        print(name, shown)


def a_writer_of_each(loader, model, optimizer):
    writer = SummaryWriter("master") if xr.global_ordinal() == 0 else SummaryWriter("worker")
    for step, x in enumerate(loader):
        mean = reduced(model, optimizer, x)
        if writer is not None:
            writer.add_scalar("loss", mean.item(), step)  # expect: XLA102


def they_meet_in_either():
    xm.rendezvous("a") if xr.global_ordinal() == 0 else xm.rendezvous("a")


def the_master_alone_meets():
    xm.rendezvous("b") if xr.global_ordinal() == 0 else None  # expect: XLA502


def copied_by_a_function(loader, model, optimizer):
    for x in loader:
        mean = reduced(model, optimizer, x)
        if xr.global_ordinal() == 0:
            print(xm._maybe_convert_to_cpu(mean))  # expect: XLA102, XLA501


def copied_by_all(loader, model, optimizer):
    for x in loader:
        reduced(model, optimizer, x)
    torch.save(xm._maybe_convert_to_cpu(model.state_dict()), "model.pt")


def train(index, data):
    dist.init_process_group("xla", init_method="xla://")
    device = torch_xla.device()
    model = torch.nn.Linear(4, 4).to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    loader = pl.MpDeviceLoader(data, device)
    a_writer_of_the_master(loader, model, optimizer)
    none_but_for_the_master(loader, model, optimizer)
    read_within(loader, model, optimizer)
    read_by_all(loader, model, optimizer)
    a_writer_of_each(loader, model, optimizer)
    they_meet_in_either()
    the_master_alone_meets()
    copied_by_a_function(loader, model, optimizer)
    copied_by_all(loader, model, optimizer)


if __name__ == "__main__":
    torch_xla.launch(train, args=([],))  # expect: XLA517 likely
