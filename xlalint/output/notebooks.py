"""Places in notebooks as readers count them: by cells, or by lines of the file.

Until here they are lines of the program that all cells together make; see `sources/notebook.py`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from enum import Enum

from xlalint.diagnostic import Diagnostic, Position, Range
from xlalint.sources.file import SourceFile
from xlalint.sources.notebook import Notebook

Sources = Mapping[str, SourceFile]
"""The files that diagnostics stand in, by their shown path."""


class Counted(Enum):
    """How a format names a place in a notebook."""

    BY_CELL = "the cell apart from the path"
    WITHIN_PATH = "the cell as a part of the path"
    BY_FILE = "the line of the file, which holds JSON"


def counted(found: Iterable[Diagnostic], sources: Sources, how: Counted) -> tuple[list[Diagnostic], Sources]:
    """Diagnostics with the places of notebooks as a format names them, and the texts that are meant then."""
    notebooks = {path: file.notebook for path, file in sources.items() if file.notebook is not None}
    if not notebooks:
        return [*found], sources
    shown = dict(sources)
    place: Callable[[str, Range, Notebook], tuple[str, Range]] = _in_cell
    if how is Counted.BY_FILE:
        place = _in_file
        for path, notebook in notebooks.items():
            shown[path] = SourceFile(sources[path].path, path, notebook.text, is_hot=False)
    elif how is Counted.WITHIN_PATH:
        place = _in_path
        for path, notebook in notebooks.items():
            for number, cell in enumerate(notebook.cells, 1):
                name = _named(path, number)
                shown[name] = SourceFile(sources[path].path, name, cell.text, is_hot=False)

    def text_of(one: Diagnostic) -> dict[str, object]:
        """The message counts lines of a cell, where the place does not."""
        if one.path not in notebooks or how is not Counted.BY_FILE:
            return {}
        return {"message": f"cell {notebooks[one.path].cell_at(one.range.start.line)[0]}: {one.message}"}

    def of(path: str, range: Range) -> dict[str, object]:
        if path not in notebooks:
            return {}
        path, range = place(path, range, notebooks[path])
        return {"path": path, "range": range}

    return [
        replace(
            one,
            **of(one.path, one.range),  # type: ignore[arg-type]
            **text_of(one),  # type: ignore[arg-type]
            related=tuple(
                replace(each, **of(each.path, each.range))  # type: ignore[arg-type]
                for each in one.related
            ),
        )
        for one in found
    ], shown


def counted_in_text(text: str, notebook: Notebook | None) -> str:
    """A reason that names lines of the program, with lines of cells in their place."""
    if notebook is None:
        return text

    def of_cell(found: re.Match[str]) -> str:
        cell, line = notebook.cell_at(int(found[1]))
        return f"line {line} of cell {cell}"

    return re.sub(r"\bline (\d+)\b", of_cell, text)


def _named(path: str, cell: int) -> str:
    return f"{path}:cell {cell}"


def _in_cell(path: str, range: Range, notebook: Notebook) -> tuple[str, Range]:
    first = notebook.cell_at(range.start.line)[1]
    last = range.end.line - range.start.line + first
    return path, Range(Position(first, range.start.column), Position(last, range.end.column))


def _in_path(path: str, range: Range, notebook: Notebook) -> tuple[str, Range]:
    cell, _ = notebook.cell_at(range.start.line)
    return _named(path, cell), _in_cell(path, range, notebook)[1]


def _in_file(path: str, range: Range, notebook: Notebook) -> tuple[str, Range]:
    return path, Range(notebook.in_file(range.start), notebook.in_file(range.end))
