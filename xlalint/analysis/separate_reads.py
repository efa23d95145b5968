"""Numbers that are read from the device one by one, where one read would do."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Sequence
from functools import reduce
from typing import Final, NamedTuple

from xlalint.analysis.frame import Frame, NumberRead
from xlalint.analysis.payloads import Container, of_model
from xlalint.analysis.store import Store
from xlalint.lazy import assumptions
from xlalint.lazy.assumptions import both
from xlalint.lazy.site import Site
from xlalint.lazy.values import HOST, Kind, Value, Weight, join_all
from xlalint.program.outline import within
from xlalint.remembering import remembered


class Stretch(NamedTuple):
    """Reads of statements that follow each other, and the names that these statements bind.

    `goes_on` says that each of them has read one number: several of one statement stand for themselves.
    `listed` says that the numbers of that one statement may stand in a list.
    """

    reads: tuple[NumberRead, ...] = ()
    binds: frozenset[str] = frozenset()
    goes_on: bool = True
    listed: bool = False


def reads_along(read: ast.Call | None, frame: Frame) -> bool:
    """Whether the rounds of a loop read one tensor number by number: `labels[i].item()`, or row by row."""
    loop = frame.goes_along
    if read is None or loop is None:
        return False
    over = frame.over.kind if frame.over is not None else Kind.UNKNOWN
    if over is Kind.TENSOR and _is_of_round(read, loop):
        return True
    # A loader of batches may be numbered as well as a list.
    return _takes_by_round(read, loop) and (over is Kind.CONTAINER or not _numbers_things(loop))


def reads_of_each(read: ast.Call | None, frame: Frame) -> bool:
    """Whether a loop over a model's parameters reads a number of each: `p.grad.norm().item()`."""
    loop, over = frame.goes_along, frame.over
    if read is None or loop is None or over is None:
        return False
    held = over.payload
    return of_model(held.element if isinstance(held, Container) else over) and _reads_of_each(read, loop)


@remembered(4096)
def _reads_of_each(read: ast.Call, loop: ast.For | ast.AsyncFor) -> bool:
    rounds = _names(loop.target)
    for statement in loop.body:
        if isinstance(statement, ast.Assign) and _names(statement.value) & rounds:
            rounds |= {each.id for each in statement.targets if isinstance(each, ast.Name)}
    if not _names(read) & rounds:
        return False
    # What looks for one of them, or leaves with the first, reads no others.
    nodes = within(loop)
    tests = [
        each.test
        for each in nodes
        if isinstance(each, ast.If) and any(inner is read for inner in within(each))
    ]
    return not any(isinstance(each, ast.Break | ast.Return) for each in nodes) and not any(
        isinstance(each, ast.Compare) and any(isinstance(op, ast.Eq | ast.In) for op in each.ops)
        for test in tests
        for each in within(test)
    )


def _names(node: ast.AST) -> set[str]:
    return {each.id for each in within(node) if isinstance(each, ast.Name)}


def runs_rows(read: ast.Call | None, frame: Frame, store: Store) -> bool:
    """Whether the rounds of a loop read rows of a tensor that has not run: each runs all that makes it."""
    loop = frame.goes_along
    if read is None or loop is None:
        return False
    if _is_of_round(read, loop):
        return frame.over is not None and _waits(frame.over)
    rows = _rows_read(read, loop) or _rows_numbered(read, loop)
    return rows is not None and _waits(store.names.get(rows))


def _waits(value: Value | None) -> bool:
    return value is not None and value.kind is Kind.TENSOR and value.recorded.must is Weight.HEAVY


@remembered(4096)
def _rows_read(read: ast.Call, loop: ast.For | ast.AsyncFor) -> str | None:
    """The name of what a loop goes over, of which a call reads one row: `for i, row in enumerate(rows)`."""
    match loop:
        case ast.For(target=ast.Tuple(elts), iter=ast.Call(ast.Name(by), given, [])) if by in _TOGETHER:
            over, taken = given if by == "zip" else [None, *given], _read_of(read.func)
            for target, source in zip(elts, over, strict=False):
                if isinstance(target, ast.Name) and target.id == taken and isinstance(source, ast.Name):
                    return source.id
    return None


_TOGETHER: Final = frozenset({"enumerate", "zip"})


@remembered(4096)
def _rows_numbered(read: ast.Call, loop: ast.For | ast.AsyncFor) -> str | None:
    """The name of that of which each round reads the row with its number."""
    rows = _numbered(read, loop)
    if not isinstance(rows, ast.Name):
        return None
    for each in within(loop):
        match each:
            case ast.Break() | ast.Return():
                return None
            case ast.If() | ast.IfExp() if any(inner is read for inner in within(each)):
                return None
    return rows.id


def _numbered(read: ast.Call, loop: ast.For | ast.AsyncFor) -> ast.expr | None:
    """What a round takes the element with its number of, to read that: `rows[i]` or `rows[i][1:].max()`."""
    match loop:
        case ast.For(target=target, iter=ast.Call(func=ast.Name(id="range"))):
            pass
        case ast.For(target=ast.Tuple([target, *_]), iter=ast.Call(func=ast.Name(id="enumerate"))):
            pass
        case _:
            return None
    rounds = _names(target)
    taken = read.func
    while True:
        match taken:
            case ast.Subscript(value=inner, slice=index) if not _names(index).isdisjoint(rounds):
                stored = [
                    each
                    for each in within(loop)
                    if isinstance(each, ast.Name | ast.Attribute) and isinstance(each.ctx, ast.Store)
                ]
                return None if any(_is_same(inner, each) for each in stored) else inner
            case ast.Attribute(value=inner) | ast.Subscript(value=inner) | ast.Call(func=inner):
                taken = inner
            case _:
                return None


