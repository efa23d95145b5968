# ruff: noqa
# mypy: ignore-errors
"""What step closures look up, and when."""

import itertools

import torch
import torch_xla
import torch_xla.core.xla_model as xm
import torch_xla.debug.profiler as xp
import torch_xla.distributed.parallel_loader as pl

device = torch_xla.device()
model = torch.nn.Linear(4, 1).to(device)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)


def cuts():
    torch_xla.sync()


def binds_in_one_arm(first):
    number = 1
    xm.add_step_closure(lambda: print(number))  # expect: XLA207
    if first:
        number = 2
    cuts()
    return number


def cuts_in_a_call(numbers):
    for number in numbers:
        xm.add_step_closure(lambda: print(number))
        cuts()


def goes_over_what_may_be_a_loader(batches):
    for number, batch in enumerate(batches):
        xm.add_step_closure(lambda: print(number))


def binds_what_no_closure_looks_up(numbers):
    for number in [1, 2]:
        xm.add_step_closure(print, args=(number,))
        other = number
        xm.add_step_closure(lambda number=number: print(number))
    cuts()


def binds_in_the_function_that_is_called():
    number = 1

    def other():
        number = 2
        return number

    xm.add_step_closure(lambda: print(number))
    other()
    cuts()


def trains(loss):
    loss.backward()
    optimizer.step()


def traced(step):
    with xp.StepTrace("train", step_num=step):  # expect: XLA304
        loss = model(torch.randn(4, 4, device=device)).sum()
    trains(loss)


def traced_below_a_cut(step):
    with xp.StepTrace("train", step_num=step):
        loss = model(torch.randn(4, 4, device=device)).sum()
    cuts()
    trains(loss)


def traced_in_one_arm(step):
    if step:
        with xp.StepTrace("train", step_num=step):  # expect: XLA304
            loss = model(torch.randn(4, 4, device=device)).sum()
    else:
        loss = model(torch.randn(4, 4, device=device)).sum()
    loss.backward()


def traced_before_more_work(step):
    with xp.StepTrace("train", step_num=step):  # expect: XLA304
        hidden = model(torch.randn(4, 4, device=device))
    model(torch.randn(4, 4, device=device) + hidden).sum().backward()


def of_every_tenth_round(loader):
    for number, (x, y) in enumerate(itertools.islice(pl.MpDeviceLoader(loader, device), 100)):
        loss = model(x).sum()
        if number % 10 == 0:
            xm.add_step_closure(print, args=(number, loss))  # expect: XLA201


def below_the_cut(batches):
    for number, x in enumerate(batches):
        loss = model(x.to(device)).sum()
        torch_xla.sync()  # expect: XLA201
        xm.add_step_closure(print, args=(number, loss))


def of_no_cut(batches):
    for number, x in enumerate(batches):
        loss = model(torch.ones(4, device=device)).sum()
        xm.add_step_closure(print, args=(number, loss))  # expect: XLA207


if __name__ == "__main__":
    of_every_tenth_round([])
    below_the_cut([])
    of_no_cut([1, 2])
