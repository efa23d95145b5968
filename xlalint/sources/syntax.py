"""Text to syntax tree, with a reason instead of an exception where that fails."""

from __future__ import annotations

import ast
import warnings

from xlalint.diagnostic import Position
from xlalint.sources.file import START, SourceFile, Unreadable


def parse(file: SourceFile) -> ast.Module | Unreadable:
    """The syntax tree of a file, kept at `file.tree`; or why there is none. Runs nothing of it."""
    if file.tree is not None:
        return file.tree
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # escapes and comparisons are other linters' business
            file.tree = ast.parse(file.text)
    except SyntaxError as error:
        line = min(max(error.lineno or 1, 1), len(file.lines))
        column = min(max(error.offset or 1, 1), len(file.line(line)) + 1)
        return _unreadable(file, f"syntax error: {error.msg}", Position(line, column))
    except (RecursionError, MemoryError):
        return _unreadable(file, "an expression in it is nested too deeply")
    except ValueError as error:
        return _unreadable(file, f"syntax error: {error}")
    return file.tree


def _unreadable(file: SourceFile, reason: str, position: Position = START) -> Unreadable:
    return Unreadable(file.path, file.shown, reason, position, file)
