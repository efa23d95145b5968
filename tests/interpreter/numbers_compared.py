"""A number that is known decides a comparison: a switch that every caller leaves off reads nothing."""

import torch
import torch_xla

VERBOSE = 0


def step(model, x, debug_step=-1):
    loss = model(x).sum()
    loss.backward()
    debug = debug_step >= 0
    if debug and loss > 3:  # expect: XLA103
        print(loss.item())
    if VERBOSE > 1:
        print(loss.item())
    return loss


def followed(model, x, level=2):
    loss = model(x).sum()
    loss.backward()
    if level > 1:
        print(loss.item())
    return loss


model = torch.nn.Linear(4, 2).to("xla")
count = 0
while count < 5:
    step(model, torch.randn(2, 4).to("xla"))
    followed(model, torch.randn(2, 4).to("xla"))  # expect: XLA102
    if count > 3:
        step(model, torch.randn(2, 4).to("xla"), debug_step=count)  # expect: XLA102
    torch_xla.sync()  # expect: XLA201
    count += 1
