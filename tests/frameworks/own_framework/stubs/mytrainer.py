"""What the house framework does: it calls the step of a task between a batch and a marker."""

import torch_xla
import torch_xla.core.xla_model as xm
import torch_xla.distributed.parallel_loader as pl


class Task:
    def step(self, batch):
        pass


def train(task, loader):
    for batch in pl.MpDeviceLoader(loader):
        task.step(batch).backward()
        xm.mark_step()


def harness(task: Task):
    train(task, [])
