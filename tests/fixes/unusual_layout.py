# select: XLA201, XLA002
"""One-line suites, semicolons, nested functions, decorators, and a body that is one string."""

import functools

import torch
import torch_xla.core.xla_model as xm


def silent():
    "does nothing"


def logged(function):
    @functools.wraps(function)
    def wrapper(*args): silent(); return function(*args)

    return wrapper


@logged
def train(batches):
    device = xm.xla_device(); model = torch.nn.Linear(8, 1).to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)

    @logged
    def epoch():
        for x in batches: update(x); xm.mark_step()

    def update(x):
        optimizer.zero_grad(); model(x.to(device)).square().mean().backward(); optimizer.step()

    epoch()
    for x in batches:
        update(x); xm.mark_step()
    for x in batches:
        update(x); silent()
        silent(); xm.mark_step()
    if batches: [update(x) for x in batches]; xm.mark_step()
    return model


train(torch.randn(4, 2, 8))
