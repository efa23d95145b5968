"""What IPython runs and Python does not know: `%time`, `!ls`, `x?` and cells that begin with `%%`.

Each gives way to as many characters of Python, so that all columns stay.
"""

from __future__ import annotations

import ast
import re
import warnings
from typing import Final

_OF_PYTHON: Final = frozenset({"time", "timeit", "capture", "prun"})
"""Cells that begin with these hold Python that is run in the notebook; others are another program."""

_CELL: Final = re.compile(r"\s*%%(\w+)")
_LINE: Final = re.compile(
    r"(?P<indent>\s*)(?:[%!?]|(?:pip|conda|mamba|git) +[\w-]|(?:cd|ls|mkdir|rm|cp|mv|cat) +[\w./~-])"
)
"""A line that begins so at the start of a statement is none of Python; `pip install x` needs no sign,
and nor does `cd x`."""
_ASSIGNED: Final = re.compile(r"(?P<before>\s*[\w.,\[\]\s'\"*]+=\s*)(?P<magic>[%!].*)")
_HELP: Final = re.compile(r"\s*[\w.*%\[\]'\"()]+\?\??\s*")
_TOKEN: Final = re.compile(
    r"""(?P<triple>[rRbBfFuU]{0,2}(?P<quotes>\"{3}|'{3}))"""
    r"""|[rRbBfFuU]{0,2}(?:"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*')"""
    r"""|(?P<open>[(\[{])|(?P<close>[)\]}])|(?P<comment>\#.*)"""
)


def masked(lines: list[str]) -> list[str]:
    """The lines of a cell with Python in the place of all else; one in another language is all comments."""
    first = next((number for number, line in enumerate(lines) if line.strip()), None)
    if first is None:
        return lines
    begins = _CELL.match(lines[first])
    if begins is not None and begins[1] not in _OF_PYTHON:
        return as_comments(lines)
    if begins is None and fault("\n".join(lines)) is None:
        return lines
    return _masked(lines)


def fault(text: str) -> tuple[int, str] | None:
    """The line, from 1, on which a text is no Python, and why; None where it is."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            ast.parse(text)
    except SyntaxError as error:
        return max(error.lineno or 1, 1), error.msg
    except (ValueError, RecursionError, MemoryError) as error:
        return 1, str(error) or type(error).__name__
    return None


def _masked(lines: list[str]) -> list[str]:
    """Lines one by one, as far as they begin a statement."""
    found: list[str] = []
    depth, quotes = 0, ""
    continues, in_magic = False, False
    for line in lines:
        if in_magic:
            in_magic = line.rstrip().endswith("\\")
            found.append(_as_comment(line))
            continue
        if not depth and not quotes and not continues:
            shown = _without_magic(line)
            if shown != line:
                in_magic = line.rstrip().endswith("\\")
                found.append(shown)
                continue
        found.append(line)
        depth, quotes = _state(line, depth, quotes)
        continues = line.endswith("\\")
    return found


def _without_magic(line: str) -> str:
    magic = _LINE.match(line)
    if magic is not None:
        return _as_nothing(line, len(magic["indent"]))
    if _HELP.fullmatch(line):
        return _as_nothing(line, len(line) - len(line.lstrip()))
    assigned = _ASSIGNED.fullmatch(line)
    return line if assigned is None else _as_nothing(line, len(assigned["before"]))


def _as_nothing(line: str, start: int) -> str:
    """A line that ends at `start` with a value of no meaning."""
    return line[:start] + "0#"[: len(line) - start] + line[start + 2 :]


def as_comments(lines: list[str]) -> list[str]:
    """Lines of which nothing is Python."""
    return [_as_comment(line) for line in lines]


def _as_comment(line: str) -> str:
    """A line of which nothing is Python; what continues it is a comment of its own."""
    indent = len(line) - len(line.lstrip())
    return line if indent == len(line) else f"{line[:indent]}#{line[indent + 1 :]}"


def _state(line: str, depth: int, quotes: str) -> tuple[int, str]:
    """How many brackets are open behind a line, and which quotes."""
    position = 0
    while position < len(line):
        if quotes:
            end = line.find(quotes, position)
            if end < 0:
                return depth, quotes
            position, quotes = end + len(quotes), ""
            continue
        token = _TOKEN.search(line, position)
        if token is None:
            break
        position = token.end()
        if token["quotes"]:
            quotes = token["quotes"]
        elif token["open"]:
            depth += 1
        elif token["close"]:
            depth = max(depth - 1, 0)
    return depth, quotes
