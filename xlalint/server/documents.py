"""The files that are open in the client, whose texts count instead of what is on disk."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from itertools import count
from typing import NamedTuple

from lsprotocol import types
from pygls.uris import to_fs_path

from xlalint.server.positions import Units
from xlalint.sources.file import NOTEBOOK
from xlalint.sources.notebook import firsts, notebook_of

_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n|\Z)")
"""Lines end where the protocol and Python say, and not at form feeds and the like."""

_REVISIONS = count(1)
_PYTHON = "python"


class Part(NamedTuple):
    """A text that the client knows by a name of its own: a file, or a code cell of a notebook.

    Its lines count as the analysis counts them, which for a notebook makes one program of all cells.

    Args:
        uri: The client's name for it.
        version: The client's number of this state of the text.
        lines: With their ends.
        above: How many lines of the program stand above it.
    """

    uri: str
    version: int
    lines: tuple[str, ...]
    above: int = 0

    @property
    def text(self) -> str:
        """The whole text."""
        return "".join(self.lines)

    @property
    def line_end(self) -> str:
        """How its lines end."""
        first = self.lines[0]
        return first[len(without_end(first)) :] or "\n"

    def line(self, number: int) -> str:
        """The line with this 1-based number, without its end; empty where there is none."""
        number -= self.above
        return without_end(self.lines[number - 1]) if 0 < number <= len(self.lines) else ""


class Snapshot(NamedTuple):
    """An open file at one moment.

    Args:
        uri: The client's name for it.
        path: Where it is stored, or would be.
        revision: Our number of this state, which no two states of whatever files share.
        parts: Its text, or those of a notebook's code cells in their order.
    """

    uri: str
    path: str
    revision: int
    parts: tuple[Part, ...]

    @property
    def is_notebook(self) -> bool:
        """Whether its parts are cells."""
        return self.path.endswith(NOTEBOOK)

    @property
    def text(self) -> str:
        """What stands in the file, or would in one that holds no more than the cells."""
        if self.is_notebook:
            return notebook_of("\n".join(map(without_end, part.lines)) for part in self.parts)
        return self.parts[0].text

    def part(self, uri: str) -> Part | None:
        """The part with a name of the client."""
        return next((part for part in self.parts if part.uri == uri), None)

    def part_at(self, line: int) -> Part:
        """The part in which a line stands; what marks where a cell begins belongs to it."""
        return next((part for part in reversed(self.parts) if part.above <= line), self.parts[0])


class Text:
    """A text that the client edits. A change costs what it changes, not the length of the text."""

    def __init__(self, item: types.TextDocumentItem) -> None:
        self.uri = item.uri
        self._version = item.version
        self._lines = split_lines(item.text)

    @property
    def count(self) -> int:
        """How many lines it has; a last one that is empty is none."""
        return max(len(self._lines) - (not self._lines[-1]), 1)

    def part(self, above: int = 0) -> Part:
        """The text as it is now, below some lines of its program."""
        return Part(self.uri, self._version, tuple(self._lines), above)

    def change(
        self, changes: Iterable[types.TextDocumentContentChangeEvent], version: int, units: Units
    ) -> None:
        """Change the text as the client has changed it."""
        for change in changes:
            self._change(change, units)
        self._version = version

    def _change(self, change: types.TextDocumentContentChangeEvent, units: Units) -> None:
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
        line = without_end(self._lines[position.line])
        return position.line, units.column(line, position.character)


class Document:
    """A file that is open."""

    def __init__(self, uri: str, path: str) -> None:
        self.uri = uri
        self.path = path
        self.revision = next(_REVISIONS)
        """As of `Snapshot`."""
        self.texts: dict[str, Text] = {}
        """By the client's name, those that it consists of."""

    def snapshot(self) -> Snapshot:
        """The file as it is now."""
        parts = tuple(text.part() for text in self.texts.values())
        return Snapshot(self.uri, self.path, self.revision, parts)

    def change(self, params: types.DidChangeTextDocumentParams, units: Units) -> None:
        """Change one of its texts."""
        document = params.text_document
        self.texts[document.uri].change(params.content_changes, document.version, units)
        self.revision = next(_REVISIONS)


