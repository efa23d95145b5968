# ruff: noqa
# mypy: ignore-errors
"""A loop inside a step may count to the same number in each: what it indexes is compiled in the first."""

import torch
import torch_xla
import torch_xla.distributed.parallel_loader as pl

device = torch_xla.device()
model = torch.nn.Linear(4, 4).to(device)
table = torch.randn(64, 4).to(device)
loader = pl.MpDeviceLoader([], device)
GLIMPSES = 4


# Told as a note: the same numbers come in each round of the loop around -------------------------


def to_the_size_of_a_tensor(batches, steps, chunk):
    for _ in range(steps):
        glimpses = next(batches).to(device)
        count, size = glimpses.shape[:2]
        for g in range(count):
            model(glimpses[g])  # expect: XLA402
            if g % chunk == 0:
                torch_xla.sync()


def a_step_that_is_tried_once_before(batches, chunk):
    glimpses = next(batches).to(device)
    count = glimpses.shape[0]
    for g in range(count):
        model(glimpses[g])  # expect: XLA402
        if g % chunk == 0:
            torch_xla.sync()


def to_a_size_as_it_stands(batches):
    while True:
        glimpses = next(batches).to(device)
        for g in range(1, glimpses.size(0)):
            model(glimpses[g])  # expect: XLA402
            torch_xla.sync()  # expect: XLA201


def to_a_constant_in_each_batch():
    for glimpses in loader:
        for g in range(GLIMPSES):
            model(glimpses + table[g])  # expect: XLA402
            torch_xla.sync()  # expect: XLA201


def columns_of_the_batch_itself():
    for glimpses in loader:
        for g in range(4):
            model(glimpses[:, g])  # expect: XLA402
            torch_xla.sync()  # expect: XLA201


def sizes_in_each_batch():
    for glimpses in loader:
        for g in range(4):
            weights = torch.arange(g + 1, device=device)  # expect: XLA402
            model(glimpses) * weights.sum()
            torch_xla.sync()  # expect: XLA201


# Told as before: another number in each step ----------------------------------------------------


def counter_of_the_steps(steps):
    for step in range(steps):
        for _ in range(4):
            model(table[step])  # expect: XLA402
            torch_xla.sync()  # expect: XLA201


def counted_beside_the_batches():
    for step, batch in enumerate(loader):
        for g in range(4):
            model(batch * g + table[step])  # expect: XLA402
            torch_xla.sync()  # expect: XLA201


def as_many_as_each_batch_has(batches):
    for batch in batches:
        for g in range(len(batch)):
            model(table[g])  # expect: XLA402
            torch_xla.sync()  # expect: XLA201


def steps_of_an_epoch(epochs):
    for _ in range(epochs):
        for step in range(1000):
            model(table[step])  # expect: XLA402
            torch_xla.sync()  # expect: XLA201


def a_size_once_and_then_another_number(batches, steps):
    for _ in range(steps):
        count = table.shape[0]
        count = next(batches)
        for g in range(count):
            model(table[g])  # expect: XLA402
            torch_xla.sync()  # expect: XLA201


def rows_of_all_there_is():
    for row in range(table.shape[0]):
        model(table[row])  # expect: XLA402
        torch_xla.sync()  # expect: XLA201


def both_counters(steps):
    for step in range(steps):
        for g in range(table.shape[0]):
            model(table[step * 4 + g])  # expect: XLA402
            torch_xla.sync()  # expect: XLA201


def main(batches):
    to_the_size_of_a_tensor(batches, 8, 2)
    to_a_constant_in_each_batch()
    columns_of_the_batch_itself()
    sizes_in_each_batch()
    counter_of_the_steps(8)
    counted_beside_the_batches()
    as_many_as_each_batch_has([[1], [2, 3]])
    steps_of_an_epoch(3)
    a_size_once_and_then_another_number(batches, 8)
    rows_of_all_there_is()
    both_counters(8)
    a_step_that_is_tried_once_before(batches, 2)
    for _ in range(8):
        a_step_that_is_tried_once_before(batches, 2)
    to_a_size_as_it_stands(batches)


main(iter([]))
