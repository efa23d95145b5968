# ruff: noqa
# mypy: ignore-errors
import argparse

from logs import add_options


def take_options(version):
    parser = argparse.ArgumentParser()
    parser.add_argument("--debug", action="store_true")
    parser.add_argument("--shown", type=bool, default=True)
    parser.add_argument("--steps", type=int, default=100)
    parser.add_argument("--width", type=int, default=4)
    parser.add_argument("--depth", type=int, default=2)
    parser.add_argument("--name", default="")
    parser.add_argument("--version", action="version", version=version)
    add_options(parser)
    options = parser.parse_args()
    if options.steps < 1:
        parser.error("too few steps")
    return options
