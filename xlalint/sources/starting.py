"""What descriptions, shell scripts and files of containers say of how a program is started."""

# It is asked for every script that has to do with SPMD, and `os` is faster there than `pathlib`.
# ruff: noqa: PTH120, PTH123

from __future__ import annotations

import os
from typing import Final

from xlalint.sources.switched_off import is_small, listed

_SAYING: Final = ("README.md", "README.rst", ".sh", ".yaml", ".yml", "Dockerfile", "Makefile")
"""How the names of files end that say how programs are started."""


class Starting:
    """The texts that say how programs are started, by the folders that they stand in."""

    def __init__(self) -> None:
        self._texts: dict[str, list[str]] = {}

    def names(self, variable: str, folder: str, root: str) -> bool:
        """Whether one in a folder, or in those around it up to `root`, names an environment variable."""
        if any(variable in text for text in self._in(folder)):
            return True
        around = os.path.dirname(folder)
        return folder not in (root, around) and self.names(variable, around, root)

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
