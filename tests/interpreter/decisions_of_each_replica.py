# ruff: noqa
# mypy: ignore-errors
"""A test parts the replicas where it is surely about what each computes of its own batches, and nothing else."""

import functools

import numpy as np
import torch
import torch.distributed as dist
import torch_xla
import torch_xla.core.xla_model as xm
import torch_xla.distributed.parallel_loader as pl
from sklearn.metrics import roc_auc_score
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


def scored(loader, model):
    """What the host makes of lists of a replica's own numbers is its own, too."""
    losses, guesses, truth = [], [], []
    for x, y in loader:
        losses.append(model(x).mean().item())
        guesses.extend(model(x).sum(1).tolist())
        truth.extend(y.tolist())
    if np.mean(losses) < 0.1:
        xm.rendezvous("small")  # expect: XLA503 likely
    if roc_auc_score(truth, guesses) > 0.9:
        xm.rendezvous("good")  # expect: XLA503 likely


def scored_together(loader, model):
    """What is gathered of all of them first is the same on each."""
    guesses, truth = [], []
    for x, y in loader:
        guesses.append(xm.all_gather(model(x)).cpu().numpy())
        truth.append(xm.all_gather(y).cpu().numpy())
    if roc_auc_score(np.concatenate(truth), np.concatenate(guesses)) > 0.9:
        xm.rendezvous("good")
    mine = [model(x).mean().item() for x, _ in loader]
    all_of_them = xm.mesh_reduce("losses", mine, np.concatenate)
    if np.mean(all_of_them) < 0.1:
        xm.rendezvous("small")


class Patience:
    def __init__(self):
        self.best = 1e9

    def is_over(self, loss):
        if loss < self.best:
            self.best = loss
            return False
        return True


def no_better_than_before(loader, model, optimizer, patience):
    for _ in range(9):
        for x, y in loader:
            optimizer.zero_grad()
            loss = torch.nn.functional.cross_entropy(model(x), y)
            loss.backward()
            xm.optimizer_step(optimizer)
        if patience.is_over(loss.item()):
            break  # expect: XLA503 likely


def no_better_than_before_in_all(loader, model, optimizer, patience):
    for _ in range(9):
        for x, y in loader:
            optimizer.zero_grad()
            loss = torch.nn.functional.cross_entropy(model(x), y)
            loss.backward()
            xm.optimizer_step(optimizer)
        if patience.is_over(xm.mesh_reduce("loss", loss.item(), sum)):
            break


class BestSoFar:
    """Says of a number whether it is the best, and whether none was for long."""

    def __init__(self, patience):
        self.patience, self.best, self.waited = patience, -1.0, 0

    def __call__(self, value):
        if value != value:
            raise ValueError("no number")
        if value > self.best:
            self.best, self.waited = value, 0
            return True, False, self.patience
        self.waited += 1
        return False, self.waited >= self.patience, self.patience


def two_answers_at_once(loader, model, optimizer, best_so_far):
    for _ in range(9):
        for x, y in loader:
            optimizer.zero_grad()
            loss = torch.nn.functional.cross_entropy(model(x), y)
            loss.backward()
            xm.optimizer_step(optimizer)
        better, done, patience = best_so_far(loss.item())
        if patience > 3:
            xm.rendezvous("patient")
        if better:
            xm.rendezvous("better")  # expect: XLA503 likely
        if done:
            break  # expect: XLA503 likely


def two_answers_for_all(loader, model, optimizer, best_so_far):
    for _ in range(9):
        for x, y in loader:
            optimizer.zero_grad()
            loss = torch.nn.functional.cross_entropy(model(x), y)
            loss.backward()
            xm.optimizer_step(optimizer)
        better, done, _ = best_so_far(xm.mesh_reduce("loss", loss.item(), sum))
        if better:
            xm.rendezvous("better")
        if done:
            break


def gathered_by_element(loader, model):
    """A tensor of the host with elements of a replica's own is its own."""
    totals = torch.zeros(2)
    for x, y in loader:
        totals[0] += model(x).mean().item()
        totals[1] += 1
    if totals[0] / totals[1] < 0.1:
        xm.rendezvous("small")  # expect: XLA503 likely


def shared_on_the_hosts(loader, model):
    """What the hosts share is the same on all of them, whatever it was before."""
    totals = torch.zeros(2)
    for x, y in loader:
        totals[0] += model(x).mean().item()
        totals[1] += 1
    dist.all_reduce(totals)
    if totals[0] / totals[1] < 0.1:
        xm.rendezvous("small")
    worst = torch.tensor(max(model(x).mean().item() for x, _ in loader))
    dist.all_reduce(worst, op=dist.ReduceOp.MAX)
    if worst > 0.9:
        xm.rendezvous("large")


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
    scored(loader, model)
    scored_together(loader, model)
    no_better_than_before(loader, model, optimizer, Patience())
    no_better_than_before_in_all(loader, model, optimizer, Patience())
    two_answers_at_once(loader, model, optimizer, BestSoFar(3))
    two_answers_for_all(loader, model, optimizer, BestSoFar(3))
    gathered_by_element(loader, model)
    shared_on_the_hosts(loader, model)


if __name__ == "__main__":
    torch_xla.launch(main, args=(1, 2, 3))  # expect: XLA517 likely
