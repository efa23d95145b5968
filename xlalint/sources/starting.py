"""What descriptions, shell scripts and files of containers say of how a program is started."""

# It is asked for every script that has to do with SPMD, and `os` is faster there than `pathlib`.
# ruff: noqa: PTH118, PTH119, PTH120, PTH123

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from xlalint.sources.discovery import DEFAULT_EXCLUDES
from xlalint.sources.settings_files import is_small, listed

_COMMANDS: Final = ("README.md", "README.rst", ".sh", "Dockerfile", "Makefile")
"""How the names of files end in which commands stand."""
_SAYING: Final = (*_COMMANDS, ".yaml", ".yml")
"""How the names of files end that say how programs are started."""
_MOST_FOLDERS: Final = 4000
"""Where there are more, not all are looked into."""
_CONTINUED: Final = re.compile(r"\\\n")
_VARIABLE: Final = re.compile(r"\$(?:(\w+)|\{(\w+)\})")


class Given(NamedTuple):
    """A number that a command gives an option, and the file in which that stands, as seen from the root."""

    number: int
    file: str


class Starting:
    """The texts that say how programs are started, by the folders that they stand in."""

    def __init__(self) -> None:
        self._texts: dict[str, list[str]] = {}
        self._commands: dict[str, list[tuple[str, str]]] = {}
        """The files below a root in which commands stand, and their texts."""

    def names(self, variable: str, folder: str, root: str) -> bool:
        """Whether one in a folder, or in those around it up to `root`, names an environment variable."""
        if any(variable in text for text in self._in(folder)):
            return True
        around = os.path.dirname(folder)
        return folder not in (root, around) and self.names(variable, around, root)

    def several(self, script: str, option: str, root: str) -> Given | None:
        """The first number above one that a command in a file below `root` gives an option of a script."""
        known = self._commands.get(root)
        if known is None:
            known = self._commands[root] = _with_commands(root)
        name = os.path.basename(script)
        for file, text in known:
            if name in text:
                for value in _given(text, script, option):
                    number = _number(value, text)
                    if number is not None and number > 1:
                        return Given(number, file)
        return None

    def _in(self, folder: str) -> list[str]:
        known = self._texts.get(folder)
        if known is None:
            known = self._texts[folder] = [
                _text(entry.path)
                for entry in listed(folder)
                if entry.name.endswith(_SAYING) and is_small(entry.path)
            ]
        return known


def _text(path: str) -> str:
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read()
    except OSError:  # it is gone
        return ""


def _with_commands(root: str) -> list[tuple[str, str]]:
    found: list[tuple[str, str]] = []
    waiting, folders = [""], 0
    while waiting and folders < _MOST_FOLDERS:
        folder = waiting.pop()
        folders += 1
        for entry in listed(os.path.join(root, folder)):
            name = entry.name
            if name.startswith(".") or name in DEFAULT_EXCLUDES:
                continue
            inside = f"{folder}/{name}" if folder else name
            if entry.is_dir(follow_symlinks=False):
                waiting.append(inside)
            elif name.endswith(_COMMANDS) and is_small(entry.path):
                found.append((inside, _text(entry.path)))
    return sorted(found)


def _given(text: str, script: str, option: str) -> Iterator[str]:
    """What commands give an option of a script, as it is written."""
    flags = {f"--{option}", f"--{option.replace('_', '-')}"}
    for line in _CONTINUED.sub(" ", text).splitlines():
        words = [word.strip("\"'`") for word in line.split()]
        if line.lstrip().startswith("#") or not any(_is_called(script, word) for word in words):
            continue
        for number, word in enumerate(words):
            flag, _, value = word.partition("=")
            if flag in flags:
                yield value or "".join(words[number + 1 : number + 2])


def _is_called(script: str, word: str) -> bool:
    """Whether a word of a command means a script; where it begins with a variable, nobody knows."""
    return script.endswith("/" + re.sub(r"^(\.\.?/)+", "", word))


def _number(value: str, text: str) -> int | None:
    """The number that a word of a command is, or that a variable surely is which the text assigns."""
    if (variable := _VARIABLE.fullmatch(value)) is None:
        return int(value) if value.isdecimal() else None
    name = variable[1] or variable[2]
    assigned = {found.strip("\"'") for found in re.findall(rf"(?m)^\s*(?:export\s+)?{name}=(\S*)", text)}
    only = assigned.pop() if len(assigned) == 1 else ""
    return int(only) if only.isdecimal() else None