@remembered(4096)
def _is_of_round(read: ast.Call, loop: ast.For | ast.AsyncFor) -> bool:
    return isinstance(loop.target, ast.Name) and _read_of(read.func) == loop.target.id


def _read_of(taken: ast.expr) -> str | None:
    """The name of what is read, or of what that is made of: `row.item()`, `torch.argmax(row[1:]).item()`."""
    while True:
        match taken:
            case ast.Call(func=ast.Attribute(value=ast.Name(id="torch" | "F")), args=[inner, *_]):
                taken = inner
            case ast.Attribute(value=inner) | ast.Subscript(value=inner) | ast.Call(func=inner):
                taken = inner
            case ast.Name(id=name):
                return name
            case _:
                return None


@remembered(4096)
def _takes_by_round(read: ast.Call, loop: ast.For | ast.AsyncFor) -> bool:
    return _numbered(read, loop) is not None


def _is_same(tensor: ast.expr, other: ast.expr) -> bool:
    """Whether two expressions are the same name, or the same attribute of one."""
    match tensor, other:
        case ast.Name(one), ast.Name(another):
            return one == another
        case ast.Attribute(ast.Name(owner), one), ast.Attribute(ast.Name(of_other), another):
            return (owner, one) == (of_other, another)
    return False


def _numbers_things(loop: ast.For | ast.AsyncFor) -> bool:
    """Whether a loop goes over `enumerate(...)`."""
    match loop.iter:
        case ast.Call(func=ast.Name(id="enumerate")):
            return True
    return False


def shows_numbers(template: object, values: Sequence[Value]) -> bool:
    """Whether a text that is formatted has a place for numbers for each tensor that it is given."""
    if not isinstance(template, str):
        return False
    return len(_FOR_NUMBERS.findall(template)) >= sum(value.kind is Kind.TENSOR for value in values)


_FOR_NUMBERS: Final = re.compile(r"%[-+ #0-9.]*[deEfFgGi]|:[-+ #<>=^,0-9]*(?:\.[0-9]+)?[deEfFgG%]\}")


def note_numbers(values: Iterable[Value], spelled: str, site: Site, frame: Frame) -> None:
    """Each of these numbers that is on the device was read for a text."""
    shown = [value for value in values if value.kind is Kind.TENSOR and value.known]
    if shown:
        frame.reads.append(NumberRead(site, join_all(shown, HOST), spelled, len(shown)))


NO_READS: Final = Stretch()
"""What every block of statements begins with."""


def is_simple(statement: ast.stmt) -> bool:
    """Whether a read of the statement may go on with those of the one before it."""
    return isinstance(statement, ast.Assign | ast.AnnAssign | ast.AugAssign | ast.Expr | ast.Return)


def go_on(stretch: Stretch, statement: ast.stmt, frame: Frame, store: Store) -> Stretch:
    """A statement has ended: its read goes on with a stretch, or that is told and another one begins."""
    reads = tuple(frame.reads)
    frame.reads.clear()
    simple = is_simple(statement)
    names = [node for node in within(statement) if isinstance(node, ast.Name)] if simple else []
    binds = frozenset(node.id for node in names if isinstance(node.ctx, ast.Store))
    alone = not simple or len(reads) != 1 or reads[0].each or reads[0].number > 1
    if not alone and stretch.goes_on and stretch.binds.isdisjoint(node.id for node in names):
        return Stretch(stretch.reads + reads, stretch.binds | binds)
    tell_reads(stretch, frame, store)
    if not simple:
        return NO_READS
    return Stretch(reads, binds, not alone, listed=alone and bool(reads) and _lists_numbers(statement))


@remembered(4096)
def _lists_numbers(statement: ast.stmt) -> bool:
    """Whether a statement makes a list, tuple or tensor of what calls give."""
    for node in within(statement):
        match node:
            case (
                ast.List(elts=[ast.Call(), *_])
                | ast.Tuple(elts=[ast.Call(), *_])
                | ast.ListComp(elt=ast.Call())
                | ast.Call(func=ast.Attribute(attr="tensor"))
            ):
                return True
    return False


def tell_reads(stretch: Stretch, frame: Frame, store: Store) -> None:
    """Tell of reads of several numbers. What is heavy, the read of one of them tells, unless all run it."""
    reads = {read.spelling: read for read in stretch.reads}
    each = any(read.each or read.along for read in reads.values())
    several = each or len(reads) > 1 or any(read.number > 1 for read in reads.values())
    if not several or frame.outline.is_framework:
        return
    again = all(read.again for read in reads.values())
    if not again and any(read.value.recorded.may is Weight.HEAVY for read in reads.values()):
        return
    count = sum(read.number for read in reads.values())
    # What was only sent to the device is there: a read of it runs nothing.
    running = sum(
        read.number + (read.each or read.along)
        for read in reads.values()
        if read.value.recorded.must > Weight.INPUT
    )
    assumes = reduce(both, (read.value.assumes for read in reads.values()), assumptions.NONE)
    first = stretch.reads[0]
    frame.model.read_apart(
        store.state,
        0 if each else count,
        first.spelling,
        first.site,
        runs=running > 1,
        again=again,
        listed=stretch.listed,
        assumes=assumes,
    )
