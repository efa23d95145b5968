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
_SETTINGS: Final = (".yaml", ".yml")
_SAYING: Final = (*_COMMANDS, *_SETTINGS)
"""How the names of files end that say how programs are started."""
_BESIDE: Final = frozenset({"accelerate_configs", "config", "configs", "scripts", "shell"})
"""What folders beside a program are called that say how it is started."""
_LAUNCHES_XLA: Final = re.compile(r"\bxla_spawn\.py\b|\baccelerate(?:-| +)launch\b.*\s--tpu\b")
_SET_TO_XLA: Final = re.compile(r"(?m)^distributed_type:[ ]*(['\"]?)(?:XLA|TPU)\1[ ]*(?:#.*)?$")
"""What accelerate's own files of settings say where it runs on XLA."""
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
        self._texts: dict[str, list[tuple[str, str]]] = {}
        """By folder, the names of its files that say so, and their texts."""
        self._folders: dict[str, list[str]] = {}
        """By folder, those beside the programs in it that say so, too."""
        self._commands: dict[str, list[tuple[str, str]]] = {}
        """The files below a root in which commands stand, and their texts."""

    def names(self, variable: str, folder: str, root: str) -> bool:
        """Whether one in a folder, or in those around it up to `root`, names an environment variable."""
        return any(variable in text for around in _up_to(root, folder) for _, text in self._in(around))

    def on_xla(self, script: str, root: str) -> bool:
        """Whether what stands around a script, up to `root`, has accelerate or `xla_spawn.py` run it on XLA.

        Descriptions do not count: they say what else one might do.
        """
        for around in _up_to(root, os.path.dirname(script)):
            for folder in (around, *self._beside(around)):
                for name, text in self._in(folder):
                    if name.endswith(_SETTINGS):
                        if _SET_TO_XLA.search(text):
                            return True
                    elif not name.startswith("README") and _launches_on_xla(text, script):
                        return True
        return False

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

    def _beside(self, folder: str) -> list[str]:
        known = self._folders.get(folder)
        if known is None:
            entries = [entry for entry in listed(folder) if entry.name in _BESIDE]
            known = self._folders[folder] = [
                entry.path for entry in entries if entry.is_dir(follow_symlinks=False)
            ]
        return known

    def _in(self, folder: str) -> list[tuple[str, str]]:
        known = self._texts.get(folder)
        if known is None:
            known = self._texts[folder] = [
                (entry.name, _text(entry.path))
                for entry in listed(folder)
                if entry.name.endswith(_SAYING) and is_small(entry.path)
            ]
        return known


def _up_to(root: str, folder: str) -> Iterator[str]:
    """A folder, and those around it up to `root`."""
    while True:
        yield folder
        around = os.path.dirname(folder)
        if folder in (root, around):
            return
        folder = around


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
    for words in _calling(script, text):
        for number, word in enumerate(words):
            flag, _, value = word.partition("=")
            if flag in flags:
                yield value or "".join(words[number + 1 : number + 2])


def _launches_on_xla(text: str, script: str) -> bool:
    """Whether a command in a text has a launcher for XLA start a script."""
    if _LAUNCHER not in text and _FLAG not in text:  # most files name neither
        return False
    return any(_LAUNCHES_XLA.search(" ".join(words)) for words in _calling(script, text))


_LAUNCHER: Final = "xla_spawn.py"
_FLAG: Final = "--tpu"


def _calling(script: str, text: str) -> Iterator[list[str]]:
    """The commands in a text that name a script, in their words."""
    for line in _CONTINUED.sub(" ", text).splitlines():
        words = [word.strip("\"'`") for word in line.split()]
        if not line.lstrip().startswith("#") and any(_is_called(script, word) for word in words):
            yield words


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
