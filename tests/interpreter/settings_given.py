# ruff: noqa
# mypy: ignore-errors
"""Settings with defaults that are filled with whatever a file holds: no default says what they are."""

import json
from dataclasses import dataclass
from typing import Optional

import pydantic
import torch
import torch_xla

device = torch_xla.device()


class Config(pydantic.BaseModel):
    path: Optional[str] = None


@dataclass
class Arguments:
    path: Optional[str] = None
    save: bool = False


class Settings:
    save = False


class Fixed:
    save = False


def model():
    return torch.nn.Linear(3, 3).to(device)


def by_a_field(config: Config):
    if config.path is None:
        return
    torch.save(model().state_dict(), config.path)  # expect: XLA601


def by_keywords(read):
    arguments = Arguments(**read)
    if arguments.save:
        torch.save(model().state_dict(), "x")  # expect: XLA601


def by_names(read):
    settings = Settings()
    for name, value in read.items():
        setattr(settings, name, value)
    if settings.save:
        torch.save(model().state_dict(), "x")  # expect: XLA601


def by_one_name():
    settings = Settings()
    setattr(settings, "save", False)
    if settings.save:
        torch.save(model().state_dict(), "x")


def as_it_is():
    fixed = Fixed()
    if fixed.save:
        torch.save(model().state_dict(), "x")


class FilledByNames:
    def __init__(self, **given):
        self.skips = True
        for name, value in given.items():
            setattr(self, name, value)


class FilledByOneName:
    def __init__(self, value):
        self.skips = True
        setattr(self, "path", value)


def filled_by_names(model):
    if FilledByNames(**json.load(open("settings.json"))).skips:
        return
    torch.save(model.to(torch_xla.device()).state_dict(), "x.pt")  # expect: XLA601


def filled_by_one_name(model):
    if FilledByOneName(3).skips:
        return
    torch.save(model.to(torch_xla.device()).state_dict(), "x.pt")


filled_by_names(torch.nn.Linear(3, 3))
filled_by_one_name(torch.nn.Linear(3, 3))
