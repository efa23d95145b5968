# ruff: noqa
# mypy: ignore-errors
"""A marker inside `forward` splits what this has recorded; before that it ends what came before."""

import torch
import torch_xla

device = torch_xla.device()


def cut():
    torch_xla.sync()  # expect: XLA205


class First(torch.nn.Module):
    def forward(self, x):
        torch_xla.sync()
        return x + 1


class FirstByAFunction(torch.nn.Module):
    def forward(self, x):
        cut()
        return x + 1


class Later(torch.nn.Module):
    def forward(self, x):
        x = x + 1
        torch_xla.sync()  # expect: XLA205
        return x * 2


class LaterByAFunction(torch.nn.Module):
    def forward(self, x):
        torch_xla.sync()
        x = x + 1
        cut()
        return x * 2


class Inner(torch.nn.Module):
    def forward(self, x):
        torch_xla.sync()  # expect: XLA205
        return x * 2


class Outer(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = Inner()

    def forward(self, x):
        return self.inner(x + 1)


class Sometimes(torch.nn.Module):
    def forward(self, x, scaled):
        if scaled:
            x = x * 2
        torch_xla.sync()  # expect: XLA205
        return x + 1


class SometimesNot(torch.nn.Module):
    def forward(self, x, scaled):
        if scaled:
            pass
        else:
            x = x * 2
        torch_xla.sync()  # expect: XLA205
        return x + 1


def main(scaled):
    x = torch.ones(2, device=device)
    x = x * 3
    print(First()(x), FirstByAFunction()(x))
    print(Later()(x), LaterByAFunction()(x))
    print(Outer()(x), Sometimes()(x, scaled), SometimesNot()(x, scaled))
    print(First()(x), Later()(x))


main("scaled" in __file__)
