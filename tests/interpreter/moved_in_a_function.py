# ruff: noqa
# mypy: ignore-errors
"""A function moves a model off the device, in one arm of a test: in the last round, or whenever it is told to."""

import torch
import torch_xla

device = torch_xla.device()


def saved_in_the_last_round(epochs):
    model = torch.nn.Linear(4, 1).to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for epoch in range(epochs):
        with torch_xla.step():
            optimizer.zero_grad()
            model(torch.randn(8, 4).to(device)).square().mean().backward()
            optimizer.step()
        save_the_last(model, epoch, epochs)


def save_the_last(model, epoch, epochs):
    if epoch == epochs - 1:
        torch.save(model.cpu().state_dict(), "last.pt")


def saved_when_told_to(epochs, told):
    model = torch.nn.Linear(4, 1).to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for epoch in range(epochs):
        with torch_xla.step():
            optimizer.zero_grad()
            model(torch.randn(8, 4).to(device)).square().mean().backward()
            optimizer.step()
        save_if(model, told)


def save_if(model, told):
    if told:
        torch.save(model.cpu().state_dict(), "last.pt")  # expect: XLA605 likely


def saved_when_told_to_in_the_loop(epochs, told):
    model = torch.nn.Linear(4, 1).to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for epoch in range(epochs):
        with torch_xla.step():
            optimizer.zero_grad()
            model(torch.randn(8, 4).to(device)).square().mean().backward()
            optimizer.step()
        if told:
            torch.save(model.cpu().state_dict(), "last.pt")  # expect: XLA605 likely
