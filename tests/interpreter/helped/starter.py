# ruff: noqa
# mypy: ignore-errors
"""A class that starts as many processes as it is told, each of which a function of the module trains."""

import torch
import torch_xla
import torch_xla.core.xla_model as xm
import torch_xla.distributed.xla_multiprocessing as xmp


class Starter:
    def __init__(self, processes):
        self.processes = processes

    def start(self):
        xmp.spawn(self.run, nprocs=self.processes)  # expect: XLA002, XLA510, XLA517 likely

    def run(self, index):
        steps(8)


def steps(count):
    device = torch_xla.device()
    model = torch.nn.Linear(4, 2).to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for _ in range(count):
        with torch_xla.step():
            optimizer.zero_grad()
            model(torch.randn(4, 4).to(device)).square().mean().backward()
            xm.optimizer_step(optimizer)
