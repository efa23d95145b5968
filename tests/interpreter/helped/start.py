# ruff: noqa
# mypy: ignore-errors
"""A script that says how many, and names nothing of XLA."""

from starter import Starter


def main():
    Starter(8).start()


main()
