"""Where programs can go different ways, and which of these places has parted two replicas."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from enum import Enum
from functools import cache
from itertools import zip_longest
from types import CodeType
from typing import NamedTuple

from xlalint.lazy.site import Site, site_of
from xlalint_runtime.sites import Chain, UserFrame, parsed


class Way(Enum):
    """How a line depends on a place where the program can go different ways."""

    BODY = "it is run where the test holds"
    ELSE = "it is run where the test does not hold"
    PAST = "it is run where the test has not led elsewhere"
    LOOP = "it is run once more"


class Fork(NamedTuple):
    """A test or the head of a loop, and which way from there leads to a line.

    Args:
        site: The test, or the head.
        way: The way.
        ends: Whether the body of the test leaves the loop or the function for good.
    """

    site: Site
    way: Way
    ends: bool = False


def parted_at(
    here: Chain, there: Chain, asked: Iterable[tuple[CodeType, Site]], *, has_ended: bool
) -> list[Site]:
    """The test or loop by which two replicas came to different places; several where it may be any of them.

    Args:
        here: Where one replica is.
        there: Where the other is, or where it was seen last.
        asked: In which functions one of them asked for its rank, and where.
        has_ended: Whether the other has ended.
    """
    for mine, theirs in zip_longest(here, there):
        if mine is None or (theirs is not None and mine.code is not theirs.code):
            break
        if has_ended or theirs is None or mine.site.line != theirs.site.line:
            found = _between(mine, theirs, has_ended=has_ended)
            if found:
                return [fork.site for fork in found]
    codes = {frame.code for frame in (*here, *there)}
    return [site for code, site in asked if code in codes][:1]


def _between(mine: UserFrame, theirs: UserFrame | None, *, has_ended: bool) -> list[Fork]:
    """The fork that parts two places in one function."""
    ours = _forks_at(mine)
    others = _forks_at(theirs) if theirs is not None else []
    only_one = [fork for fork in (*ours, *others) if (fork in ours) != (fork in others)]
    inside = [fork for fork in only_one if fork.way in (Way.BODY, Way.ELSE)]
    past = [fork for fork in only_one if fork.way is Way.PAST]
    ending = [fork for fork in past if fork.ends and fork in ours]
    if not has_ended:
        loops = [fork for fork in only_one if fork.way is Way.LOOP]
        return [*inside, *ending, *past][:1] or [*_leaving(mine.site.path, 0, loops), *loops[:1]]
    loops = [fork for fork in ours if fork.way is Way.LOOP][:1]
    left = _left_after(theirs, loops) or _leaving(mine.site.path, 0, loops)
    return [*ending, *inside][:1] or [*left, *loops]


def _left_after(last: UserFrame | None, loops: list[Fork]) -> list[Fork]:
    """The first test after the place where a replica was seen last by which it may have left the loop."""
    return _leaving(last.site.path, last.site.line, loops) if last is not None else []


def _leaving(path: str, line: int, loops: list[Fork]) -> list[Fork]:
    """The first test, from this line on, by which a replica may have left one of the loops before its end."""
    ends = {
        fork
        for led in _forks(path).values()
        for fork in led
        if fork.way is Way.BODY and fork.ends and fork.site.line >= line and set(loops) & set(led)
    }
    return sorted(ends, key=lambda fork: fork.site.line)[:1]


def _forks_at(frame: UserFrame) -> list[Fork]:
    first = frame.code.co_firstlineno
    return [fork for fork in _forks(frame.site.path).get(frame.site.line, ()) if fork.site.line >= first]


@cache
def _forks(path: str) -> dict[int, tuple[Fork, ...]]:
    """By line, the forks on the way there in its function, the outermost first."""
    found: dict[int, tuple[Fork, ...]] = {}

    def look(block: list[ast.stmt], led: tuple[Fork, ...]) -> None:
        for statement in block:
            for line in range(statement.lineno, (statement.end_lineno or statement.lineno) + 1):
                found[line] = led
            match statement:
                case ast.If(test=test, body=body, orelse=orelse):
                    site = site_of(path, test)
                    ends = isinstance(body[-1], (ast.Return, ast.Raise, ast.Break))
                    look(body, (*led, Fork(site, Way.BODY, ends)))
                    look(orelse, (*led, Fork(site, Way.ELSE)))
                    if ends or isinstance(body[-1], ast.Continue):
                        led = (*led, Fork(site, Way.PAST, ends))
                case ast.For() | ast.AsyncFor() | ast.While():
                    head = statement.test if isinstance(statement, ast.While) else statement.iter
                    look(statement.body, (*led, Fork(site_of(path, head), Way.LOOP)))
                    look(statement.orelse, led)
                case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                    look(statement.body, ())
                case _:
                    for part in ("body", "orelse", "finalbody"):
                        look(getattr(statement, part, []), led)
                    for arm in (*getattr(statement, "handlers", ()), *getattr(statement, "cases", ())):
                        look(arm.body, led)

    look(parsed(path).body, ())
    return found
