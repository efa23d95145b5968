# ruff: noqa
# mypy: ignore-errors
from . import hooks
from .trainer import Trainer
