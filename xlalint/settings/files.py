"""The files that settings are read from, and which of them hold for a directory."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

from xlalint.settings.table import FILE_NAMES, FORMER, SETTINGS, TABLE, Misplaced, allows, nearest
from xlalint.settings.toml import line_of, written
from xlalint.settings.values import Settings, SettingsError
from xlalint.sources.file import Unreadable, read_bytes, show
from xlalint.sources.requirements import load_toml

_REQUIRED = "required-version"
_SHARED = "pyproject.toml"
"""What holds settings for many tools."""


class SettingsFinder:
    """Finds the settings that hold for a directory, and remembers them for one command."""

    def __init__(
        self, *, config: Path | None = None, isolated: bool = False, given: Mapping[str, Any] | None = None
    ) -> None:
        """
        Args:
            config: The one file to read, instead of those around the directories.
            isolated: Whether to read none.
            given: Fields of `Settings` that the command line sets, whatever files say.

        Raises:
            SettingsError: `config` cannot be used.
        """
        self._given = dict(given or {})
        self._found: dict[Path, Settings] = {}
        self.unreadable: list[Unreadable] = []
        """What stands where settings may, and is no file that could be read."""
        self._fixed: Settings | None = None
        if config is not None:
            self._fixed = self._override(read_settings(config))
        elif isolated:
            self._fixed = self._override(Settings(Path.cwd()))

    def at(self, directory: Path) -> Settings:
        """The settings that hold in `directory`: those of the nearest file around it.

        Raises:
            SettingsError: that file cannot be used.
        """
        if self._fixed is not None:
            return self._fixed
        unknown: list[Path] = []
        for around in (directory, *directory.parents):
            if around in self._found:
                settings = self._found[around]
                break
            unknown.append(around)
            shared = around / _SHARED
            if os.path.exists(shared) and not os.path.isfile(shared):  # noqa: PTH110, PTH113 - never raise
                reason = f"{read_bytes(str(shared))!s}, and no settings are read from it"
                self.unreadable.append(Unreadable(shared, show(shared), reason))
            own = settings_in(around)
            if own is not None:
                settings = self._override(own)
                break
        else:
            settings = self._override(Settings(Path.cwd()))
        self._found.update(dict.fromkeys(unknown, settings))
        return settings

    def _override(self, settings: Settings) -> Settings:
        return dataclasses.replace(settings, **self._given) if self._given else settings


def settings_in(directory: Path) -> Settings | None:
    """The settings that stand in this very directory: in a file of their own, else in pyproject.toml.

    Raises:
        SettingsError: they cannot be used.
    """
    for name in FILE_NAMES:
        own = directory / name
        if os.path.lexists(own):  # whatever it is: nobody else's file is called like this
            return read_settings(own)
    shared = directory / _SHARED
    data = read_bytes(str(shared))
    # Most pyproject.toml do not speak of us; reading them as TOML would cost more than the check. One
    # that cannot be read is most likely not ours either.
    if isinstance(data, str) or b"xlalint" not in data:
        return None
    return read_settings(shared) if _table(_document(shared)[0]) is not None else None


def read_settings(file: Path) -> Settings:
    """The settings in one file; a pyproject.toml holds them in its table `tool.xlalint`.

    Raises:
        SettingsError: the file cannot be read, or holds something that is no setting.
    """
    file = file.absolute()
    return Settings(file.parent, file, **_fields(file, ()))


def _fields(file: Path, extending: tuple[Path, ...]) -> dict[str, Any]:
    """What a file sets, and the files that it extends.

    Args:
        extending: The files that lead here.
    """
    table, text = _document(file)
    where = show(file)
    inside: tuple[str, ...] = ()
    if file.name == _SHARED:
        table = _table(table) or {}
        inside = tuple(TABLE.split("."))
    fields = read_table(table, file.parent, where, text, inside)
    base = fields.get("extend")
    if base is None:
        return fields
    if base in (file, *extending):
        raise SettingsError(f"{where}: extend: {show(base)} extends this file in turn")
    try:
        return {**_fields(base, (*extending, file)), **fields}
    except SettingsError as error:
        raise SettingsError(f"{error} (extended by {where})") from error


def read_table(
    table: Mapping[str, object], base: Path, where: str, text: str = "", inside: Sequence[str] = ()
) -> dict[str, Any]:
    """The fields of `Settings` that a table sets, by the keys of xlalint.toml.

    Args:
        base: The directory that patterns and files in it are relative to.
        where: What to call the table in a message.
        text: The document in which it stands, to find lines in.
        inside: The names of the tables that it stands in.

    Raises:
        SettingsError: it holds something that is no setting, or needs another version of xlalint.
    """

    def failure(key: str, message: str, *below: str) -> SettingsError:
        line = line_of(text, (*inside, key, *below)) or line_of(text, (*inside, key))
        place = where if line is None else f"{where}:{line}"
        return SettingsError(f"{place}{f', [{TABLE}]' if inside else ''}: {message}")

    known = {setting.key: setting for setting in SETTINGS}
    fields: dict[str, Any] = {}
    # What asks for another version may well hold what this one does not know.
    for key, value in sorted(table.items(), key=lambda item: item[0] != _REQUIRED):
        setting = known.get(key)
        if setting is None:
            meant = f"; it is called {FORMER[key]!r} now" if key in FORMER else nearest(key, known)
            raise failure(key, f"unknown setting {key!r}{meant}")
        try:
            fields[setting.field] = setting.read(value, base)
        except Misplaced as error:
            raise failure(key, f"{key}.{written(error.key)}: {error}", error.key) from error
        except ValueError as error:
            raise failure(key, f"{key}: {error}") from error
        if key == _REQUIRED and not allows(fields[setting.field], version("xlalint")):
            raise failure(key, f"{key}: asks for xlalint {value}, and this is {version('xlalint')}")
    return fields


def _document(file: Path) -> tuple[dict[str, Any], str]:
    """What stands in a file, read and as a text."""
    data = read_bytes(str(file))
    if isinstance(data, str):
        raise SettingsError(f"{show(file)}: cannot read this file: {data}")
    try:
        text = data.decode("utf-8")
        return load_toml(text), text
    except ValueError as error:
        raise SettingsError(f"{show(file)}: not valid TOML: {error}") from error


def _table(document: dict[str, Any]) -> dict[str, Any] | None:
    tools = document.get("tool")
    table = tools.get("xlalint") if isinstance(tools, dict) else None
    return table if isinstance(table, dict) else None
