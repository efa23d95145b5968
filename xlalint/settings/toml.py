"""Settings as TOML: written, and where in a file one of them stands."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from typing import Any

from xlalint.settings.table import NEVER, SETTINGS
from xlalint.settings.values import Settings
from xlalint.sources.discovery import Patterns
from xlalint.sources.file import show
from xlalint.versions import VersionRange

_HEADER = re.compile(r"\s*\[(?P<table>[^\[\]]+)\]\s*(?:#.*)?")
_NAME = r"""(?:[\w-]+|"[^"]*"|'[^']*')"""
_PART = re.compile(_NAME)
_ASSIGNMENT = re.compile(rf"\s*(?P<key>{_NAME}(?:\s*\.\s*{_NAME})*)\s*=")


def as_toml(settings: Settings) -> Iterator[str]:
    """The settings as lines that could stand in xlalint.toml."""
    tables = []
    for setting in SETTINGS:
        value = getattr(settings, setting.field)
        if setting.field == "extend" and value is not None:
            value = show(value)
        if setting.field == "exclude":
            value = settings.excludes[0]
        if setting.field == "frameworks":
            value = tuple(framework.given for framework in settings.frameworks)
        if (
            isinstance(value, tuple)
            and not isinstance(value, VersionRange)
            and value
            and isinstance(value[0], tuple)
        ):
            tables.append((setting.key, value))
        elif (value is None and setting.field != "fail_on") or value == "":
            yield f"# {setting.key}: {setting.default}"
        elif not (value == () and setting.type == "table"):
            yield f"{setting.key} = {_toml(value)}"
    for key, rows in tables:
        yield f"\n[{key}]"
        for name, value in rows:
            yield f"{_toml(name.lines[0] if isinstance(name, Patterns) else name)} = {_toml(value)}"


def line_of(text: str, path: Sequence[str]) -> int | None:
    """The number of the line on which a key is set, or a table with this name begins.

    Args:
        text: A document that can be parsed.
        path: The names of the tables, and of the key.

    Returns:
        None where it is written in a way that is hardly used, such as in a table on one line.
    """
    table: list[str] = []
    for number, line in enumerate(text.splitlines(), 1):
        header = _HEADER.fullmatch(line)
        assignment = _ASSIGNMENT.match(line)
        if header is not None:
            table = _parts(header["table"])
            named = table
        elif assignment is not None:
            named = table + _parts(assignment["key"])
        else:
            continue
        if named[: len(path)] == [*path]:
            return number
    return None


def written(key: str) -> str:
    """A key as TOML writes it."""
    return key if re.fullmatch(r"[\w-]+", key, re.ASCII) else json.dumps(key, ensure_ascii=False)


def _parts(dotted: str) -> list[str]:
    return [part.strip("\"'") for part in _PART.findall(dotted)]


def _toml(value: Any) -> str:
    if value is None:
        return f'"{NEVER}"'
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, Patterns):
        value = value.lines
    if isinstance(value, tuple) and not isinstance(value, VersionRange):
        return json.dumps(list(value), ensure_ascii=False)
    return json.dumps(str(value), ensure_ascii=False)
