"""Jupyter notebooks: their code cells as one program, and a changed program back in the file, byte for byte.

The program has a line for each line of each code cell, in the order of the cells, below a line that marks
where the cell begins. What is no Python, such as `%matplotlib inline` or `!pip install`, gives way to as many
characters that are. So a place in the program names a place in a cell, and one in the file.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_right
from collections.abc import Iterable
from json.decoder import scanstring  # type: ignore[attr-defined]
from typing import Any, Final, NamedTuple

from xlalint.diagnostic import Position
from xlalint.sources.difference import different
from xlalint.sources.magics import as_comments, fault, masked

_BYTE_ORDER_MARK: Final = b"\xef\xbb\xbf"
_FORMAT: Final = 4
_SPACE: Final = re.compile(r"[ \t\r\n]*")
_CHARACTER: Final = re.compile(
    r"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|\\u[0-9a-fA-F]{4}|\\.|[^\\]", re.DOTALL
)
_ESCAPED: Final = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t", "\b": "\\b", "\f": "\\f"}
_LINES: Final = re.compile(r"[^\n]*\n|[^\n]+")


class NotebookError(ValueError):
    """A file that is no notebook, or one that cannot be read or changed so; the text says why."""


class _Text(NamedTuple):
    """A string in the file: what it says, and where it stands between its quotes, as characters."""

    value: str
    start: int
    end: int


class Cell(NamedTuple):
    """A code cell.

    Args:
        text: What stands in it, as the user wrote it.
        shown: The lines of the program for it.
        first: The line of the program at which it begins, from 1; its mark stands above.
        parts: The strings that the file holds it in.
    """

    text: str
    shown: list[str]
    first: int
    parts: tuple[_Text, ...]


class Notebook:
    """The cells of a notebook, and where each of their characters stands in the file."""

    def __init__(self, data: bytes) -> None:
        """
        Raises:
            NotebookError: that is no notebook.
        """
        self._mark = _BYTE_ORDER_MARK if data.startswith(_BYTE_ORDER_MARK) else b""
        try:
            self.text = data[len(self._mark) :].decode("utf-8")
        except UnicodeDecodeError:
            raise NotebookError("it is not valid UTF-8, as notebooks are") from None
        self.cells: list[Cell] = []
        self.broken: list[tuple[Position, str]] = []
        """Where in the program cells are no Python, and why; the program does without these."""
        lines: list[str] = []
        for parts in _code_cells(self.text):
            text = "".join(part.value for part in parts)
            shown = masked(_split(text))
            found = fault("\n".join(shown))
            mark = mark_of(len(self.cells) + 1)
            if found is not None and fault("\n".join((f"if 1: {mark}", *shown))) is None:
                mark, found = f"if 1: {mark}", None  # IPython takes a cell that is indented as a whole
            lines.append(mark)
            if found is not None:
                shown = as_comments(shown)
                self.broken.append((Position(len(lines) + found[0], 1), found[1]))
            self.cells.append(Cell(text, shown, len(lines) + 1, parts))
            lines += shown
        self.program = "\n".join(lines) + "\n" if lines else ""
        self._firsts = [cell.first for cell in self.cells]
        self._line_starts: list[int] = []

    def cell_at(self, line: int) -> tuple[int, int]:
        """The cell that a line of the program stands in, from 1, and its line there; marks belong to it."""
        number = max(bisect_right(self._firsts, line + 1), 1)
        return number, max(line - self._firsts[number - 1] + 1, 1)

    def is_masked(self, line: int) -> bool:
        """Whether a line of the program stands for one of a cell that is no Python."""
        number, row = self.cell_at(line)
        cell = self.cells[number - 1]
        return cell.shown[row - 1] != _split(cell.text)[row - 1]

    def in_program(self, cell: int, line: int) -> int:
        """The line of the program for a line of a cell: the inverse of `cell_at`."""
        return self.cells[cell - 1].first + line - 1

    def in_file(self, position: Position) -> Position:
        """The place in the file of a position in the program."""
        number, line = self.cell_at(position.line)
        cell = self.cells[number - 1]
        lines = _split(cell.text)
        line = min(line, len(lines))
        column = min(position.column - 1, len(lines[line - 1]))
        offset = self._offset(cell, sum(len(each) + 1 for each in lines[: line - 1]) + column)
        if not self._line_starts:
            self._line_starts = [0, *(match.end() for match in re.finditer("\n", self.text))]
        row = bisect_right(self._line_starts, offset)
        return Position(row, offset - self._line_starts[row - 1] + 1)

    def changed(self, program: str) -> bytes:
        """The file when its program has changed to another: all that is not changed stays, byte for byte.

        Raises:
            NotebookError: the change is not one of the text in cells.
        """
        edits: list[tuple[int, int, str]] = []
        for cell, text in zip(self.cells, self._texts_of(program), strict=True):
            edits += self._edits(cell, text)
        parts: list[str] = []
        position = 0
        for start, end, written in sorted(edits):
            parts += (self.text[position:start], written)
            position = end
        return self._mark + "".join((*parts, self.text[position:])).encode("utf-8")

    def _texts_of(self, program: str) -> list[str]:
        """The text of each cell in a changed program, with what was masked as it was."""
        rows: list[list[str]] = []
        above: list[str] = []
        for line in program.removesuffix("\n").split("\n") if program else []:
            if len(rows) < len(self.cells) and line.removeprefix("if 1: ") == mark_of(len(rows) + 1):
                rows.append([])
            elif rows:
                rows[-1].append(line)
            else:
                above.append(line)
        if len(rows) != len(self.cells):
            raise NotebookError("the change goes beyond a cell")
        texts = []
        for cell, lines in zip(self.cells, rows, strict=True):
            lines, above = above + lines, []
            texts.append("\n".join(_unmasked(cell, lines)))
        return texts

    def _edits(self, cell: Cell, text: str) -> list[tuple[int, int, str]]:
        """What changes in the file for the text of a cell, line by line.

        Where a cell is a list of strings, one for each line, it stays such a list.
        """
        if text == cell.text:
            return []
        if not cell.parts:
            raise NotebookError("the change fills an empty cell")
        before, after = _LINES.findall(cell.text), _LINES.findall(text)
        between = self._between(cell)
        by_line = between and [part.value for part in cell.parts] == before
        edits = []
        for a, b, c, d in different(before, after):
            if by_line:
                edits.append(self._rows(cell, a, b, after[c:d], between))
            else:
                start = sum(map(len, before[:a]))
                end = start + sum(map(len, before[a:b]))
                edits += self._within(cell, start, end, "".join(after[c:d]))
        return edits

    def _between(self, cell: Cell) -> str:
        """What the layout puts between two strings of a list, such as a comma; empty where there is none."""
        first = cell.parts[0].start - 1
        before = self.text[:first].rstrip()
        if not before.endswith("["):
            return ""
        if len(cell.parts) > 1:
            return self.text[cell.parts[0].end + 1 : cell.parts[1].start - 1]
        return "," + self.text[len(before) : first]

    def _rows(
        self, cell: Cell, first: int, last: int, lines: list[str], between: str
    ) -> tuple[int, int, str]:
        """Other strings instead of some of the list, or between two."""
        parts = cell.parts
        written = between.join(f'"{_escape(line)}"' for line in lines)
        if first == last:  # insert
            if first == len(parts):
                return parts[-1].end + 1, parts[-1].end + 1, between + written
            return parts[first].start - 1, parts[first].start - 1, written + between
        start, end = parts[first].start - 1, parts[last - 1].end + 1
        if not lines:  # remove, with the comma behind or in front
            if last < len(parts):
                end = parts[last].start - 1
            elif first > 0:
                start = parts[first - 1].end + 1
            else:  # the list is empty then
                start = len(self.text[:start].rstrip())
                end = _skip(self.text, end)
        elif len(lines) == last - first:
            pairs = zip(parts[first:last], lines, strict=True)
            return _joined(self.text, [(part.start, part.end, _escape(line)) for part, line in pairs])
        return start, end, written

    def _within(self, cell: Cell, start: int, end: int, text: str) -> list[tuple[int, int, str]]:
        """Other characters instead of some of the cell, which may reach over several strings."""
        edits = []
        position = 0
        for part in cell.parts:
            a, b = max(start - position, 0), min(end - position, len(part.value))
            is_here = a < b or (start == end and 0 <= start - position <= len(part.value))
            if is_here:
                edits.append(
                    (_inside(self.text, part, a), _inside(self.text, part, max(a, b)), _escape(text))
                )
                text = ""
                if start == end:
                    break
            position += len(part.value)
        return edits

    def _offset(self, cell: Cell, index: int) -> int:
        """Where a character of a cell stands in the file."""
        for part in cell.parts:
            if index < len(part.value):
                return _inside(self.text, part, index)
            index -= len(part.value)
        return cell.parts[-1].end if cell.parts else 0


def firsts(counts: Iterable[int]) -> list[int]:
    """The line of the program at which each cell begins, from how many lines each has."""
    found, line = [], 2
    for count in counts:
        found.append(line)
        line += count + 1  # the mark of the next one
    return found


def notebook_of(texts: Iterable[str]) -> str:
    """A notebook that holds nothing but some code cells."""
    cells = [{"cell_type": "code", "source": text} for text in texts]
    return json.dumps({"cells": cells, "nbformat": _FORMAT}, ensure_ascii=False)


def mark_of(cell: int) -> str:
    """The line of the program above a cell."""
    return f"# %% [{cell}]"


def _split(text: str) -> list[str]:
    """The lines of a cell; a carriage return in it is no end of a line."""
    return text.replace("\r", " ").removesuffix("\n").split("\n")


def _unmasked(cell: Cell, lines: list[str]) -> list[str]:
    """Lines with what was masked in the cell put back; each of these must still be there, in its order.

    Raises:
        NotebookError: one of them was changed.
    """
    was = cell.text.removesuffix("\n").split("\n")
    hidden = [number for number, line in enumerate(was) if cell.shown[number] != line]
    back = [*lines]
    position = 0
    for number in hidden:
        try:
            position = lines.index(cell.shown[number], position)
        except ValueError:
            raise NotebookError("the change concerns a line that is not Python") from None
        back[position] = was[number]
        position += 1
    if cell.text.endswith("\n"):
        back.append("")
    return back


def _joined(text: str, edits: list[tuple[int, int, str]]) -> tuple[int, int, str]:
    """Several edits in their order as one."""
    parts: list[str] = []
    position = edits[0][0]
    for start, end, written in edits:
        parts += (text[position:start], written)
        position = end
    return edits[0][0], position, "".join(parts)


def _inside(text: str, part: _Text, index: int) -> int:
    """Where in the file the character of a string stands."""
    raw = text[part.start : part.end]
    if "\\" not in raw:
        return part.start + index
    offset = 0
    for match in _CHARACTER.finditer(raw):
        if index == 0:
            break
        index -= 1
        offset = match.end()
    return part.start + offset


def _escape(text: str) -> str:
    return "".join(
        _ESCAPED.get(character) or (character if character >= " " else f"\\u{ord(character):04x}")
        for character in text
    )


# Where the cells stand in the file --------------------------------------------------------------------


def _code_cells(text: str) -> list[tuple[_Text, ...]]:
    """The strings of each code cell.

    Raises:
        NotebookError: that is no notebook of a format that is known.
    """
    try:
        document = json.loads(text)
    except (ValueError, RecursionError):
        raise NotebookError("it is not valid JSON, as notebooks are") from None
    if not isinstance(document, dict) or not isinstance(document.get("nbformat"), int):
        raise NotebookError("it is no notebook: it does not say its format (nbformat)")
    if document["nbformat"] != _FORMAT:
        raise NotebookError(
            f"it is a notebook of format {document['nbformat']}, and xlalint reads format {_FORMAT}: open it "
            "in Jupyter and save it"
        )
    if not _is_python(document.get("metadata")):
        return []
    cells = document.get("cells")
    if not isinstance(cells, list):
        raise NotebookError("it is no notebook: it has no list of cells")
    members = _members(text, _skip(text, 0))
    return [
        _strings(text, source)
        for cell, place in zip(cells, _items(text, members["cells"]), strict=True)
        if isinstance(cell, dict) and cell.get("cell_type") == "code"
        if (source := _members(text, place).get("source")) is not None
    ]


def _is_python(metadata: Any) -> bool:
    """Whether the cells are Python; so they are where nothing else is said."""
    said = metadata if isinstance(metadata, dict) else {}
    for name, key in (("language_info", "name"), ("kernelspec", "language")):
        about = said.get(name)
        language = about.get(key) if isinstance(about, dict) else None
        if isinstance(language, str):
            return language.lower() in ("python", "ipython")
    return True


_DECODER: Final = json.JSONDecoder()


def _skip(text: str, position: int) -> int:
    match = _SPACE.match(text, position)
    return match.end() if match is not None else position


def _members(text: str, position: int) -> dict[str, int]:
    """Where the value of each key of an object begins; the text is known to be valid."""
    found: dict[str, int] = {}
    position = _skip(text, position + 1)
    while text[position] != "}":
        key, position = scanstring(text, position + 1)
        position = _skip(text, _skip(text, position) + 1)
        found[key] = position
        position = _behind(text, position)
    return found


def _items(text: str, position: int) -> list[int]:
    """Where each item of a list begins."""
    found: list[int] = []
    position = _skip(text, position + 1)
    while text[position] != "]":
        found.append(position)
        position = _behind(text, position)
    return found


def _behind(text: str, position: int) -> int:
    """Where the next member or item begins, or the bracket that closes them."""
    _, position = _DECODER.raw_decode(text, position)
    position = _skip(text, position)
    return _skip(text, position + 1) if text[position] == "," else position


def _strings(text: str, position: int) -> tuple[_Text, ...]:
    """A string, or all of a list of strings."""
    places = _items(text, position) if text[position] == "[" else [position]
    found: list[_Text] = []
    for place in places:
        if text[place] != '"':
            raise NotebookError("it is no notebook: a cell holds something that is no text")
        value, end = scanstring(text, place + 1)
        found.append(_Text(value, place + 1, end - 1))
    return tuple(found)
