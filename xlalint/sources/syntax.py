"""Text to syntax tree, with a reason instead of an exception where that fails."""

from __future__ import annotations

import ast
import re
import sys
import warnings
from collections.abc import Callable
from typing import Final

from xlalint.diagnostic import Position
from xlalint.sources.file import START, SourceFile, Unreadable

Parser = Callable[[str], ast.Module]

_HOST: Final = f"Python {sys.version_info.major}.{sys.version_info.minor}"
_TOO_DEEP: Final = re.compile(r"too many (nested|levels)|nested too deeply")
"""What the host says of depth is no more than its own limits."""


def parse(file: SourceFile, newer: Parser | None = None) -> ast.Module | Unreadable:
    """The syntax tree of a file, kept at `file.tree`; or why there is none. Nothing is executed.

    Args:
        newer: A parser for what may be syntax that the Python we run on does not know yet; it raises
            SyntaxError or ValueError for what it does not know either, and RecursionError for what is
            nested too deeply.
    """
    if file.tree is not None:
        return file.tree
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # other linters report suspicious escapes and comparisons
            file.tree = ast.parse(file.text)
    except SyntaxError as error:
        reason = f"syntax error: {error.msg}"
        if _TOO_DEEP.search(error.msg):
            reason = f"it is nested too deeply for {_HOST}: {error.msg}"
        elif newer is not None:
            try:
                file.tree = newer(file.text)
                return file.tree
            except RecursionError:
                reason = (
                    f"it is nested too deeply for the parser of syntax newer than {_HOST}, "
                    f"which says: {error.msg}"
                )
            except (SyntaxError, ValueError):
                pass
        line = min(max(error.lineno or 1, 1), len(file.lines))
        column = min(max(error.offset or 1, 1), len(file.line(line)) + 1)
        return _unreadable(file, reason, Position(line, column))
    except (RecursionError, MemoryError):
        return _unreadable(file, f"it is nested too deeply for {_HOST}")
    except ValueError as error:
        return _unreadable(file, f"syntax error: {error}")
    return file.tree


def _unreadable(file: SourceFile, reason: str, position: Position = START) -> Unreadable:
    return Unreadable(file.path, file.shown, reason, position, file)
