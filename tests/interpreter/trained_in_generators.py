# ruff: noqa
# mypy: ignore-errors
"""A generator that trains goes on when it is asked for more: who asks may cut between."""

import torch
import torch_xla

device = torch_xla.device()
model = torch.nn.Linear(4, 1).to(device)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)


def losses(batches):
    for batch in batches:
        optimizer.zero_grad()
        loss = model(batch.to(device)).square().mean()
        loss.backward()
        optimizer.step()
        yield loss


def moved(batches):
    for batch in batches:
        yield batch.to(device)


def cut_by_who_asks(batches):
    for loss in losses(batches):
        torch_xla.sync()
        print(loss.item())


def trained_by_who_asks(batches):
    for batch in moved(batches):  # expect: XLA202
        optimizer.zero_grad()
        model(batch).square().mean().backward()
        optimizer.step()


some = [torch.randn(8, 4) for _ in range(9)]
cut_by_who_asks(some)
trained_by_who_asks(some)
