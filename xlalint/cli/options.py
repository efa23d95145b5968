"""What several commands take: settings, paths, colours."""

# `pathlib` raises where a directory may not be entered, and `os.path` says that there is nothing;
# its `resolve` follows links, and `abspath` does not.
# ruff: noqa: PTH100, PTH112, PTH113

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from xlalint.cli.failure import Failure, reason, settings_failures

if TYPE_CHECKING:
    from xlalint.settings import SettingsFinder

COLORS = ("auto", "always", "never")
HANG_TIMEOUT = 300.0
"""So many seconds without a step end a run that is to tell something by its end."""


def color_option(function: Any) -> Any:
    return click.option(
        "--color",
        type=click.Choice(COLORS),
        default="auto",
        help="Use colours.",
        show_default=True,
    )(function)


def format_option(function: Any) -> Any:
    return click.option(
        "--output-format", type=click.Choice(("text", "json")), default="text", show_default=True
    )(function)


def report_options(otherwise: str) -> Callable[[Any], Any]:
    """The options of commands that write the report of a run, which goes `otherwise` without a file."""

    def with_options(function: Any) -> Any:
        function = click.option(
            "--output-file", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE",
            help=f"Write the report to FILE instead of {otherwise}.",
        )(function)  # fmt: skip
        return click.option(
            "--output-format", type=click.Choice(("text", "json")), default="text", show_default=True,
            help="Format of the report.",
        )(function)  # fmt: skip

    return with_options


def config_options(function: Any) -> Any:
    function = click.option("--isolated", is_flag=True, help="Ignore all settings files.")(function)
    return click.option(
        "--config", multiple=True, metavar="FILE|KEY=VALUE",
        help="Read settings from FILE and from no other file; or change one: --config fail-on=error.",
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
    return files, reads_input


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


def settings_finder(config: tuple[str, ...], isolated: bool, given: dict[str, Any]) -> SettingsFinder:
    """Where settings come from.

    Args:
        config: A file instead of those around the paths, and settings that win over those of files.
        isolated: Whether to read no file.
        given: Fields of `Settings` that win over all.
    """
    from xlalint.settings import SettingsFinder

    files = [text for text in config if os.path.isfile(text) or "=" not in text]
    if files and isolated:
        raise click.UsageError("use either --config FILE or --isolated, not both")
    if len(files) > 1:
        raise click.UsageError(
            f"--config names two files, {files[0]} and {files[1]}; one may extend the other"
        )
    with settings_failures():
        single = [_read_setting(text) for text in config if text not in files]
        fields = {name: value for each in single for name, value in each.items()}
        file = Path(files[0]) if files else None
        return SettingsFinder(config=file, isolated=isolated, given={**fields, **given})


def _read_setting(text: str) -> dict[str, Any]:
    """The field of `Settings` that a text such as `fail-on = "error"` sets."""
    from xlalint.settings import read_table
    from xlalint.sources.requirements import load_toml

    key, _, value = text.partition("=")
    try:
        table = load_toml(text)
    except ValueError:
        try:  # a word needs no quotes, which a shell takes away
            table = load_toml(f"{key}={json.dumps(value.strip())}")
        except ValueError as error:
            raise click.UsageError(f"--config {text!r} is no setting as TOML writes one: {error}") from error
    if table.keys() & {"extend", "required-version"}:
        raise click.UsageError(f"--config {text!r}: this setting works in files only")
    return read_table(table, working_directory(), "--config")
