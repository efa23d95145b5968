# ruff: noqa
# mypy: ignore-errors
"""Handlers that a program keeps in lists, by hand or by decorators, are called where it goes over these."""

from collections import defaultdict

import torch
import torch_xla
import torch_xla.core.xla_model as xm
import torch_xla.distributed.parallel_loader as pl

device = torch_xla.device()
model = torch.nn.Linear(4, 4).to(device)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)


def step(x):
    optimizer.zero_grad()
    loss = model(x).sum()
    loss.backward()
    optimizer.step()
    return loss


class Bus:
    def __init__(self):
        self.handlers = {}

    def on(self, event, handler):
        self.handlers.setdefault(event, []).append(handler)

    def emit(self, event, *given):
        for handler in self.handlers.get(event, []):
            handler(*given)


class Board(Bus):
    def __init__(self):
        self.handlers = defaultdict(list)

    def on(self, event, handler):
        self.handlers[event].append(handler)


class Meter:
    def __init__(self, bus):
        self.total = 0
        bus.on("step", self.add)

    def add(self, loss):
        self.total += loss.item()


class Saver:
    def __init__(self, bus):
        bus.on("epoch", self.save)

    def save(self, epoch):
        torch.save(model.state_dict(), f"{epoch}.pt")  # expect: XLA601


class Counter:
    def __init__(self, bus):
        self.steps = 0
        bus.on("step", self.count)

    def count(self, loss):
        self.steps += 1


def by_methods_of_objects(loader):
    bus = Bus()
    Meter(bus)
    Saver(bus)
    for epoch in range(3):
        for x in pl.MpDeviceLoader(loader, device):
            bus.emit("step", step(x))  # expect: XLA102
        bus.emit("epoch", epoch)


def by_functions(loader):
    board = Board()
    board.on("step", lambda loss: print(loss.item()))
    for x in pl.MpDeviceLoader(loader, device):
        board.emit("step", step(x))  # expect: XLA102


def that_read_nothing(loader):
    bus = Bus()
    Counter(bus)
    for x in pl.MpDeviceLoader(loader, device):
        bus.emit("step", step(x))  # quiet: it counts


def of_another_event(loader):
    board = Board()
    board.on("epoch", lambda loss: print(loss.item()))
    for x in pl.MpDeviceLoader(loader, device):
        board.emit("step", step(x))  # quiet: nobody listens


class Engine(Bus):
    def when(self, event):
        def decorate(handler):
            self.on(event, handler)
            return handler

        return decorate


def by_decorators_of_an_object(loader):
    engine = Engine()

    @engine.when("step")
    def show(loss):
        print(loss.item())

    @engine.when("epoch")
    def announce(loss):
        print(loss.max().item())

    for x in pl.MpDeviceLoader(loader, device):
        engine.emit("step", step(x))  # expect: XLA102


def by_decorators_that_read_nothing(loader):
    engine = Engine()

    @engine.when("step")
    def show(loss):
        print(loss.shape)

    for x in pl.MpDeviceLoader(loader, device):
        engine.emit("step", step(x))  # quiet: a shape is no read


HOOKS = []
QUIET = []
BY_EVENT = {}


def hook(function):
    HOOKS.append(function)
    return function


def quiet_hook(function):
    QUIET.append(function)
    return function


def on(event):
    def decorate(function):
        BY_EVENT.setdefault(event, []).append(function)
        return function

    return decorate


@hook
def count(loss):
    return 1


@hook
def report(loss):
    print(loss.item())


@quiet_hook
def look(loss):
    print(loss.shape)


@on("step")
def check(loss):
    if loss > 1:  # expect: XLA103
        print("large")


@on("epoch")
def note(loss):
    print("done")


def of_a_list(loader):
    for x in pl.MpDeviceLoader(loader, device):
        loss = step(x)
        for each in HOOKS:
            each(loss)  # expect: XLA102


def of_a_list_that_reads_nothing(loader):
    for x in pl.MpDeviceLoader(loader, device):
        loss = step(x)
        for each in QUIET:
            each(loss)  # quiet: a shape is no read


def of_lists_by_event(loader):
    for x in pl.MpDeviceLoader(loader, device):
        loss = step(x)
        for each in BY_EVENT["step"]:
            each(loss)
        for each in BY_EVENT["epoch"]:
            each(loss)  # quiet: it reads nothing


def of_what_stays(handlers):
    handlers = [print, str]
    loss = model(torch.ones(4, device=device)).sum()
    for each in handlers:  # quiet: no round makes anything of what the one before has made
        each(loss.item())
