"""Columns as other programs count them; ours are code points, from 1."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from xlalint.diagnostic import Position
from xlalint.sources.file import SourceFile


def utf16(path: str, position: Position, sources: Mapping[str, SourceFile]) -> int:
    """The column in UTF-16 code units, from 1."""
    return _counted(path, position, sources, lambda text: len(text.encode("utf-16-le", "surrogatepass")) // 2)


def utf8(path: str, position: Position, sources: Mapping[str, SourceFile]) -> int:
    """The column in bytes of UTF-8, from 1."""
    return _counted(path, position, sources, lambda text: len(text.encode("utf-8", "surrogatepass")))


def _counted(
    path: str, position: Position, sources: Mapping[str, SourceFile], length: Callable[[str], int]
) -> int:
    source = sources.get(path)
    if source is None:
        return position.column
    before = source.line(position.line)[: position.column - 1]
    # A place may end behind the last character of its line.
    return position.column if before.isascii() else position.column - len(before) + length(before)
