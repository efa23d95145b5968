"""`xlalint state`."""

# `pathlib` raises where a directory may not be entered, and `os.path` says that there is nothing.
# ruff: noqa: PTH110

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import click

from xlalint.cli.collector import without_collector
from xlalint.cli.failure import Failure, settings_failures
from xlalint.cli.options import color_option, config_options, directory, given_settings, settings_finder
from xlalint.cli.terminal import print_lines

if TYPE_CHECKING:
    from xlalint.sources.file import SourceFile


@click.command()
@click.argument("place", metavar="FILE[:[CELL:]LINE]")
@click.option("--target-version", metavar="RANGE", help="Versions of torch_xla that the code must support.")
@config_options
@color_option
def state(
    place: str, target_version: str | None, config: tuple[str, ...], isolated: bool, color: str
) -> None:  # fmt: skip
    """Show what xlalint knows at each line of a file.

    With LINE, show everything about that line; in a notebook, about that of a CELL. This is what
    the rules see: which operations torch_xla has recorded and not yet run, which scopes are open,
    and which replicas get there. A legend explains the words.
    """
    from xlalint.gathering import gather
    from xlalint.output.state import details, overview
    from xlalint.program.parsing import parse_file
    from xlalint.sources.file import SourceFile, Unreadable, read

    path, numbers = _split_place(place)
    finder = settings_finder(config, isolated, given_settings({"target_version": target_version}))
    with settings_failures():
        settings = finder.at(directory(path))
    file = read(path, settings.packages)
    tree = parse_file(file) if isinstance(file, SourceFile) else file
    if isinstance(tree, Unreadable):
        raise Failure(f"{tree.shown}: {tree.reason}")
    assert isinstance(file, SourceFile)
    line = _line(file, numbers) if numbers else None
    from xlalint.analysis.engine import trace
    from xlalint.findings import program_of
    from xlalint.stack import on_large_stack

    with without_collector(), settings_failures():
        (unit,) = gather([path], finder).units
        states = on_large_stack(lambda: trace(program_of(unit), file))
    print_lines(overview(file, states) if line is None else details(file, states, line), color)


def _split_place(place: str) -> tuple[Path, tuple[int, ...]]:
    """A path, and the numbers behind it."""
    numbers: list[int] = []
    while not os.path.exists(place) and len(numbers) < 2:
        path, colon, number = place.rpartition(":")
        if not (colon and number.isdecimal()):
            break
        place, numbers = path, [int(number), *numbers]
    return Path(place), tuple(numbers)


def _line(file: SourceFile, numbers: tuple[int, ...]) -> int:
    """The line of the analyzed text that a user names.

    Raises:
        Failure: there is none.
    """
    if file.notebook is None:
        (*cells, line) = numbers
        if cells:
            raise Failure(f"{file.shown} has no cells: name a line alone, as in {file.shown}:{line}")
        if not 0 < line <= len(file.lines):
            raise Failure(f"{file.shown} has no line {line}: it ends at line {len(file.lines)}")
        return line
    if len(numbers) == 1:
        raise Failure(f"{file.shown} is a notebook: name a cell and a line in it, as in {file.shown}:1:1")
    cell, line = numbers
    cells_there = file.notebook.cells
    if not 0 < cell <= len(cells_there):
        raise Failure(f"{file.shown} has no code cell {cell}: it has {len(cells_there)}")
    if not 0 < line <= len(cells_there[cell - 1].shown):
        lines = len(cells_there[cell - 1].shown)
        raise Failure(f"cell {cell} of {file.shown} has no line {line}: it ends at line {lines}")
    return file.notebook.in_program(cell, line)
