# ruff: noqa
# mypy: ignore-errors
"""A function that moves a model under a test moves it where the test comes out so, also for whoever calls it."""

import torch
import torch_xla

device = torch_xla.device()


def made():
    model = torch.nn.Linear(4, 1).to(device)
    return model, torch.optim.SGD(model.parameters(), lr=0.1)


def train(model, optimizer):
    with torch_xla.step():
        optimizer.zero_grad()
        model(torch.randn(8, 4, device=device)).square().mean().backward()
        optimizer.step()


def save(model):
    torch.save(model.cpu().state_dict(), "last.pt")  # expect: XLA605


def saved_each_time(epochs):
    model, optimizer = made()
    for epoch in range(epochs):
        train(model, optimizer)
        save(model)


def save_at_last(model, epoch, epochs):
    if epoch == epochs - 1:
        torch.save(model.cpu().state_dict(), "last.pt")


def saved_at_last(epochs):
    model, optimizer = made()
    for epoch in range(epochs):
        train(model, optimizer)
        save_at_last(model, epoch, epochs)


def saved_at_last_by_a_function_within(epochs):
    def save_if_done():
        if epoch == epochs - 1:
            torch.save(model.cpu().state_dict(), "last.pt")

    model, optimizer = made()
    for epoch in range(epochs):
        train(model, optimizer)
        save_if_done()


shared = torch.nn.Linear(4, 1)


def place():
    shared.to(device)


def saved_where_another_function_has_placed_it():
    place()
    torch.save(shared.state_dict(), "shared.pt")  # expect: XLA601


saved_each_time(3)
saved_at_last(3)
saved_at_last_by_a_function_within(3)
saved_where_another_function_has_placed_it()
