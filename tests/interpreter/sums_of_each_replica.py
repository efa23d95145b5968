# ruff: noqa
# mypy: ignore-errors
"""Sums of what each replica has read of its own batches, and counts, which all replicas have alike."""

import torch
import torch_xla
import torch_xla.core.xla_model as xm
import torch_xla.distributed.parallel_loader as pl


def evaluated(model, loader):
    total, batches = 0.0, 0
    with torch.no_grad():
        for x in loader:
            loss = model(x).square().mean()
            torch_xla.sync()  # expect: XLA201
            total += loss.item()
            batches += 1
    return total / batches, batches


def epoch(model, optimizer, loader):
    for x in loader:
        optimizer.zero_grad()
        model(x).sum().backward()
        xm.optimizer_step(optimizer)


def stops_by_its_own(model, optimizer, loader, best):
    for _ in range(10):
        epoch(model, optimizer, loader)
        mean, batches = evaluated(model, loader)
        if mean > best:
            break  # expect: XLA503 likely


def stops_by_that_of_all(model, optimizer, loader, best):
    for _ in range(10):
        epoch(model, optimizer, loader)
        mean, batches = evaluated(model, loader)
        if xm.mesh_reduce("mean", mean, max) > best:
            break


def stops_by_a_count(model, optimizer, loader, most):
    seen = 0
    for _ in range(10):
        for x in loader:
            optimizer.zero_grad()
            model(x).sum().backward()
            xm.optimizer_step(optimizer)
            seen += x.size(0)
        mean, batches = evaluated(model, loader)
        if seen > most or batches > most:
            break


def train(index):
    device = torch_xla.device()
    model = torch.nn.Linear(4, 4).to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    loader = pl.MpDeviceLoader([], device)
    stops_by_its_own(model, optimizer, loader, 3.0)
    stops_by_that_of_all(model, optimizer, loader, 3.0)
    stops_by_a_count(model, optimizer, loader, 3)


if __name__ == "__main__":
    torch_xla.launch(train)  # expect: XLA517 likely
