"""What the files say that programs read their settings from, YAML and JSON: which of these are off, and which
name an XLA device.

What a file says is looked at line by line: no library is needed, and what is not understood says nothing.
"""

# The walk may be large, and `os` is several times faster there than `pathlib`.
# ruff: noqa: PTH113, PTH118, PTH123, PTH202

from __future__ import annotations

import enum
import json
import os
import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from xlalint.sources.discovery import DEFAULT_EXCLUDES

SUFFIXES: Final = (".yaml", ".yml", ".json")
"""How files are called that may hold settings."""

NOWHERE: Final = "-"
"""There are settings in files, and none of them is this one."""

_MOST_FILES: Final = 400
_MOST_FOLDERS: Final = 4000
"""Where there are more, nothing is said: some of what is not read may be on."""
_MOST_BYTES: Final = 65536
"""Larger files hold data."""

_OF_SETTINGS: Final = re.compile(r"(?i)conf|cfg|setting|hparam|param|option|arg")
"""What JSON files, or the folders that they stand in, are called: many others hold data."""
_FOR_XLA: Final = re.compile(r"(?i)(?<![a-z])(?:tpu|xla|neuron|trainium|trn1?|inf)(?![a-z])")
_OFF: Final = frozenset({"", "~", "null", "false", "no", "off", "0", "0.0", "''", '""', "[]", "{}"})
_DEVICE: Final = re.compile(r"(['\"]?)xla(?::\d+)?\1$")
_LINE: Final = re.compile(r"( *)((?:- +)*)([\w.-]+|'[^']*'|\"[^\"]*\") *:(?: +(.*))?$")
_ITEM: Final = re.compile(r"( *)-(?: |$)")
_MARK: Final = re.compile(r"&([\w-]+) *")
_INLINE: Final = re.compile(r"([\w.-]+) *: *([^,{}\[\]]*)")


class _Says(enum.Enum):
    """What a file says of a setting."""

    OFF = "it is off"
    XLA = "it is the name of an XLA device"
    ELSE = "something else"


class _Setting(NamedTuple):
    """Args: names: the keys that lead to it, from the outermost."""

    names: tuple[str, ...]
    says: _Says
    file: str


class SettingsFiles:
    """The settings in the files below a folder."""

    def __init__(self, root: str) -> None:
        self._by_name: dict[str, list[_Setting]] = {}
        """By the last of their keys; nothing where there are too many files."""
        for file in _files(root):
            for names, says in _settings(os.path.join(root, file)):
                self._by_name.setdefault(names[-1], []).append(_Setting(names, says, file))

    def off_in(self, names: tuple[str, ...]) -> str:
        """A file in which a setting is off, which it is in all that name it; else nothing, or `NOWHERE`.

        Where files that are called so are for XLA name it, only these count.

        Args:
            names: The last of the keys that lead to it.
        """
        if not self._by_name:
            return ""
        found = self._called(names)
        found = [each for each in found if _FOR_XLA.search(each.file)] or found
        if not found:
            return NOWHERE
        return found[0].file if all(each.says is _Says.OFF for each in found) else ""

    def xla_in(self, names: tuple[str, ...]) -> str:
        """A file in which a setting is the name of an XLA device, whatever others say; else nothing."""
        return next((each.file for each in self._called(names) if each.says is _Says.XLA), "")

    def _called(self, names: tuple[str, ...]) -> list[_Setting]:
        last = len(names)
        return [each for each in self._by_name.get(names[-1], ()) if each.names[-last:] == names]


def _files(root: str) -> list[str]:
    """The files below a folder that may hold settings, as they are called from there, if these are few."""
    found: list[str] = []
    waiting = [""]
    folders = 0
    while waiting:
        folder = waiting.pop()
        folders += 1
        if folders > _MOST_FOLDERS or len(found) > _MOST_FILES:
            return []
        for entry in listed(os.path.join(root, folder)):
            name = entry.name
            if name.startswith(".") or name in DEFAULT_EXCLUDES:
                continue
            inside = f"{folder}/{name}" if folder else name
            if entry.is_dir(follow_symlinks=False):
                waiting.append(inside)
            elif _may_hold_settings(inside) and is_small(entry.path):
                found.append(inside)
    return sorted(found)


def _may_hold_settings(file: str) -> bool:
    return file.endswith(SUFFIXES) and (not file.endswith(".json") or bool(_OF_SETTINGS.search(file)))


def is_small(path: str) -> bool:
    """Whether this is a file that is short enough to be no data."""
    try:
        return os.path.isfile(path) and os.path.getsize(path) <= _MOST_BYTES
    except OSError:  # it is gone
        return False


def listed(folder: str) -> list[os.DirEntry[str]]:
    """What is in a folder; nothing where nobody may look."""
    try:
        with os.scandir(folder) as listing:
            return list(listing)
    except OSError:
        return []


def _settings(path: str) -> list[tuple[tuple[str, ...], _Says]]:
    try:
        with open(path, encoding="utf-8") as file:
            text = file.read()
        if path.endswith(".json"):
            return list(_of_value(json.loads(text), ()))
    except (OSError, ValueError, RecursionError):
        return []
    return _of_yaml(text)


def _of_value(value: object, names: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], _Says]]:
    if names:
        if isinstance(value, str):
            yield names, _said(value or "''")
        else:
            yield names, _Says.ELSE if value else _Says.OFF
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from _of_value(inner, (*names, str(key)))
    elif isinstance(value, list):
        for item in value:
            if isinstance(item, dict):
                yield from _of_value(item, names)


def _of_yaml(text: str) -> list[tuple[tuple[str, ...], _Says]]:
    found: list[tuple[tuple[str, ...], _Says]] = []
    around: list[tuple[int, str]] = []
    marked: dict[str, str] = {}
    within_text = -1
    """How far the key stands in whose text the lines below are."""
    for line in text.splitlines():
        bare = line.strip()
        if not bare or bare.startswith("#"):
            continue
        indent = len(line) - len(line.lstrip(" "))
        if 0 <= within_text < indent:
            continue
        within_text = -1
        match = _LINE.match(line)
        if match is None:
            if around and _ITEM.match(line) and found[-1][0] == _names(around) and indent >= around[-1][0]:
                found[-1] = (found[-1][0], _Says.ELSE)  # it is a list
            continue
        indent += len(match[2])
        while around and around[-1][0] >= indent:
            around.pop()
        if around and found[-1][0] == _names(around):
            found[-1] = (found[-1][0], _Says.ELSE)  # it holds others
        around.append((indent, match[3].strip("'\"")))
        value = re.sub(r"(?:^| +)#.*", "", match[4] or "").strip()
        mark = _MARK.match(value)
        if mark is not None:
            value = value[mark.end() :]
            marked[mark[1]] = value
        if value.startswith("*"):
            value = marked.get(value[1:].strip(), value)
        if value[:1] in ("|", ">"):
            within_text = indent
        names = _names(around)
        found.append((names, _said(value)))
        if value.startswith("{"):
            found += [((*names, key), _said(inner.strip())) for key, inner in _INLINE.findall(value)]
    return found


def _said(value: str) -> _Says:
    """What the text of a value says."""
    if value.lower() in _OFF:
        return _Says.OFF
    return _Says.XLA if _DEVICE.match(value) else _Says.ELSE


def _names(around: list[tuple[int, str]]) -> tuple[str, ...]:
    return tuple([name for _, name in around])
