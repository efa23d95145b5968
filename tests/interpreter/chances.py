# ruff: noqa
# mypy: ignore-errors
"""Work that chance decides on, and what comes between it and backward."""

import random
from random import random as toss

import numpy as np
import torch
import torch_xla
import torch_xla.distributed.parallel_loader as pl

device = torch_xla.device()
model = torch.nn.Linear(4, 4).to(device)


def directly_above(batches):
    for batch in pl.MpDeviceLoader(batches, device):
        x = batch.to(device)
        if random.random() < 0.5:  # expect: XLA408
            x = x.flip(-1)
        model(x).sum().backward()


def below_a_cut(batches):
    for batch in pl.MpDeviceLoader(batches, device):
        x = batch.to(device)
        if random.random() < 0.5:
            x = x.flip(-1)
        torch_xla.sync()
        model(x).sum().backward()


def below_a_cut_in_one_arm(batches, apart):
    for batch in pl.MpDeviceLoader(batches, device):
        x = batch.to(device)
        if random.random() < 0.5:
            x = x.flip(-1)
        if apart:
            torch_xla.sync()
        model(x).sum().backward()


def by_what_was_drawn_before(batches, share):
    for batch in pl.MpDeviceLoader(batches, device):
        x = batch.to(device)
        drawn = np.random.uniform(0, 1)
        flips = drawn > 0.5
        if share and not flips:  # expect: XLA408
            x = x * share
        model(x).sum().backward()


def in_both_arms(batches):
    for batch in pl.MpDeviceLoader(batches, device):
        x = batch.to(device)
        if toss() < 0.5:  # expect: XLA408
            x = x + 1
        elif toss() < 0.5:
            x = x - 1
        model(x).sum().backward()


def on_the_host(batches):
    for batch in batches:
        if random.random() < 0.5:
            batch = batch.flip(-1)
        with torch_xla.step():
            model(batch.to(device)).sum().backward()


def outside_of_a_loop(batch):
    x = batch.to(device)
    if random.random() < 0.5:
        x = x.flip(-1)
    model(x).sum().backward()
    torch_xla.sync()


def explores(network, state):
    if random.random() < 0.1:
        action = random.randint(0, 3)
    else:
        values = network(state)
        action = int(values.argmax().item())
    return action


def asked_for_an_action(batches):
    for batch in pl.MpDeviceLoader(batches, device):
        action = explores(model, batch)
        print(action)
        model(batch).sum().backward()


def perhaps_turned(batch):
    if random.random() < 0.5:  # expect: XLA408
        batch = batch.flip(-1)
    return batch


def turned_by_a_function(batches):
    for batch in pl.MpDeviceLoader(batches, device):
        turned = perhaps_turned(batch)
        model(turned).sum().backward()


def asked_and_kept(network, state):
    values = None
    if random.random() < 0.1:  # expect: XLA408
        action = random.randint(0, 3)
    else:
        values = network(state)
        action = int(values.argmax().item())
    return action, values


def asked_for_an_action_and_its_value(batches):
    for batch in pl.MpDeviceLoader(batches, device):
        action, values = asked_and_kept(model, batch)  # expect: XLA102
        print(action)
        model(batch).sum().backward()


def with_no_backward(batches):
    for batch in pl.MpDeviceLoader(batches, device):
        x = batch.to(device)
        if random.random() < 0.5:
            x = x.flip(-1)
        print(model(x).sum())


class Layers(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(4, 4)

    def forward(self, x):
        if self.training and random.random() < 0.1:
            return x
        return self.layer(x)


def in_a_forward(batches):
    layers = Layers().to(device)
    for batch in pl.MpDeviceLoader(batches, device):
        layers(batch.to(device)).sum().backward()


def at_a_place_that_is_drawn(batches):
    for batch in pl.MpDeviceLoader(batches, device):
        x = batch.float()
        begin = random.randint(0, 3)
        model(x[:, begin : begin + 4]).sum().backward()  # expect: XLA402


def drawn_by_torch(batches):
    first = torch.randint(0, 4, (1,)).item()
    for batch in pl.MpDeviceLoader(batches, device):
        x = batch.float()
        if torch.rand(1) < 0.5:  # expect: XLA408
            x = x.flip(-1)
        toss = torch.rand([])
        factor = toss.item()
        model(x[:, first:4] * factor).sum().backward()


def at_a_place_that_torch_draws(batches):
    for batch in pl.MpDeviceLoader(batches, device):
        x = batch.float()
        begin = int(torch.randint(0, 4, (1,)))
        model(x[:, begin : begin + 4]).sum().backward()  # expect: XLA402


def rounded_to_a_place(batches):
    for batch in pl.MpDeviceLoader(batches, device):
        begin = int(random.uniform(0, 3))
        model(batch[:, begin : begin + 4]).sum().backward()  # expect: XLA402


def as_wide_as_torch_draws(batches):
    for batch in pl.MpDeviceLoader(batches, device):
        width = torch.randint(1, 4, size=(1,)).item()
        model(batch[:, :width]).sum().backward()  # expect: XLA402


def drawn_by_torch_for_each_row(batches):
    for batch in pl.MpDeviceLoader(batches, device):
        steps = torch.randint(0, 4, (4,)).to(device)
        model(batch * steps).sum().backward()


def returning(x):
    if random.random() < 0.5:  # expect: XLA408
        return x.flip(-1)
    return x


def returns_from_under_the_test(batches):
    for batch in pl.MpDeviceLoader(batches, device):
        model(returning(batch.to(device))).sum().backward()


def returning_a_number(x):
    if random.random() < 0.5:
        return 0.5
    return 1.0


def returns_only_numbers(batches):
    for batch in pl.MpDeviceLoader(batches, device):
        (model(batch.to(device)).sum() * returning_a_number(batch)).backward()


def in_an_expression(batches):
    for batch in pl.MpDeviceLoader(batches, device):
        x = batch.to(device)
        x = x.flip(-1) if random.random() < 0.5 else x  # expect: XLA408
        model(x).sum().backward()


def a_number_in_an_expression(batches):
    for batch in pl.MpDeviceLoader(batches, device):
        factor = 0.5 if random.random() < 0.5 else 1.0
        (model(batch.to(device)).sum() * factor).backward()


def in_an_expression_below_a_cut(batches):
    for batch in pl.MpDeviceLoader(batches, device):
        x = batch.to(device)
        x = x.flip(-1) if random.random() < 0.5 else x
        torch_xla.sync()
        model(x).sum().backward()


def in_any_case(batches, share=1.0):
    for batch in pl.MpDeviceLoader(batches, device):
        x = batch.to(device)
        drawn = np.random.rand()
        if drawn < 1.0:  # it is never 1
            x = x.flip(-1)
        if 0 > random.random():
            print(x.sum().item())
        if 1 > toss() * 2:  # expect: XLA408
            x = x * 2
        model(x).sum().backward()


def in_no_case(batches, share=0):
    for batch in pl.MpDeviceLoader(batches, device):
        x = batch.to(device)
        loss = model(x).sum()
        if np.random.random() < 0.0 or random.random() >= 1:
            print(loss.item())
        if random.random() <= 0:
            print(loss.item())  # expect: XLA102
        loss.backward()
