# ruff: noqa
# mypy: ignore-errors
"""The same question about what has not changed has one answer; what a call returns may change by rounds."""

import torch
import torch_xla
import torch_xla.core.xla_model as xm

device = torch_xla.device()


class Pair:
    def __init__(self):
        self.model = torch.nn.Linear(4, 4).to(device)
        self.optimizer = torch.optim.SGD(self.model.parameters(), lr=0.1)

    def compute(self, x):
        self.model(x).sum().backward()


def of_an_object(x, scaler):
    pair = Pair()
    pair.compute(x)
    if scaler.is_enabled():
        pair.optimizer.step()
    if not scaler.is_enabled():
        xm.optimizer_step(pair.optimizer)


def of_another_object(x, scaler, other):
    pair = Pair()
    pair.compute(x)
    if scaler.is_enabled():
        pair.optimizer.step()  # expect: XLA515
    if not other.is_enabled():
        xm.optimizer_step(pair.optimizer)


def of_an_object_under_a_name_bound_anew(x, scaler, other):
    pair = Pair()
    pair.compute(x)
    if scaler.is_enabled():
        pair.optimizer.step()  # expect: XLA515
    scaler = other
    if not scaler.is_enabled():
        xm.optimizer_step(pair.optimizer)


def of_what_comes_out_as_before(x, scaler):
    pair = Pair()
    pair.compute(x)
    if scaler.is_enabled():
        pair.optimizer.step()  # expect: XLA515
    if scaler.is_enabled():
        xm.optimizer_step(pair.optimizer)


def of_an_item(batches, settings):
    pair = Pair()
    for x in batches:
        pair.optimizer.zero_grad()
        loss = pair.model(x.to(device)).sum()
        loss.backward()
        pair.optimizer.step()
        if settings["shows"]:
            print(loss.item())
        if not settings["shows"]:
            torch_xla.sync()


def of_another_item(batches, settings):
    pair = Pair()
    for x in batches:
        pair.optimizer.zero_grad()
        loss = pair.model(x.to(device)).sum()
        loss.backward()
        pair.optimizer.step()
        if settings["shows"]:
            print(loss.item())  # expect: XLA102 likely
        if not settings["waits"]:
            torch_xla.sync()


def of_what_a_mapping_may_have(x, settings):
    pair = Pair()
    pair.compute(x)
    if settings.get("amp"):
        pair.optimizer.step()
    if not settings.get("amp"):
        xm.optimizer_step(pair.optimizer)


def of_two_names(x, kind, other):
    pair = Pair()
    pair.compute(x)
    if kind == other:
        pair.optimizer.step()
    if kind != other:
        xm.optimizer_step(pair.optimizer)


def of_some_texts(x, kind):
    pair = Pair()
    pair.compute(x)
    if kind in ("half", "mixed"):
        pair.optimizer.step()
    if kind not in ("half", "mixed"):
        xm.optimizer_step(pair.optimizer)


def of_a_class(x, kind):
    pair = Pair()
    pair.compute(x)
    if isinstance(kind, Pair):
        pair.optimizer.step()
    if not isinstance(kind, Pair):
        xm.optimizer_step(pair.optimizer)


def of_either(x, half, mixed):
    pair = Pair()
    pair.compute(x)
    if half or mixed:
        pair.optimizer.step()
    if not (half or mixed):
        xm.optimizer_step(pair.optimizer)


def of_what_is_given_something(x, kind):
    pair = Pair()
    pair.compute(x)
    if kind.has(x):
        pair.optimizer.step()  # expect: XLA515
    if not kind.has(x):
        xm.optimizer_step(pair.optimizer)


def of_another_answer_in_each_round(batches, timer):
    pair = Pair()
    for x in batches:
        pair.optimizer.zero_grad()
        loss = pair.model(x.to(device)).sum()
        loss.backward()
        pair.optimizer.step()
        if timer.is_due():
            print(loss.item())  # expect: XLA102
        else:
            torch_xla.sync()


def of_one_answer_before_the_rounds(batches, timer):
    pair = Pair()
    pair.compute(next(batches))
    if timer.is_due():
        pair.optimizer.step()
    for x in batches:
        if not timer.is_due():
            xm.optimizer_step(pair.optimizer)
        pair.optimizer.zero_grad()
