# ruff: noqa
# mypy: ignore-errors
"""A test parts the replicas where it is surely about what each computes of its own batches, and nothing else."""

import functools

import torch
import torch_xla
import torch_xla.core.xla_model as xm
import torch_xla.distributed.parallel_loader as pl
from torch.utils.data import DataLoader, DistributedSampler

from elsewhere import distributed, scores_of


def skips_bad_steps(loader, model, optimizer, limit):
    """Of three tests each hangs on the replica's own batches, and so does all they say together."""
    for x, y in loader:
        optimizer.zero_grad()
        loss = torch.nn.functional.cross_entropy(model(x), y)
        loss.backward()
        norm = torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)  # expect: XLA508
        if norm < limit and torch.isnan(loss).sum() == 0:  # expect: XLA103, XLA103
            xm.optimizer_step(optimizer)  # expect: XLA503 likely


def counts(loader, plain, model, optimizer, accumulate):
    """All replicas have as many batches."""
    last = len(plain) - 1
    for i, (x, y) in enumerate(loader):
        loss = torch.nn.functional.cross_entropy(model(x), y)
        loss.backward()
        if i == last or (i + 1) % accumulate == 0:
            xm.optimizer_step(optimizer)
            optimizer.zero_grad()


def of_one(model, batch, names):
    """What a batch says of itself, it says on all replicas."""
    labelled = False if not names else all(batch.get(name) is not None for name in names)
    wanted = batch.get("return_loss", None)
    if wanted is None:
        wanted = True
    if labelled or (not names and wanted):
        return xm.all_gather(model(**batch).loss)
    return None


@torch.compile(backend="openxla")
def agreed(x):
    return functools.reduce(torch.add, [xm.all_reduce(xm.REDUCE_SUM, x)])


def compiled(loader):
    """A function that is compiled may reduce itself."""
    for x, y in loader:
        if agreed(x).cpu().sum() > 3:
            xm.rendezvous("agreed")  # expect: XLA512


def unseen(loader):
    """So may one that is not seen."""
    for x, y in loader:
        if scores_of(x).mean().item() > 3:
            xm.rendezvous("scored")  # expect: XLA512


def reduced_on_the_way_of_many(loader, model):
    """Where it is not, there is one replica."""
    for x, y in loader:
        score = model(x).mean()
        if distributed():
            score = xm.all_reduce(xm.REDUCE_SUM, score)
        torch_xla.sync()  # expect: XLA201
        if score.item() > 3:
            xm.rendezvous("scored")  # expect: XLA512


def main(index, data, limit, names):
    device = torch_xla.device()
    model = torch.nn.Linear(4, 4).to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    plain = DataLoader(data, sampler=DistributedSampler(data))
    loader = pl.MpDeviceLoader(plain, device)
    skips_bad_steps(loader, model, optimizer, limit)
    counts(loader, plain, model, optimizer, 4)
    for batch in loader:
        of_one(model, batch, names)
    compiled(loader)
    unseen(loader)
    reduced_on_the_way_of_many(loader, model)


if __name__ == "__main__":
    torch_xla.launch(main, args=(1, 2, 3))
