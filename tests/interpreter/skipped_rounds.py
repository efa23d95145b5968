# ruff: noqa
# mypy: ignore-errors
"""A round that goes on to the next before it has done anything is as if there were fewer rounds."""

import torch
import torch_xla


def train_on_slices(model, optimizer, data, device):
    for start in range(0, 800, 8):  # expect: XLA202
        batch = data[start : start + 8]
        if not batch:
            continue
        optimizer.zero_grad()
        loss = model(torch.stack(batch).to(device)).pow(2).mean()
        loss.backward()
        optimizer.step()
        print(loss.item())


def train_with_markers(model, optimizer, data, device):
    for start in range(0, 800, 8):
        batch = data[start : start + 8]
        if not batch:
            continue
        optimizer.zero_grad()
        loss = model(torch.stack(batch).to(device)).pow(2).mean()
        loss.backward()
        optimizer.step()
        torch_xla.sync()  # expect: XLA201
        print(loss.item())


def train_and_settle_seldom(model, optimizer, data, device):
    for number, batch in enumerate(data):
        optimizer.zero_grad()
        loss = model(batch.to(device)).pow(2).mean()
        loss.backward()
        optimizer.step()
        if number % 8:
            continue
        torch_xla.sync()
        print(loss.item())


def main():
    device = torch_xla.device()
    model = torch.nn.Linear(4, 1).to(device)
    optimizer = torch.optim.Adam(model.parameters())
    data = [torch.randn(4) for _ in range(800)]
    train_on_slices(model, optimizer, data, device)  # expect: XLA102
    train_with_markers(model, optimizer, data, device)
    train_and_settle_seldom(model, optimizer, data, device)


main()
