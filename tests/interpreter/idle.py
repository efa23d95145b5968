# ruff: noqa
# mypy: ignore-errors
"""Functions that are given nothing of the engine's: one context stands for all in which they do nothing.

Known to be wrong: what is returned may hang on what is recorded, which such a context is not told apart by.
"""

import torch
import torch_xla
from torch_xla.experimental import eager_mode

device = torch_xla.device()
model = torch.nn.Linear(4, 4).to(device)
x = torch.randn(4, 4, device=device)


def forward():
    return model(x)


def eager_mode_differs():
    eager_mode(True)
    loss = forward()
    print(loss)  # state: none
    eager_mode(False)
    loss = forward()
    print(loss.item())  # state: heavy  # expect: XLA102
    torch_xla.sync()


def the_captured_variable_differs():
    eager_mode(False)
    train = False

    def run():
        return model(x) if train else None

    run()
    torch_xla.sync()  # state: none
    train = True
    loss = run()
    print(loss.item())  # state: heavy  # expect: XLA102
    torch_xla.sync()


def what_is_returned_hangs_on_the_state():
    eager_mode(False)
    optimizer = torch.optim.SGD(model.parameters())
    optimizer.step()
    parameter = a_parameter()
    print(parameter)  # state: heavy  # missed: XLA102
    torch_xla.sync()


def a_parameter():
    for parameter in model.parameters():
        return parameter.data
