# ruff: noqa
# mypy: ignore-errors
from .. import reading
from .deep import read as deeper


def read(loss):
    if loss is None:
        return deeper(loss)
    return reading.read(loss)
