# ruff: noqa
# mypy: ignore-errors
"""Nothing in this program starts a second replica: what only several suffer is not told."""

import torch
import torch_xla.core.xla_model as xm


def train(model, loader, optimizer, device):
    for x in loader:
        optimizer.zero_grad()
        model(x.to(device)).sum().backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        xm.optimizer_step(optimizer, barrier=True)


def join():
    torch.distributed.init_process_group(backend="nccl")


def save(model):
    if xm.is_master_ordinal():
        torch.save(model.state_dict(), "model.pt")
        xm.rendezvous("saved")  # expect: XLA502 likely


def share(x):
    model = torch.nn.Linear(4, 1).to("xla")
    loss = xm.all_reduce(xm.REDUCE_SUM, model(x.to("xla")).sum())
    if xm.is_master_ordinal():
        print(loss.item())  # expect: XLA102, XLA501 likely
        print(loss)  # expect: XLA501 likely
