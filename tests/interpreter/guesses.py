# ruff: noqa
# mypy: ignore-errors
"""Code that does not run here, or not as it is written: for another backend, and where an error is awaited."""

import pytest
import torch
import torch_xla
import torch_xla.core.xla_model as xm

device = torch_xla.device()
model = torch.nn.Linear(4, 4).to(device)
x = torch.randn(4, 4, device=device)


class Scaled(torch.optim.SGD):
    def step(self, found_inf):
        xm.reduce_gradients(self)
        if found_inf.item():
            return
        for group in self.param_groups:
            for parameter in group["params"]:
                if parameter.grad.item():  # expect: XLA703
                    pass


class ScaledOnCuda(torch.optim.SGD):
    def step(self, found_inf):
        overflows = torch.cuda.FloatTensor([0.0])
        xm.reduce_gradients(self)
        for group in self.param_groups:
            for parameter in group["params"]:
                if parameter.grad.item():
                    overflows += 1


# Errors that are awaited


def an_error_is_awaited():
    with torch_xla.step():
        loss = model(x)
        with pytest.raises(RuntimeError):
            print(loss)


def an_error_is_awaited_by_a_test_case(self):
    with torch_xla.step():
        loss = model(x)
        with self.assertRaisesRegex(RuntimeError, "step"):
            print(loss)


def no_error_is_awaited():
    with torch_xla.step():
        loss = model(x)
        with torch.no_grad():
            print(loss)  # expect: XLA101


# Imports that may fail


def an_import_may_fail():
    torch_xla.sync()
    try:
        import torch_xla.runtime as xr

        model(x)
    except ImportError:
        xr = None
    print("torch_xla is there")  # state: heavy


def more_than_an_import_may_fail():
    torch_xla.sync()
    try:
        import torch_xla.runtime as xr

        model(x)
    except (ImportError, RuntimeError):
        xr = None
    except ValueError:
        xr = None
    print("or not")  # state: none-heavy


# Moves in a function


def moved(layer):
    layer.to(torch_xla.device())


def a_move_in_a_function_is_told_to_the_caller():
    layer = torch.nn.Linear(4, 4)
    optimizer = torch.optim.SGD(layer.parameters())
    moved(layer)  # expect: XLA701
    layer(x).sum().backward()
    xm.optimizer_step(optimizer)
