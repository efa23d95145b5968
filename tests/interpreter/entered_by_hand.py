# ruff: noqa
# mypy: ignore-errors
"""A scope that is entered and left by hand, in one function or in two, is open between."""

import torch
import torch_xla

device = torch_xla.device()
model = torch.nn.Linear(4, 1).to(device)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)


class Step:
    def __init__(self):
        self.scope = torch_xla.step()

    def __enter__(self):
        self.scope.__enter__()
        return self

    def __exit__(self, *raised):
        return self.scope.__exit__(*raised)


class Timer:
    def start(self):
        self.scope = torch_xla.step()
        self.scope.__enter__()

    def stop(self):
        self.scope.__exit__(None, None, None)


timer = Timer()


def train(batch):
    optimizer.zero_grad()
    loss = model(batch.to(device)).square().mean()
    loss.backward()
    optimizer.step()
    return loss


def in_one_function(batches):
    for batch in batches:
        scope = torch_xla.step()
        scope.__enter__()
        loss = train(batch)
        print(loss.item())  # expect: XLA101
        scope.__exit__(None, None, None)


def left_in_any_case(batches):
    for batch in batches:
        scope = torch_xla.step()
        scope.__enter__()
        try:
            loss = train(batch)
        finally:
            scope.__exit__(None, None, None)
        print(loss.item())


def by_a_class(batches):
    for batch in batches:
        with Step():
            loss = train(batch)
            print(loss.item())  # expect: XLA101


def read_below_that(batches):
    for batch in batches:
        with Step():
            loss = train(batch)
        print(loss.item())


def by_two_methods(batches):
    for batch in batches:
        timer.start()
        loss = train(batch)
        print(loss.item())  # expect: XLA101
        timer.stop()


def read_below_both(batches):
    for batch in batches:
        timer.start()
        loss = train(batch)
        timer.stop()
        print(loss.item())


some = [torch.randn(8, 4) for _ in range(9)]
in_one_function(some)
left_in_any_case(some)
by_a_class(some)
read_below_that(some)
by_two_methods(some)
read_below_both(some)
