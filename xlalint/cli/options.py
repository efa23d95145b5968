"""What several commands take: settings, paths, colours."""

# `pathlib` raises where a directory may not be entered, and `os.path` says that there is nothing;
# its `resolve` follows links, and `abspath` does not.
# ruff: noqa: PTH100, PTH112, PTH113

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from xlalint.cli.failure import Failure, reason, settings_failures

if TYPE_CHECKING:
    from xlalint.settings import SettingsFinder

COLORS = ("auto", "always", "never")


def color_option(function: Any) -> Any:
    return click.option(
        "--color",
        type=click.Choice(COLORS),
        default="auto",
        help="Use colours.",
        show_default=True,
    )(function)


def config_options(function: Any) -> Any:
    function = click.option("--isolated", is_flag=True, help="Ignore all settings files.")(function)
    return click.option(
        "--config", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE",
        help="Read settings from FILE and from no other file.",
    )(function)  # fmt: skip


def sort_out(paths: tuple[Path, ...], stdin_filename: str | None) -> tuple[tuple[Path, ...], bool]:
    """The paths without `-`, and whether it was among them."""
    reads_input = Path("-") in paths
    if stdin_filename is not None and not reads_input:
        raise click.UsageError("--stdin-filename works only with the path -, which stands for standard input")
    files = tuple(path for path in paths if path != Path("-")) if paths else (Path(),)
    for path in files:
        if _is_missing(path):
            raise click.UsageError(f"there is no file or directory {str(path)!r}")
    notebooks = [path for path in files if path.suffix == ".ipynb" and os.path.isfile(path)]
    for path in notebooks:
        click.echo(f"xlalint: skipped {path}: notebooks are not supported yet", err=True)
    return tuple(path for path in files if path not in notebooks), reads_input


def _is_missing(path: Path) -> bool:
    try:
        os.lstat(path)
    except (FileNotFoundError, NotADirectoryError):
        return True
    except OSError:
        return False  # whoever reads it says what is wrong
    return False


def standard_input() -> bytes:
    if sys.stdin is None:
        raise Failure("cannot read standard input, which the path - stands for: it is closed")
    try:
        return sys.stdin.buffer.read()
    except OSError as error:
        raise Failure(f"cannot read standard input: {reason(error)}") from error


def directory(path: Path) -> Path:
    absolute = Path(os.path.abspath(path))
    return absolute if os.path.isdir(absolute) else absolute.parent


def given_settings(options: dict[str, Any]) -> dict[str, Any]:
    """The fields of `Settings` that the command line sets."""
    from xlalint.settings import SETTINGS

    base = working_directory()
    given: dict[str, Any] = {}
    for setting in SETTINGS:
        value = options.get(setting.field)
        if value is None or value == ():
            continue
        if isinstance(value, tuple):
            value = [word.strip() for text in value for word in text.split(",") if word.strip()]
        try:
            given[setting.field] = setting.read(value, base)
        except ValueError as error:
            raise click.BadParameter(str(error), param_hint=f"'--{setting.key}'") from error
    return given


def working_directory() -> Path:
    try:
        return Path.cwd()
    except OSError as error:
        raise Failure("the working directory is gone or cannot be reached; change to another one") from error


def settings_finder(config: Path | None, isolated: bool, given: dict[str, Any]) -> SettingsFinder:
    from xlalint.settings import SettingsFinder

    if config is not None and isolated:
        raise click.UsageError("use either --config or --isolated, not both")
    with settings_failures():
        return SettingsFinder(config=config, isolated=isolated, given=given)
