# ruff: noqa
# mypy: ignore-errors
"""Options of a parser that another module makes, and a third one extends: off by default, whoever is given them."""

import torch
import torch_xla
import torch_xla.distributed.parallel_loader as pl
from parsing import take_options

device = torch_xla.device()
model = torch.nn.Linear(4, 4).to(device)


class Log:
    def write(self, loss):
        print(loss.item())


class Trainer:
    def __init__(self, options):
        self.debug = options.debug
        self.shown = options.shown

    def fit(self, batches):
        for batch in pl.MpDeviceLoader(batches, device):
            loss = model(batch).mean()
            if self.debug:
                print(loss.item())  # expect: XLA102 likely
            loss.backward()

    def show(self, batches):
        for batch in pl.MpDeviceLoader(batches, device):
            loss = model(batch).mean()
            if self.shown:
                print(loss.item())  # expect: XLA102
            loss.backward()


def asks(options, batches):
    for batch in pl.MpDeviceLoader(batches, device):
        loss = model(batch).mean()
        if options.debug and loss is not None:
            print(loss.item())  # expect: XLA102 likely
        if not options.norms:
            print(loss.max().item())  # expect: XLA102
        loss.backward()


def asks_for_what_another_module_adds(options, batches):
    for batch in pl.MpDeviceLoader(batches, device):
        loss = model(batch).mean()
        if options.norms:
            print(loss.item())  # expect: XLA102 likely
        if getattr(options, "debug", False):
            print(loss.min().item())  # expect: XLA102 likely
        if options.losses:
            print(loss.max().item())  # expect: XLA102
        loss.backward()


def is_given(batches, debug=False, shown=False):
    for batch in pl.MpDeviceLoader(batches, device):
        loss = model(batch).mean()
        if debug:
            print(loss.item())  # expect: XLA102 likely
        if shown:
            print(loss.max().item())  # expect: XLA102
        loss.backward()


def has_a_log(batches, log):
    for batch in pl.MpDeviceLoader(batches, device):
        loss = model(batch).mean()
        if log is not None:
            log.write(loss)  # expect: XLA102 likely
        loss.backward()


def main(batches):
    options = take_options("1")
    options.device = device
    asks(options, batches)
    asks_for_what_another_module_adds(options, batches)
    is_given(batches, debug=options.debug, shown=options.shown)
    log = None
    if options.debug:
        log = Log()
    has_a_log(batches, log)
    trainer = Trainer(options)
    trainer.fit(batches)
    trainer.show(batches)
