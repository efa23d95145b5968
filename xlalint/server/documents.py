"""The texts that are open in the client, which count instead of what is on disk."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from itertools import count
from typing import NamedTuple

from lsprotocol import types
from pygls.uris import to_fs_path

from xlalint.server.positions import Units

_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n|\Z)")
"""Lines end where the protocol and Python say, and not at form feeds and the like."""

_REVISIONS = count(1)


class Snapshot(NamedTuple):
    """A text at one moment.

    Args:
        uri: The client's name for it.
        path: Where it is stored, or would be.
        version: The client's number of this state of the text.
        revision: Ours, which no two states of whatever texts share.
        lines: With their ends.
    """

    uri: str
    path: str
    version: int
    revision: int
    lines: tuple[str, ...]

    @property
    def text(self) -> str:
        """The whole text."""
        return "".join(self.lines)

    @property
    def line_end(self) -> str:
        """How its lines end."""
        first = self.lines[0]
        return first[len(first.rstrip("\r\n")) :] or "\n"

    def line(self, number: int) -> str:
        """The line with this 1-based number, without its end; empty where there is none."""
        return self.lines[number - 1].rstrip("\r\n") if 0 < number <= len(self.lines) else ""


class Document:
    """A text that the client edits. A change costs what it changes, not the length of the text."""

    def __init__(self, uri: str, path: str, version: int, text: str) -> None:
        self.uri = uri
        self.path = path
        self.version = version
        self.revision = next(_REVISIONS)
        self._lines = split_lines(text)

    def snapshot(self) -> Snapshot:
        """The text as it is now."""
        return Snapshot(self.uri, self.path, self.version, self.revision, tuple(self._lines))

    def change(self, change: types.TextDocumentContentChangeEvent, units: Units) -> None:
        """Change the text as the client has changed it."""
        if isinstance(change, types.TextDocumentContentChangeWholeDocument):
            self._lines = split_lines(change.text)
            return
        ends = (self._place(change.range.start, units), self._place(change.range.end, units))
        (first, before), (last, after) = sorted(ends)
        text = self._lines[first][:before] + change.text + self._lines[last][after:]
        # A carriage return and a line feed that come to stand together are one line end.
        low, high = max(first - 1, 0), min(last + 2, len(self._lines))
        around = "".join((*self._lines[low:first], text, *self._lines[last + 1 : high]))
        made = split_lines(around)
        if high < len(self._lines):
            made.pop()  # an empty one, as the next line follows
        self._lines[low:high] = made

    def _place(self, position: types.Position, units: Units) -> tuple[int, int]:
        if position.line >= len(self._lines):
            return len(self._lines) - 1, len(self._lines[-1])
        line = self._lines[position.line].rstrip("\r\n")
        return position.line, units.column(line, position.character)


class Documents:
    """All texts that are open."""

    def __init__(self) -> None:
        self.units = Units("utf-16")
        """How the client counts columns."""
        self._open: dict[str, Document] = {}

    def __iter__(self) -> Iterator[Document]:
        return iter(self._open.values())

    def get(self, uri: str) -> Document | None:
        """The text with this name, if it is open."""
        return self._open.get(uri)

    def uri_of(self, path: str) -> str | None:
        """The client's name of the file at a path, if it is open."""
        return next((document.uri for document in self if document.path == path), None)

    def open(self, item: types.TextDocumentItem) -> None:
        """Take a text on; one that is not a file of its own, such as a notebook's cell, is passed over."""
        path = _path(item.uri)
        if path is not None:
            self._open[item.uri] = Document(item.uri, path, item.version, item.text)

    def change(self, params: types.DidChangeTextDocumentParams) -> bool:
        """Change a text. Returns whether it is open."""
        document = self._open.get(params.text_document.uri)
        if document is None:
            return False
        for change in params.content_changes:
            document.change(change, self.units)
        document.version = params.text_document.version
        document.revision = next(_REVISIONS)
        return True

    def close(self, uri: str) -> bool:
        """Forget a text. Returns whether it was open."""
        return self._open.pop(uri, None) is not None


def split_lines(text: str) -> list[str]:
    """The lines of a text with their ends; the last has none, and may be empty."""
    if "\r" in text:
        lines = _LINE.findall(text)
        return lines[:-1] if len(lines) > 1 and not _ended(lines[-2]) else lines
    lines = text.split("\n")
    return [*(line + "\n" for line in lines[:-1]), lines[-1]]


def _ended(line: str) -> bool:
    return line.endswith(("\r", "\n"))


def _path(uri: str) -> str | None:
    """Where the text with this name is stored, or would be; None where that is not in a file."""
    if uri.startswith("untitled:"):
        name = re.sub(r"\W+", "-", uri.removeprefix("untitled:")).strip("-")
        return os.path.abspath(f"untitled-{name}.py")  # noqa: PTH100 - keeps links
    path = to_fs_path(uri) if uri.startswith("file:") else None
    return None if path is None else os.path.abspath(path)  # noqa: PTH100 - keeps links