class NotebookDocument(Document):
    """A notebook that is open. The client tells of its cells, and of the text of each."""

    def __init__(self, uri: str, path: str, cells: Iterable[types.NotebookCell]) -> None:
        super().__init__(uri, path)
        self._cells = [*cells]

    def snapshot(self) -> Snapshot:
        """The notebook as it is now: its cells that are Python."""
        texts = [
            self.texts[cell.document]
            for cell in self._cells
            if cell.kind is types.NotebookCellKind.Code and cell.document in self.texts
        ]
        above = firsts(text.count for text in texts)
        parts = tuple(text.part(first - 1) for text, first in zip(texts, above, strict=True))
        return Snapshot(self.uri, self.path, self.revision, parts)

    def rearrange(self, event: types.NotebookDocumentCellChanges, units: Units) -> list[str]:
        """Change the cells as the client has changed them. Returns the names of the texts that are gone."""
        gone = []
        if event.structure is not None:
            array = event.structure.array
            self._cells[array.start : array.start + array.delete_count] = array.cells or ()
            for item in event.structure.did_open or ():
                self.take(item)
            for closed in event.structure.did_close or ():
                if self.texts.pop(closed.uri, None) is not None:
                    gone.append(closed.uri)
        told = {cell.document: cell for cell in event.data or ()}
        self._cells = [told.get(cell.document, cell) for cell in self._cells]
        for content in event.text_content or ():
            text = self.texts.get(content.document.uri)
            if text is not None:
                text.change(content.changes, content.document.version, units)
        self.revision = next(_REVISIONS)
        return gone

    def take(self, item: types.TextDocumentItem) -> None:
        """Take on the text of a cell, if that is Python."""
        if item.language_id == _PYTHON:
            self.texts[item.uri] = Text(item)


class Documents:
    """All files that are open."""

    def __init__(self) -> None:
        self.units = Units("utf-16")
        """How the client counts columns."""
        self._open: dict[str, Document] = {}

    def __iter__(self) -> Iterator[Document]:
        return iter(self._open.values())

    def get(self, uri: str) -> Document | None:
        """The open file with this name, or that a text with this name is a part of."""
        return self._open.get(uri) or next((each for each in self if uri in each.texts), None)

    def open(self, item: types.TextDocumentItem) -> bool:
        """Take a text on. Returns whether it is one to check.

        A notebook's cell is not, as its notebook is; nor is a notebook that is shown as the JSON that it is.
        """
        path = _path(item.uri, ".py")
        if path is None or path.endswith(NOTEBOOK):
            return False
        document = self._open[item.uri] = Document(item.uri, path)
        document.texts[item.uri] = Text(item)
        return True

    def change(self, params: types.DidChangeTextDocumentParams) -> bool:
        """Change a text. Returns whether it is open."""
        document = self.get(params.text_document.uri)
        if document is None or params.text_document.uri not in document.texts:
            return False
        document.change(params, self.units)
        return True

    def close(self, uri: str) -> bool:
        """Forget a file. Returns whether it was open."""
        return self._open.pop(uri, None) is not None

    def open_notebook(self, params: types.DidOpenNotebookDocumentParams) -> bool:
        """Take a notebook on. Returns whether it is one to check."""
        notebook = params.notebook_document
        path = _path(notebook.uri, NOTEBOOK)
        if path is None or not path.endswith(NOTEBOOK):
            return False
        document = NotebookDocument(notebook.uri, path, notebook.cells)
        for item in params.cell_text_documents:
            document.take(item)
        self._open[notebook.uri] = document
        return True

    def change_notebook(self, params: types.DidChangeNotebookDocumentParams) -> list[str] | None:
        """Change a notebook. Returns the names of the texts that are gone; None: it is not open."""
        document = self._open.get(params.notebook_document.uri)
        if not isinstance(document, NotebookDocument):
            return None
        return document.rearrange(params.change.cells or types.NotebookDocumentCellChanges(), self.units)


def split_lines(text: str) -> list[str]:
    """The lines of a text with their ends; the last has none, and may be empty."""
    if "\r" in text:
        lines = _LINE.findall(text)
        return lines[:-1] if len(lines) > 1 and not _ended(lines[-2]) else lines
    lines = text.split("\n")
    return [*(line + "\n" for line in lines[:-1]), lines[-1]]


def without_end(line: str) -> str:
    """A line without what ends it."""
    return line.rstrip("\r\n")


def _ended(line: str) -> bool:
    return line.endswith(("\r", "\n"))


def _path(uri: str, suffix: str) -> str | None:
    """Where the file with this name is stored, or would be; None where that is not in a file."""
    if uri.startswith("untitled:"):
        name = re.sub(r"\W+", "-", uri.removeprefix("untitled:").removesuffix(suffix)).strip("-")
        return os.path.abspath(f"untitled-{name}{suffix}")  # noqa: PTH100 - keeps links
    path = to_fs_path(uri) if uri.startswith("file:") else None
    return None if path is None else os.path.abspath(path)  # noqa: PTH100 - keeps links
