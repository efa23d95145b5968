# ruff: noqa
# mypy: ignore-errors
"""Losses of several judges that are frozen, summed for one backward: in eager mode each has run at once."""

import torch
import torch_xla
from torch_xla.experimental import eager_mode


def sum_of(scores):
    loss, losses = 0, []
    for score in scores:
        one = torch.mean((1 - score) ** 2)
        losses.append(one)
        loss += one
    return loss, losses


def trained(batches):
    eager_mode(True)
    generator = torch.nn.Linear(4, 4).to("xla")
    judge = torch.nn.Linear(4, 1).to("xla").eval()
    optimizer = torch.optim.SGD(generator.parameters(), lr=0.1)
    for batch in batches:  # expect: XLA210
        loss, losses = sum_of(judge(generator(batch.to("xla"))))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


def evaluated(batches):
    eager_mode(False)
    judge = torch.nn.Linear(4, 1).to("xla").eval()
    losses = []
    for batch in batches:
        losses.append(judge(batch.to("xla")).mean())  # expect: XLA710
        torch_xla.sync()  # expect: XLA201
    return losses
