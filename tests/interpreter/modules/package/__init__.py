# ruff: noqa
# mypy: ignore-errors
from .reading import *
from .reading import read as read_again
