# ruff: noqa
# mypy: ignore-errors
"""Cuts in a step: told as a note where nothing of the step comes before, or nothing after."""

import torch
import torch_xla
import torch_xla.core.xla_model as xm

device = torch_xla.device()
model = torch.nn.Linear(4, 1).to(device)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)


# Told as a note ---------------------------------------------------------------------------------


def barrier_at_the_end(loader):
    for x in loader:
        with torch_xla.step():
            optimizer.zero_grad()
            model(x.to(device)).sum().backward()
            xm.optimizer_step(optimizer, barrier=True)  # expect: XLA204


def marker_before_the_gradients_are_dropped(loader):
    for x in loader:
        with torch_xla.step():
            model(x.to(device)).sum().backward()
            optimizer.step()
            torch_xla.sync()  # expect: XLA204
            optimizer.zero_grad(set_to_none=True)


def marker_at_the_beginning(loader):
    for x in loader:
        with torch_xla.step():
            torch_xla.sync()  # expect: XLA204
            optimizer.zero_grad()
            model(x.to(device)).sum().backward()
            optimizer.step()


def barrier_in_every_so_many_rounds(loader, every):
    for i, x in enumerate(loader):
        with torch_xla.step():
            model(x.to(device)).sum().backward()
            if (i + 1) % every == 0:
                xm.optimizer_step(optimizer, barrier=True)  # expect: XLA204
                optimizer.zero_grad()


@torch_xla.compile
def compiled(x):
    model(x).sum().backward()
    xm.optimizer_step(optimizer, barrier=True)  # expect: XLA204


# Told as before ---------------------------------------------------------------------------------


def more_below(loader):
    for x in loader:
        with torch_xla.step():
            loss = model(x.to(device)).sum()
            loss.backward()
            xm.optimizer_step(optimizer, barrier=True)  # expect: XLA204
            mean = loss / 4
        print(mean.item())


def more_below_one_in_every_so_many_rounds(loader, every):
    for i, x in enumerate(loader):
        with torch_xla.step():
            loss = model(x.to(device)).sum()
            loss.backward()
            if (i + 1) % every == 0:
                xm.optimizer_step(optimizer, barrier=True)  # expect: XLA204
            mean = loss / 4
        print(mean.item())


def one_in_each_round(loader):
    for batches in loader:
        with torch_xla.step():
            for x in batches:
                model(x.to(device)).sum().backward()
                torch_xla.sync()  # expect: XLA204
            optimizer.step()


def ends():
    torch_xla.sync()


def in_a_helper(loader):
    for x in loader:
        with torch_xla.step():
            loss = model(x.to(device)).sum()
            ends()  # expect: XLA204
            loss.backward()
            optimizer.step()


def with_one_that_stands_between(loader):
    for x in loader:
        with torch_xla.step():
            loss = model(x.to(device)).sum()
            torch_xla.sync()  # expect: XLA204
            loss.backward()
            optimizer.step()
            optimizer.zero_grad()


def more():
    torch_xla.sync()  # quiet: told where the step is


def with_one_in_a_helper_below(loader):
    for x in loader:
        with torch_xla.step():
            loss = model(x.to(device)).sum()
            torch_xla.sync()  # expect: XLA204
            loss.backward()
            more()  # expect: XLA204
            optimizer.step()


def main(loader):
    barrier_at_the_end(loader)
    marker_before_the_gradients_are_dropped(loader)
    marker_at_the_beginning(loader)
    barrier_in_every_so_many_rounds(loader, 4)
    more_below_one_in_every_so_many_rounds(loader, 4)
    compiled(torch.ones(4, 4, device=device))
    more_below(loader)
    one_in_each_round(loader)
    in_a_helper(loader)
    with_one_that_stands_between(loader)
    with_one_in_a_helper_below(loader)
