# select: XLA201, XLA002
"""One-line suites, semicolons, nested functions, decorators, and a body that is one string."""

import functools

import torch
import torch_xla


def silent():
    "does nothing"


def logged(function):
    @functools.wraps(function)
    def wrapper(*args): silent(); return function(*args)

    return wrapper


@logged
def train(batches):
    device = torch_xla.device(); model = torch.nn.Linear(8, 1).to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)

    @logged
    def epoch():
        for x in batches:
            with torch_xla.step():
                update(x)

    def update(x):
        optimizer.zero_grad(); model(x.to(device)).square().mean().backward(); optimizer.step()

    epoch()
    for x in batches:
        with torch_xla.step():
            update(x)
    for x in batches:
        with torch_xla.step():
            update(x)
            silent()
            silent()
    if batches: [update(x) for x in batches]; torch_xla.sync()
    return model


train(torch.randn(4, 2, 8))
