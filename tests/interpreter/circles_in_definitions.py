# ruff: noqa
# mypy: ignore-errors
"""Definitions that ask for themselves: they end, and what stands beside them is judged."""

import torch
import torch_xla
from elsewhere import Base, implements, make_base, registered

device = torch_xla.device()
model = torch.nn.Linear(4, 4).to(device)
x = torch.randn(4, 4, device=device)


def judged():
    with torch_xla.step():
        print(model(x))  # expect: XLA101


# Decorators


def train():
    torch_xla.sync()


@implements(train)
def train():
    with torch_xla.step():
        print(model(x))  # expect: XLA101


def timed(label):
    return lambda function: function


@timed("x")
def timed(label):
    with torch_xla.step():
        print(model(x))  # expect: XLA101


@decorated_by_itself
def decorated_by_itself(function):
    torch_xla.sync()
    return function


@one_of_two
def other_of_two(function):
    torch_xla.sync()
    return one_of_two(function)  # expect: XLA092


@other_of_two
def one_of_two(function):
    torch_xla.sync()
    return other_of_two(function)  # expect: XLA092


@timed(timed(timed("x")))
@implements(lambda: nested)
def nested():
    @implements(nested)
    def nested():
        with torch_xla.step():
            print(model(x))  # expect: XLA101

    nested()


@(lambda function: at_once(function))
def at_once(function):
    torch_xla.sync()
    return at_once


# Classes


class OfALambda(make_base(key=lambda x: x)):
    def step(self):
        with torch_xla.step():
            print(model(x))  # expect: XLA101


class WithKeywords(Base, metaclass=lambda *given, **named: type(*given), key=lambda x: x):
    def step(self):
        with torch_xla.step():
            print(model(x))  # expect: XLA101


class OfItself(OfItself):
    def step(self):
        with torch_xla.step():
            print(model(x))  # expect: XLA101


class OfItsCall(OfItsCall()):
    def step(self):
        torch_xla.sync()


class Chicken(Egg):
    def lay(self):
        torch_xla.sync()
        return Egg()


class Egg(Chicken):
    def hatch(self):
        torch_xla.sync()
        return self.lay().hatch()  # expect: XLA092


class Meta(type):
    def __call__(cls, *given):
        torch_xla.sync()
        return cls(*given)  # expect: XLA092


class Made(metaclass=Meta):
    def step(self):
        torch_xla.sync()
        return Made().step()  # expect: XLA092


class Attributes:
    first = second
    second = first
    own = Attributes.own

    def __init__(self):
        self.me = self
        self.other = Attributes().other  # expect: XLA092
        self.loop = [self.loop]
        torch_xla.sync()

    @property
    def size(self):  # expect: XLA092
        return self.size + torch_xla.device().index

    @size.setter
    def size(self, value):
        self.size = value  # expect: XLA092
        torch_xla.sync()

    def step(self):
        self.size = self.size
        with torch_xla.step():
            print(model(x), self.first, self.own, self.loop)  # expect: XLA101 likely


@registered
@registered(Base)
class Registered(Attributes):
    @registered(lambda self: Registered())
    def step(self):
        with torch_xla.step():
            print(model(x))  # expect: XLA101
