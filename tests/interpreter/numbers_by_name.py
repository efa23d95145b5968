# ruff: noqa
# mypy: ignore-errors
"""Numbers of Python's that are others in each step: the message names the one it is, where that is plain."""

import torch
import torch_xla
import torch_xla.distributed.parallel_loader as pl

device = torch_xla.device()
loader = pl.MpDeviceLoader([], device)


class Queue:
    def __init__(self):
        self.rows = torch.zeros(100, 4, device=device)
        self.end, self.size = 0, 100

    def put(self, row):
        self.rows[self.end] = row  # expect: XLA402
        self.end += 1

    def put_from_the_end(self, row):
        self.rows[self.size - self.end] = row  # expect: XLA402
        self.end += 1


def numbers(width):
    queue, rows = Queue(), torch.zeros(100, 4, device=device)
    for step, x in enumerate(loader):
        rows[step] = x.mean(0)  # expect: XLA402
        x = torch.roll(x, shifts=step + width)  # expect: XLA402
        queue.put(x**step)  # expect: XLA402
        queue.put_from_the_end(x)


numbers(4)
