# ruff: noqa
# mypy: ignore-errors
"""Which steps of optimizers apply the same gradients."""

import torch
import torch_xla
import torch_xla.core.xla_model as xm

device = torch_xla.device()


class Pair:
    def __init__(self):
        self.model = torch.nn.Linear(4, 4).to(device)
        self.critic = torch.nn.Linear(4, 4).to(device)
        self.optimizer = torch.optim.SGD(self.model.parameters(), lr=0.1)
        self.other = torch.optim.SGD(self.critic.parameters(), lr=0.1)

    def compute(self, x):
        self.model(x).sum().backward()


def steps_of_two_optimizers(x):
    pair = Pair()
    pair.compute(x)
    pair.optimizer.step()
    xm.optimizer_step(pair.other)


def steps_with_backward_in_a_call_between(x):
    pair = Pair()
    for _ in range(3):
        pair.compute(x)
        xm.optimizer_step(pair.optimizer)  # owed: nothing
        torch_xla.sync()  # expect: XLA201


def steps_with_dropped_gradients_between(x):
    pair = Pair()
    pair.compute(x)
    pair.optimizer.step()
    pair.optimizer.zero_grad()  # owed: STEPPED
    xm.optimizer_step(pair.optimizer)  # owed: nothing


def a_step_in_each_arm(x, summed):
    pair = Pair()
    pair.compute(x)
    if summed:
        xm.optimizer_step(pair.optimizer)
    else:
        pair.optimizer.step()


def a_step_in_one_arm_first(x, warm):
    pair = Pair()
    pair.compute(x)
    if warm:
        pair.optimizer.step()  # expect: XLA515
    else:
        print("cold")
    torch_xla.sync()
    xm.optimizer_step(pair.optimizer)


def two_plain_steps(x):
    pair = Pair()
    pair.compute(x)
    pair.optimizer.step()
    pair.optimizer.step()


def both_of_two(one, two, batches):
    first = torch.optim.SGD(one.parameters(), lr=0.1)
    second = torch.optim.SGD(two.parameters(), lr=0.1)
    for batch in batches:
        first.zero_grad()
        second.zero_grad()
        two(one(batch.to(device))).mean().backward()
        second.step()  # expect: XLA515
        first.step()  # expect: XLA515
        xm.optimizer_step(first)
        xm.optimizer_step(second, barrier=True)


def each_of_two_once(one, two, batches):
    first = torch.optim.SGD(one.parameters(), lr=0.1)
    second = torch.optim.SGD(two.parameters(), lr=0.1)
    for batch in batches:
        first.zero_grad()
        two(one(batch.to(device))).mean().backward()
        first.step()
        xm.optimizer_step(second)
        second.zero_grad()
        two(one(batch.to(device))).mean().backward()
        second.step()
        xm.optimizer_step(first, barrier=True)
