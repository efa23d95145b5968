# ruff: noqa
# mypy: ignore-errors
"""Objects of several classes, of which the program picks one: what that of XLA does happens where it is picked."""

import torch
import torch_xla
import torch_xla.core.xla_model as xm
import torch_xla.distributed.parallel_loader as pl


class Backend:
    NAME = None

    def step(self, optimizer):
        optimizer.step()


class Plain(Backend):
    NAME = "plain"

    def prepare(self, model, loader):
        return model, loader


class Xla(Backend):
    NAME = "xla"

    def prepare(self, model, loader):
        device = torch_xla.device()
        return model.to(device), pl.MpDeviceLoader(loader, device)

    def step(self, optimizer):
        xm.optimizer_step(optimizer)


OBJECTS = [Plain(), Xla()]
CLASSES = {"plain": Plain, "other": Xla}
used = None


def looked_for(name):
    for backend in OBJECTS:
        if backend.NAME == name:
            return backend
    raise ValueError(name)


def use(name):
    global used
    for candidate in OBJECTS:
        if candidate.NAME == name:
            used = candidate


def by_its_name(name, data):
    backend = looked_for(name)
    model = torch.nn.Linear(4, 4)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    model, loader = backend.prepare(model, data)  # expect: XLA701 likely
    for x, y in loader:
        loss = (model(x) - y).pow(2).mean()
        loss.backward()
        print(loss.item())  # expect: XLA102 likely
        backend.step(optimizer)
        optimizer.zero_grad()


def by_its_class(name, data):
    backend = CLASSES[name]()
    model = torch.nn.Linear(4, 4)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    model, loader = backend.prepare(model, data)  # expect: XLA701 likely
    for x, y in loader:
        loss = (model(x) - y).pow(2).mean()
        loss.backward()
        backend.step(optimizer)
        optimizer.zero_grad()


def by_a_name_of_the_module(name, data):
    use(name)
    model = torch.nn.Linear(4, 4)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    model, loader = used.prepare(model, data)  # expect: XLA701 likely
    for x, y in loader:
        loss = (model(x) - y).pow(2).mean()
        loss.backward()
        used.step(optimizer)
        optimizer.zero_grad()


def by_a_branch(name, data):
    if name == "plain":
        backend = Plain()
    else:
        backend = Xla()
    model = torch.nn.Linear(4, 4)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    model, loader = backend.prepare(model, data)  # expect: XLA701
    for x, y in loader:
        loss = (model(x) - y).pow(2).mean()
        loss.backward()
        if isinstance(backend, Xla):
            xm.optimizer_step(optimizer)
        else:
            optimizer.step()
        optimizer.zero_grad()


class Elsewhere(Backend):
    NAME = "elsewhere"

    def prepare(self, model, loader):
        return initialized(model, loader)


MORE = [Plain(), Elsewhere(), Xla()]


def found_in(name):
    """Which is none that names torch_xla, and too long to be looked into for its own sake."""
    known = sorted(backend.NAME for backend in MORE)
    wanted = name.lower().strip()
    if not wanted:
        raise ValueError(known)
    print(f"looking for {wanted} among {known}")
    for backend in MORE:
        if backend.NAME == wanted:
            print(f"found {backend.NAME}")
            return backend
    raise ValueError(f"unknown backend {name}: {known}")


def beside_one_that_nobody_sees(name, data):
    backend = found_in(name)
    model = torch.nn.Linear(4, 4)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    model, loader = backend.prepare(model, data)  # expect: XLA701 likely
    for x, y in loader:
        loss = (model(x) - y).pow(2).mean()
        loss.backward()
        backend.step(optimizer)
        optimizer.zero_grad()


def in_the_right_order(name, data):
    backend = looked_for(name)
    model, loader = backend.prepare(torch.nn.Linear(4, 4), data)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for x, y in loader:
        loss = (model(x) - y).pow(2).mean()
        loss.backward()
        backend.step(optimizer)
        optimizer.zero_grad()


def of_the_others(name, data):
    backend = looked_for(name)
    if isinstance(backend, Xla):
        return
    model = torch.nn.Linear(4, 4)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    model, loader = backend.prepare(model, data)
    for x, y in loader:
        loss = (model(x) - y).pow(2).mean()
        loss.backward()
        print(loss.item())
        backend.step(optimizer)
        optimizer.zero_grad()
