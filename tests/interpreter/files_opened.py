# ruff: noqa
# mypy: ignore-errors
"""Which files all replicas open to write, by what opens files as Python's `open` does."""

import contextlib
import os

import fsspec
import torch
import torch_xla
import torch_xla.core.xla_model as xm
import torch_xla.runtime as xr
from fvcore.common.file_io import PathManager
from iopath.common.file_io import PathManager as Paths

device = torch_xla.device()
model = torch.nn.Linear(4, 4).to(device)
paths = Paths()
bucket = fsspec.filesystem("gs")


def is_xla():
    return bool(os.environ.get("ON_XLA"))


def is_master():
    return xr.global_ordinal() == 0


def open_if_master(path):
    return paths.open(path, "wb") if is_master() else contextlib.nullcontext()


class Checkpoint:
    def __init__(self, step):
        self.step = step

    def write(self, *what):
        return xm.save(*what) if is_xla() else torch.save(*what)

    def by_a_manager_of_paths(self, path):
        with paths.open(path, "wb") as file:  # expect: XLA604 likely
            self.write(model.state_dict(), file)

    def unless_neither_master_nor_on_xla(self, path):
        if not is_master() and not is_xla():
            return
        with paths.open(path, "wb") as file:  # expect: XLA604 likely
            self.write(model.state_dict(), file)

    def by_the_master(self, path):
        if not is_master():
            return
        with paths.open(path, "wb") as file:
            torch.save(self.step, file)

    def by_a_helper_that_asks(self, path):
        with open_if_master(path) as file:
            self.write(model.state_dict(), file)

    def to_read(self, path):
        with paths.open(path, "rb") as file:
            return torch.load(file)


def of_a_class(path):
    with PathManager.open(path, mode="wb") as file:  # expect: XLA604 likely
        xm.save(model.state_dict(), file)


def in_a_bucket(path):
    with bucket.open(path, "wb") as file:  # expect: XLA604 likely
        xm.save(model.state_dict(), file)


def by_its_name(path):
    with fsspec.open(path, "wb") as file:  # expect: XLA604 likely
        xm.save(model.state_dict(), file)


def to_write_one_each(path):
    with fsspec.open(f"{path}.{xr.global_ordinal()}", "wb") as file:
        xm.save(model.state_dict(), file, master_only=False)
