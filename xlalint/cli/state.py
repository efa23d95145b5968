"""`xlalint state`."""

# `pathlib` raises where a directory may not be entered, and `os.path` says that there is nothing.
# ruff: noqa: PTH110

from __future__ import annotations

import os
from pathlib import Path

import click

from xlalint.cli.collector import without_collector
from xlalint.cli.failure import Failure, settings_failures
from xlalint.cli.options import color_option, config_options, directory, given_settings, settings_finder
from xlalint.cli.terminal import print_lines


@click.command()
@click.argument("place", metavar="FILE[:LINE]")
@click.option("--target-version", metavar="RANGE", help="Versions of torch_xla that the code must support.")
@config_options
@color_option
def state(
    place: str, target_version: str | None, config: tuple[str, ...], isolated: bool, color: str
) -> None:  # fmt: skip
    """Show what xlalint knows at each line of a file.

    With LINE, show everything about that line. This is what the rules see: which operations
    torch_xla has recorded and not yet run, which scopes are open, and which replicas get there.
    A legend explains the words.
    """
    from xlalint.analysis.parsing import parse_file
    from xlalint.gathering import gather
    from xlalint.output.state import details, overview
    from xlalint.sources.file import SourceFile, Unreadable, read

    path, line = _split_place(place)
    finder = settings_finder(config, isolated, given_settings({"target_version": target_version}))
    with settings_failures():
        settings = finder.at(directory(path))
    file = read(path, settings.packages)
    tree = parse_file(file) if isinstance(file, SourceFile) else file
    if isinstance(tree, Unreadable):
        raise Failure(f"{tree.shown}: {tree.reason}")
    assert isinstance(file, SourceFile)
    if line is not None and not 0 < line <= len(file.lines):
        raise Failure(f"{file.shown} has no line {line}: it ends at line {len(file.lines)}")
    from xlalint.analysis.engine import trace
    from xlalint.findings import program_of
    from xlalint.stack import on_large_stack

    with without_collector(), settings_failures():
        (unit,) = gather([path], finder).units
        states = on_large_stack(lambda: trace(program_of(unit), file))
    print_lines(overview(file, states) if line is None else details(file, states, line), color)


def _split_place(place: str) -> tuple[Path, int | None]:
    path, colon, line = place.rpartition(":")
    if colon and line.isdecimal() and not os.path.exists(place):
        return Path(path), int(line)
    return Path(place), None
