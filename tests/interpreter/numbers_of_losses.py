# ruff: noqa
# mypy: ignore-errors
"""A number of what backward started from runs all that came before, also where a library made it."""

import torch
import torch_xla
from somewhere import Objective
from torch.utils.data import DataLoader

device = torch_xla.device()


def asked_in_each_round(dataset, objective):
    model = torch.nn.Linear(4, 4).to(device)
    optimizer = torch.optim.Adam(model.parameters())
    total = 0
    for batch in DataLoader(dataset, batch_size=8, drop_last=True):  # expect: XLA202
        loss = objective.of(batch)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        total += loss.item()
    print(total)
    torch.save(model.state_dict(), "model.pt")  # expect: XLA601


def asked_at_the_end(dataset, objective):
    model = torch.nn.Linear(4, 4).to(device)
    optimizer = torch.optim.Adam(model.parameters())
    for batch in DataLoader(dataset, batch_size=8, drop_last=True):  # expect: XLA202
        loss = objective.of(batch)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    torch.save(model.state_dict(), "model.pt")  # expect: XLA601
