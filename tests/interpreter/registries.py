# ruff: noqa
# mypy: ignore-errors
"""Classes and functions that decorators put into a mapping, and that are found there by name."""

import torch
import torch_xla
from torch_xla.distributed.parallel_loader import MpDeviceLoader

device = torch_xla.device()
HOOKS = {}
CRITERIA = {}


def hook(cls):
    HOOKS[cls.__name__] = cls
    return cls


def criterion(name):
    def put(function):
        CRITERIA[name] = function
        return function

    return put


class Registry:
    def __init__(self, name):
        self.name = name
        self._items = {}

    def register(self, cls=None, name=None):
        def put(given):
            self._items[name or given.__name__] = given
            return given

        return put(cls) if cls is not None else put

    def get(self, key):
        if key not in self._items:
            raise KeyError(key)
        return self._items[key]

    def build(self, settings, *arguments):
        settings = dict(settings)
        return self.get(settings.pop("type"))(*arguments, **settings)


MODELS = Registry("models")
OPTIMIZERS = Registry("optimizers")


@hook
class Report:
    def after(self, loss):
        print(loss.item())


@hook
class Count:
    def __init__(self):
        self.steps = 0

    def after(self, loss):
        self.steps += 1


@criterion("with a check")
def checked(output):
    loss = output.mean()
    if loss > 10:  # expect: XLA103
        raise ValueError
    return loss


@criterion("plain")
def plain(output):
    return output.mean()


@MODELS.register
class Linear(torch.nn.Module):
    def __init__(self, width=4):
        super().__init__()
        self.layer = torch.nn.Linear(width, 1)

    def forward(self, x):
        return self.layer(x)


@OPTIMIZERS.register(name="sgd")
def sgd(parameters, lr=0.1):
    return torch.optim.SGD(list(parameters), lr=lr)


@OPTIMIZERS.register()
class Scheduled(torch.optim.Adam):
    pass


def loader():
    return MpDeviceLoader([torch.ones(4, 4)] * 8, device)


def with_hook(name, criterion):
    model = torch.nn.Linear(4, 1).to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    hook = HOOKS[name]()
    for batch in loader():
        optimizer.zero_grad()
        loss = CRITERIA[criterion](model(batch))
        loss.backward()
        optimizer.step()
        hook.after(loss)  # expect: XLA102


def reads():
    with_hook("Report", "plain")


def counts():
    with_hook("Count", "plain")


def asks():
    with_hook("Count", "with a check")


def moved_after(settings):
    model = MODELS.build({"type": "Linear", "width": 4})
    optimizer = OPTIMIZERS.build({"type": "sgd", "lr": 0.1}, model.parameters())
    model.to(device)  # expect: XLA701
    train(model, optimizer)


def moved_before(settings):
    model = MODELS.build({"type": "Linear", "width": 4}).to(device)
    optimizer = OPTIMIZERS.build({"type": "sgd", "lr": 0.1}, model.parameters())
    train(model, optimizer)


def train(model, optimizer):
    for batch in loader():
        optimizer.zero_grad()
        model(batch).mean().backward()
        optimizer.step()
