# ruff: noqa
# mypy: ignore-errors
"""`ZeroRedundancyOptimizer` takes parameters that are on the device; one that is told to wait asks later.

On the engine it raises `AssertionError` over a model of the CPU, where it is built.
"""

import torch
import torch_xla
import torch_xla.core.xla_model as xm
from torch_xla.distributed.zero_redundancy_optimizer import ZeroRedundancyOptimizer as Zero


def train(model, optimizer, device):
    for _ in range(3):
        with torch_xla.step():
            optimizer.zero_grad()
            model(torch.randn(8, 8, device=device)).square().mean().backward()
            optimizer.step()


def moved_below():
    model = torch.nn.Linear(8, 4)
    optimizer = Zero(model.parameters(), torch.optim.SGD, lr=0.1)  # expect: XLA701
    train(model.to("xla"), optimizer, "xla")


def never_moved():
    model = torch.nn.Linear(8, 4)
    optimizer = Zero(model.parameters(), torch.optim.SGD, lr=0.1)  # expect: XLA701
    train(model, optimizer, "cpu")


def built(model):
    groups = [{"params": model.parameters(), "weight_decay": 0.1}]
    return Zero(groups, torch.optim.SGD, lr=0.1)  # expect: XLA701


def moved_below_a_helper(device):
    model = torch.nn.Linear(8, 4)
    optimizer = built(model)
    model.to(torch_xla.device())
    train(model, optimizer, device)


def told_to_wait():
    model = torch.nn.Linear(8, 4)
    optimizer = Zero(model.parameters(), torch.optim.SGD, lazy_init=True, lr=0.1)  # quiet: shared out later
    model.to("xla")
    optimizer.init_zero()
    train(model, optimizer, "xla")


def moved_above():
    model = torch.nn.Linear(8, 4).to("xla")
    train(model, Zero(model.parameters(), torch.optim.SGD, lr=0.1), "xla")


def of_somebody(model):
    train(model, Zero(model.parameters(), torch.optim.SGD, lr=0.1), "xla")


def stepped_twice(rounds):
    model = torch.nn.Linear(8, 4).to("xla")
    optimizer = Zero(model.parameters(), torch.optim.SGD, lr=0.1)
    for x in rounds:
        with torch_xla.step():
            optimizer.zero_grad()
            model(x.to("xla")).square().mean().backward()
            optimizer.step()  # expect: XLA515
            xm.optimizer_step(optimizer)  # expect: XLA507


def generated_above_the_move():
    model = torch.nn.Linear(8, 4)
    parameters = model.parameters()
    model.to("xla")
    train(model, Zero(parameters, torch.optim.SGD, lr=0.1), "xla")  # quiet: they are asked for here


def listed_above_the_move():
    model = torch.nn.Linear(8, 4)
    parameters = list(model.parameters())
    model.to("xla")
    train(model, Zero(parameters, torch.optim.SGD, lr=0.1), "xla")  # expect: XLA701
