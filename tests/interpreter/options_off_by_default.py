# ruff: noqa
# mypy: ignore-errors
"""What only an option does that is off by default informs; one that chooses XLA is on, and others are as they come."""

import argparse

import torch
import torch_xla
import torch_xla.distributed.parallel_loader as pl

parser = argparse.ArgumentParser()
parser.add_argument("--norms", action="store_true")
parser.add_argument("--tpu", action="store_true")
parser.add_argument("--shown", type=bool, default=True)
args = parser.parse_args()
device = torch_xla.device()
model = torch.nn.Linear(4, 4).to(device)


def shows_norms(batches):
    for batch in pl.MpDeviceLoader(batches, device):
        loss = model(batch).mean()
        if args.norms:
            print(loss.item())  # expect: XLA102 likely
        loss.backward()


def shows_losses(batches):
    for batch in pl.MpDeviceLoader(batches, device):
        loss = model(batch).mean()
        if args.shown:
            print(loss.item())  # expect: XLA102
        loss.backward()


def on_what_is_chosen(batches):
    where = torch_xla.device() if args.tpu else "cpu"
    chosen = torch.nn.Linear(4, 4).to(where)
    for batch in batches:
        loss = chosen(batch.to(where)).mean()
        print(loss.item())  # expect: XLA102 likely
        torch_xla.sync()  # expect: XLA201


def where_it_is_all_that_is_left(batches):
    on_xla = device.type == "xla"
    for batch in pl.MpDeviceLoader(batches, device):
        loss = model(batch).mean()
        if args.norms or not on_xla:
            print(loss.item())  # expect: XLA102 likely
        loss.backward()


def where_another_may_say_so(batches, debugs):
    for batch in pl.MpDeviceLoader(batches, device):
        loss = model(batch).mean()
        if args.norms or debugs:
            print(loss.item())  # expect: XLA102
        loss.backward()


class Shown:
    def __init__(self, model):
        self.model = model

    def show(self):
        print(self.model.weight.sum())


def trained(batches, shown=None):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for batch in pl.MpDeviceLoader(batches, device):
        model(batch).mean().backward()
        optimizer.step()
        if shown is not None:
            shown.show()  # expect: XLA102 likely


def shown_where_it_is_asked_for(batches):
    trained(batches, shown=Shown(model) if args.norms else None)


def trained_and_shown(batches, shown):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for batch in pl.MpDeviceLoader(batches, device):
        model(batch).mean().backward()
        optimizer.step()
        if shown is not None:
            shown.show()  # expect: XLA102


def shown_where_nobody_says_not_to(batches):
    trained_and_shown(batches, None if args.norms else Shown(model))
