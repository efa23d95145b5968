# ruff: noqa
# mypy: ignore-errors
"""Numbers."""


class Config:
    rate = 0.1
    epochs = 2
