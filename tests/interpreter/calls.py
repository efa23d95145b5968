# ruff: noqa
# mypy: ignore-errors
"""Calls: by whatever name, through whatever wrapper, and however deep."""

import contextlib
import functools
from contextlib import contextmanager
from functools import partial

import torch
import torch_xla
import torch_xla.core.xla_model as xm
import torch_xla.distributed.parallel_loader as pl
import torch_xla.runtime as xr

device = torch_xla.device()
model = torch.nn.Linear(4, 4).to(device)
x = torch.randn(4, 4, device=device)


def read(loss):
    return loss.item()


def through_a_helper():
    with torch_xla.step():
        read(model(x))  # expect: XLA101


def helper_below_the_step():
    with torch_xla.step():
        loss = model(x)
    read(loss)


def keyword_and_default():
    def show(loss=None, *, also=None):
        print(loss)
        if also is not None:
            print(also)

    with torch_xla.step():
        show()
        show(also=model(x))  # expect: XLA101


def partials():
    with torch_xla.step():
        partial(read, model(x))()  # expect: XLA101
        functools.partial(read, loss=model(x))()  # expect: XLA101


def partial_of_a_partial():
    def show(a, b, c):
        print(c)

    inner = partial(show, 1)
    with torch_xla.step():
        partial(inner, 2)(model(x))  # expect: XLA101


def in_a_variable(flag):
    function = read if flag else print
    with torch_xla.step():
        function(model(x))  # expect: XLA101 likely


def in_a_list():
    functions = [read, read]
    with torch_xla.step():
        for function in functions:
            function(model(x))  # expect: XLA101


def in_a_dictionary():
    table = {"read": read, "write": lambda loss: None}
    with torch_xla.step():
        table["read"](model(x))  # expect: XLA101
        table["write"](model(x))


def mapped():
    with torch_xla.step():
        list(map(read, [model(x)]))  # expect: XLA101


def passed_on():
    def apply(function, value):
        return function(value)

    with torch_xla.step():
        apply(read, model(x))  # expect: XLA101
        apply(lambda value: value, model(x))


def handed_to_the_unknown(framework):
    torch_xla.sync()

    def hook(loss):
        with torch_xla.step():
            print(model(x))  # expect: XLA101

    framework.register(hook)


def methods_that_ask_for_the_value():
    with torch_xla.step():
        loss = model(x).sum()
        loss.is_nonzero()  # expect: XLA101
        loss.equal(x)  # expect: XLA101
        loss.is_floating_point()
        print(loss.type())
        print(loss.type(torch.float64))  # expect: XLA101


# Decorators


@torch_xla.compile
def compiled():
    print(model(x))  # expect: XLA101


@torch_xla.compile()
def compiled_with_parentheses():
    print(model(x))  # expect: XLA101


@torch_xla.compile(full_graph=True)
def compiled_with_arguments():
    print(model(x))  # expect: XLA101


@torch.no_grad()
@torch_xla.compile
def compiled_inside_another_decorator():
    print(model(x))  # expect: XLA101


def calls_what_is_compiled():
    loss = compiled_and_returned()
    print(loss)  # state: none


@torch_xla.compile
def compiled_and_returned():
    return model(x)


def compiles_a_nested_function():
    @torch_xla.compile
    def step(batch):
        return model(batch).item()  # expect: XLA101

    return step(x)


def compiles_by_a_call():
    def step(batch):
        return model(batch).item()  # expect: XLA101

    compiled_step = torch_xla.compile(step)
    return compiled_step(x)


def compiles_a_lambda():
    step = torch_xla.compile(lambda: model(x).item())  # expect: XLA101
    return step()


class Trainer:
    @torch_xla.compile
    def step(self, batch):
        return model(batch).item()  # expect: XLA101

    @torch_xla.compile(full_graph=True)
    def full_step(self, batch):
        return model(batch).item()  # expect: XLA101

    def run(self):
        self.step(x)
        self.full_step(x)


def logged(function):
    @functools.wraps(function)
    def wrapper(*args, **kwargs):
        return function(*args, **kwargs)

    return wrapper


@logged
def decorated(loss):
    return loss.item()


def calls_what_is_decorated():
    with torch_xla.step():
        decorated(model(x))  # expect: XLA101


# Closures


def enclosing_variable():
    loss = None

    def show():
        print(loss)

    with torch_xla.step():
        loss = model(x)
        show()  # expect: XLA101


def enclosing_variable_is_looked_up_when_called():
    with torch_xla.step():
        loss = model(x)

        def show():
            print(loss)

        loss = 3
        show()


def enclosing_variable_is_changed():
    loss = None

    def compute():
        nonlocal loss
        loss = model(x)

    with torch_xla.step():
        compute()
        print(loss)  # expect: XLA101


def made_by_a_function():
    def maker(factor):
        def inner(batch):
            return (model(batch) * factor).item()

        return inner

    read_it = maker(2)
    with torch_xla.step():
        read_it(x)  # expect: XLA101


# Generators and coroutines


def batches():
    for _ in range(3):
        yield model(x)


def generator():
    with torch_xla.step():
        for loss in batches():
            print(loss)  # expect: XLA101


def delegates():
    yield from batches()


def generator_of_a_generator():
    with torch_xla.step():
        for loss in delegates():
            print(loss)  # expect: XLA101


def steps():
    for number in range(3):
        torch_xla.sync()
        yield number


def loop_over_a_generator_that_cuts():
    for number in steps():
        loss = model(x)
        print(loss.item())  # expect: XLA102


@contextmanager
def managed():
    with torch_xla.step():
        yield


def context_manager_of_the_project():
    with managed():
        print(model(x))  # expect: XLA101
    print("cut")  # state: none


@contextlib.contextmanager
def bound():
    with torch_xla.step():
        yield model(x)


def context_manager_that_gives_something():
    with bound() as loss:
        print("in it")  # state: heavy
    print("cut")  # state: none


async def coroutine():
    with torch_xla.step():
        return model(x).item()  # expect: XLA101


async def awaits():
    async def compute():
        return model(x)

    with torch_xla.step():
        loss = await compute()
        print(loss)  # expect: XLA101


async def asynchronous_loop(source):
    async with source:
        async for batch in source:
            with torch_xla.step():
                print(model(x))  # expect: XLA101


# Recursion and depth


def recursive(n):
    with torch_xla.step():
        print(model(x))  # expect: XLA101
    if n:
        recursive(n - 1)  # expect: XLA092
    return 3


def even(n):
    with torch_xla.step():
        print(model(x))  # expect: XLA101
    return True if n == 0 else odd(n - 1)


def odd(n):
    return False if n == 0 else even(n - 1)  # expect: XLA092


def starts_a_cycle():
    return even(4)


# Defaults


def default_of_a_nested_function():
    with torch_xla.step():
        loss = model(x)

        def show(loss=loss, *, number=3):
            print(number)
            print(loss)

        show()  # expect: XLA101
        show(4)


def default_of_a_lambda():
    with torch_xla.step():
        loss = model(x)
        (lambda value=loss: print(value))()  # expect: XLA101
        loss = 3
        print(loss)


def default_that_reads():
    with torch_xla.step():
        loss = model(x)
        show = lambda number=loss.item(): print(number)  # expect: XLA101
        show()


def default_that_a_cut_has_run():
    loss = model(x)
    show = lambda value=loss: print(value)
    torch_xla.sync()
    show()
    torch_xla.sync()
