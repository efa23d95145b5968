"""The statements by which a program leaves a loop, or one iteration of it, before its end."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

from xlalint.knowledge.functions import MARKERS
from xlalint.lazy.site import Site, site_of
from xlalint.spelling import spelling
from xlalint_runtime.sites import parsed

_MARKERS = frozenset(name.rpartition(".")[2] for name in MARKERS)
_WORDS = {ast.Break: "break", ast.Continue: "continue", ast.Return: "return", ast.Raise: "raise"}


class Exit(NamedTuple):
    """A statement that leaves a loop, or only an iteration.

    Args:
        site: Where it stands.
        word: break, continue, return or raise; of a loop that is left at its head, what that runs over.
    """

    site: Site
    word: str


def exit_between(loop: Site, first: int, last: int, words: frozenset[str]) -> Exit | None:
    """The only statement of a loop, of this kind, on these lines; None: there is none, or several.

    Args:
        loop: The loop.
        first: The line from which on the program has not been seen in it.
        last: The last line that it can have come to.
        words: What may have left it: break, continue, return, raise.
    """
    found = [
        each for each in _exits(loop.path, loop) if first <= each.site.line <= last and each.word in words
    ]
    return found[0] if len(found) == 1 else None


def at_head(loop: Site) -> Exit:
    """The head of a loop, as what has left it."""
    node = _loops(loop.path).get(loop)
    over = node.iter if isinstance(node, (ast.For, ast.AsyncFor)) else None
    return Exit(loop, "while" if over is None else spelling(over))


@cache
def _loops(path: str) -> dict[Site, ast.For | ast.AsyncFor | ast.While]:
    return {
        site_of(path, node): node
        for node in ast.walk(parsed(path))
        if isinstance(node, (ast.For, ast.AsyncFor, ast.While))
    }


@cache
def has_marker_under_test(loop: Site) -> bool:
    """Whether some rounds of a loop end with a marker that stands there, as a test comes out."""
    node = _loops(loop.path).get(loop)
    tests = [each for each in ast.walk(node) if isinstance(each, ast.If)] if node is not None else []
    calls = [each.func for test in tests for each in ast.walk(test) if isinstance(each, ast.Call)]
    return any(spelling(called).rpartition(".")[2] in _MARKERS for called in calls)


@cache
def _exits(path: str, loop: Site) -> tuple[Exit, ...]:
    node = _loops(path).get(loop)
    return tuple(_in(node.body, path, is_own=True)) if node is not None else ()


def _in(block: list[ast.stmt], path: str, *, is_own: bool) -> Iterator[Exit]:
    """The exits in a block; `is_own` where `break` and `continue` there are those of the loop itself."""
    for statement in block:
        match statement:
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                pass
            case ast.Break() | ast.Continue() if not is_own:
                pass
            case ast.Break() | ast.Continue() | ast.Return() | ast.Raise():
                yield Exit(site_of(path, statement), _WORDS[type(statement)])
            case ast.For() | ast.AsyncFor() | ast.While():
                yield from _in(statement.body, path, is_own=False)
                yield from _in(statement.orelse, path, is_own=is_own)
            case _:
                for part in ("body", "orelse", "finalbody"):
                    yield from _in(getattr(statement, part, []), path, is_own=is_own)
                for arm in (*getattr(statement, "handlers", ()), *getattr(statement, "cases", ())):
                    yield from _in(arm.body, path, is_own=is_own)
