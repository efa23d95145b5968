# ruff: noqa
# mypy: ignore-errors
from ..reading import read
