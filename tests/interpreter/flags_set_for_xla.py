# ruff: noqa
# mypy: ignore-errors
"""Flags of an object of settings that are true by default: what the program sets itself may be off, and is off on XLA
where it says so."""

from dataclasses import dataclass

import torch
import torch.utils.checkpoint
import torch_xla

device = torch_xla.device()


@dataclass
class Settings:
    again: bool = True
    saves_memory: bool = True
    spares: bool = True
    plain: bool = False


def for_tpus(settings):
    settings.saves_memory = False
    return settings


def from_the_command_line(settings, args):
    settings.spares = not args.fast
    if args.plain:
        settings.plain = True
    return settings


settings = for_tpus(Settings())


class AsByDefault(torch.nn.Module):
    def __init__(self, settings: Settings):
        super().__init__()
        self.again = settings.again
        self.layer = torch.nn.Linear(4, 4)

    def forward(self, x):
        if self.again:
            return torch.utils.checkpoint.checkpoint(self.layer, x, use_reentrant=False)  # expect: XLA708
        return self.layer(x)


class OffForTpus(torch.nn.Module):
    def __init__(self, settings: Settings):
        super().__init__()
        self.saves_memory = settings.saves_memory
        self.layer = torch.nn.Linear(4, 4)

    def forward(self, x):
        if self.saves_memory:
            return torch.utils.checkpoint.checkpoint(self.layer, x, use_reentrant=False)  # expect: XLA708 likely
        return self.layer(x)


class AsAsked(torch.nn.Module):
    def __init__(self, settings: Settings):
        super().__init__()
        self.spares = settings.spares
        self.layer = torch.nn.Linear(4, 4)

    def forward(self, x):
        if self.spares:
            return torch.utils.checkpoint.checkpoint(self.layer, x, use_reentrant=False)  # expect: XLA708 likely
        return self.layer(x)


def as_by_default():
    model = AsByDefault(settings).to(device)
    for _ in range(10):
        with torch_xla.step():
            model(torch.ones(4, 4, device=device)).sum().backward()


def off_for_tpus():
    model = OffForTpus(settings).to(device)
    for _ in range(10):
        with torch_xla.step():
            model(torch.ones(4, 4, device=device)).sum().backward()


def as_asked():
    model = AsAsked(settings).to(device)
    for _ in range(10):
        with torch_xla.step():
            model(torch.ones(4, 4, device=device)).sum().backward()


class UnlessAskedOtherwise(torch.nn.Module):
    def __init__(self, settings: Settings):
        super().__init__()
        self.plain = settings.plain
        self.layer = torch.nn.Linear(4, 4)

    def forward(self, x):
        if self.plain:
            return self.layer(x)
        return torch.utils.checkpoint.checkpoint(self.layer, x, use_reentrant=False)  # expect: XLA708


def unless_asked_otherwise():
    model = UnlessAskedOtherwise(settings).to(device)
    for _ in range(10):
        with torch_xla.step():
            model(torch.ones(4, 4, device=device)).sum().backward()
