# ruff: noqa
# mypy: ignore-errors
"""Which times are taken of work that nothing has waited for."""

import time

import torch
import torch_xla
import torch_xla.core.xla_model as xm

device = torch_xla.device()
model = torch.nn.Linear(4, 4).to(device)


def computes(x):
    return model(torch.randn(4, 4, device=device) + x)


def waits():
    xm.wait_device_ops()


def reads_a_clock():
    return time.time()


def works_in_one_arm(x, first):
    start = time.time()
    if first:
        y = computes(x)
    print(time.time() - start)
    return y


def works_in_the_other_arm(x, first):
    start = time.time()
    if first:
        pass
    else:
        y = computes(x)
    print(time.time() - start)
    return y


def reads_the_clock_in_one_arm(x, first):
    start = time.time()
    if first:
        start = time.time()
    y = computes(x)
    print(time.time() - start)
    return y


def reads_the_clock_in_the_other_arm(x, first):
    start = time.time()
    if first:
        pass
    else:
        start = time.time()
    y = computes(x)
    print(time.time() - start)
    return y


def works_in_both(x, first):
    start = time.time()
    y = computes(x) if first else computes(x - 1)
    print(time.time() - start)  # expect: XLA302
    return y


def waits_in_a_call(x):
    start = time.time()
    y = computes(x)
    waits()
    print(time.time() - start)
    return y


def waits_in_a_call_before_the_work(x):
    start = time.time()
    waits()
    y = computes(x)
    print(time.time() - start)  # expect: XLA302
    return y


def reads_another_clock_in_a_call(x):
    start = time.time()
    y = computes(x)
    seconds = reads_a_clock() - start
    return y, seconds


def works_before_the_clock(x):
    y = computes(x)
    start = time.time()
    torch_xla.sync()
    print(time.time() - start)
    return y


def works_on_the_host():
    start = time.time()
    y = torch.randn(4, 4) @ torch.randn(4, 4)
    print(time.time() - start)
    return y


def saves(x):
    start = time.time()
    y = computes(x)
    xm.save(y, "y.pt")  # expect: XLA602
    print(time.time() - start)


def rounds_of_a_while(x):
    start = time.time()
    while time.time() - start < 10:
        y = computes(x)
        torch_xla.sync()  # expect: XLA201
    return y


def reads_another_clock_in_one_arm(x, first):
    start = time.time()
    if first:
        other = time.time()
    y = computes(x)
    print(time.time() - start)
    return y


def reads_another_clock_in_the_other_arm(x, first):
    start = time.time()
    if first:
        pass
    else:
        other = time.time()
    y = computes(x)
    print(time.time() - start)
    return y


def cuts():
    torch_xla.sync()


def cuts_in_calls_with_and_without_a_wait(x):
    start = time.time()
    y = computes(x)
    torch_xla.sync(wait=True)
    cuts()
    print(time.time() - start)  # expect: XLA302
    start = time.time()
    y = computes(x)
    torch_xla.sync()
    cuts()
    print(time.time() - start)  # expect: XLA302


def computes_before_any_clock(x):
    return model(torch.randn(4, 4, device=device) + x)


def works_in_calls_before_and_after_the_clock(x):
    torch_xla.sync()
    computes_before_any_clock(x)
    torch_xla.sync()
    start = time.time()
    computes_before_any_clock(x)
    print(time.time() - start)  # expect: XLA302


def a_few_rounds(x):
    start = time.time()
    for _ in range(50):
        computes(x)
        torch_xla.sync()  # expect: XLA201
    return time.time() - start  # expect: XLA302


def rounds_of_what_stands_there(batches):
    start = time.time()
    for x in (batches[0], batches[1]):
        computes(x)
        torch_xla.sync()  # expect: XLA201
    return time.time() - start  # expect: XLA302


class Layers(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = torch.nn.ModuleList([torch.nn.Linear(4, 4) for _ in range(3)])

    def forward(self, x):
        for layer in self.layers:
            x = layer(x)
        return x


def rounds_of_a_model_of_layers(x):
    layers = Layers().to(device)
    start = time.time()
    for _ in range(50):
        with torch_xla.step():
            layers(x.to(device))
    return time.time() - start  # expect: XLA302


def many_rounds(x):
    start = time.time()
    for _ in range(1000):
        computes(x)
        torch_xla.sync()  # expect: XLA201
    return time.time() - start


def rounds_of_which_the_last_is_read(x):
    start = time.time()
    for _ in range(50):
        y = computes(x)
        torch_xla.sync()  # expect: XLA201
    y.sum().item()
    return time.time() - start


def rounds_each_with_a_clock(x):
    end = time.time()
    for _ in range(50):
        waited = time.time() - end
        computes(x)
        torch_xla.sync()  # expect: XLA201
        end = time.time()
    return waited


def rounds_that_train(x):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    start = time.time()
    for _ in range(50):
        optimizer.zero_grad()
        computes(x).square().mean().backward()
        optimizer.step()
        torch_xla.sync()  # expect: XLA201
    return time.time() - start
