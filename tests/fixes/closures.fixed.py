# select: XLA201
"""Step closures of every kind, in a loop whose loader cuts."""

import functools

import torch
import torch_xla
import torch_xla.core.xla_model as xm
import torch_xla.distributed.parallel_loader as pl


class Log:
    def __init__(self):
        self.seen = []

    def add(self, *values):
        self.seen.append(values)


def train(model, optimizer, batches, log):
    for step, batch in enumerate(pl.MpDeviceLoader(batches, torch_xla.device())):
        with torch_xla.step():
            optimizer.zero_grad()
            loss = model(batch).square().mean()
            loss.backward()
            xm.optimizer_step(optimizer)

        # first the loss
        log.add(step, loss)
        log.add(step,  # counted from 0
                loss)
        log.add(loss)
        print(step)
        log.add(loss)
        if step % 2 == 0 and xm.is_master_ordinal():
            log.add(loss)
