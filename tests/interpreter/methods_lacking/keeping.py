# ruff: noqa
# mypy: ignore-errors
"""A decorator that keeps what a constructor is given."""

import functools


def keeps_arguments(function):
    @functools.wraps(function)
    def run(self, **arguments):
        function(self, **arguments)
        for name, value in arguments.items():
            object.__setattr__(self, name, value)

    return run
