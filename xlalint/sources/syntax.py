"""Text to syntax tree, with a reason instead of an exception where that fails."""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Callable
from contextlib import suppress

from xlalint.diagnostic import Position
from xlalint.sources.file import START, SourceFile, Unreadable

Parser = Callable[[str], ast.Module]

_BRACKET = re.compile(r"[()\[\]{}]")
_MOST_BRACKETS = 100
_LONGEST_LINE = 2000


def parse(file: SourceFile, newer: Parser | None = None) -> ast.Module | Unreadable:
    """The syntax tree of a file, kept at `file.tree`; or why there is none. Nothing is executed.

    Args:
        newer: A parser for what may be syntax that the Python we run on does not know yet; it raises
            SyntaxError, ValueError or RecursionError for what it does not know either.
    """
    if file.tree is not None:
        return file.tree
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # other linters report suspicious escapes and comparisons
            file.tree = ast.parse(file.text)
    except SyntaxError as error:
        if newer is not None and _is_shallow(file):
            with suppress(SyntaxError, ValueError, RecursionError):
                file.tree = newer(file.text)
                return file.tree
        line = min(max(error.lineno or 1, 1), len(file.lines))
        column = min(max(error.offset or 1, 1), len(file.line(line)) + 1)
        return _unreadable(file, f"syntax error: {error.msg}", Position(line, column))
    except (RecursionError, MemoryError):
        return _unreadable(file, "it contains an expression that is nested too deeply")
    except ValueError as error:
        return _unreadable(file, f"syntax error: {error}")
    return file.tree


def _is_shallow(file: SourceFile) -> bool:
    """Whether another parser may be let at the file: in deep nesting LibCST's ends the process."""
    depth = 0
    for bracket in _BRACKET.findall(file.text):
        depth = depth + 1 if bracket in "([{" else max(depth - 1, 0)
        if depth > _MOST_BRACKETS:
            return False
    return max(map(len, file.lines)) <= _LONGEST_LINE


def _unreadable(file: SourceFile, reason: str, position: Position = START) -> Unreadable:
    return Unreadable(file.path, file.shown, reason, position, file)
