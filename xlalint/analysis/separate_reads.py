"""Numbers that are read from the device one by one, where one read would do."""

from __future__ import annotations

import ast
from functools import reduce
from typing import Final, NamedTuple

from xlalint.analysis.frame import Frame, NumberRead
from xlalint.analysis.store import Store
from xlalint.lazy import assumptions
from xlalint.lazy.assumptions import both
from xlalint.lazy.values import Weight


class Stretch(NamedTuple):
    """Reads of statements that follow each other, and the names that these statements bind.

    `goes_on` says that each of them has read one number: several of one statement stand for themselves.
    """

    reads: tuple[NumberRead, ...] = ()
    binds: frozenset[str] = frozenset()
    goes_on: bool = True


NO_READS: Final = Stretch()
"""What every block of statements begins with."""


def go_on(stretch: Stretch, statement: ast.stmt, frame: Frame, store: Store) -> Stretch:
    """A statement has ended: its read goes on with a stretch, or that is told and another one begins."""
    reads = tuple(frame.reads)
    frame.reads.clear()
    simple = isinstance(statement, ast.Assign | ast.AnnAssign | ast.AugAssign | ast.Expr | ast.Return)
    names = [node for node in ast.walk(statement) if isinstance(node, ast.Name)] if simple else []
    binds = frozenset(node.id for node in names if isinstance(node.ctx, ast.Store))
    alone = not simple or len(reads) != 1 or reads[0].each or reads[0].number > 1
    if not alone and stretch.goes_on and stretch.binds.isdisjoint(node.id for node in names):
        return Stretch(stretch.reads + reads, stretch.binds | binds)
    tell_reads(stretch, frame, store)
    return Stretch(reads, binds, not alone) if simple else NO_READS


def tell_reads(stretch: Stretch, frame: Frame, store: Store) -> None:
    """Tell of reads of several numbers. What is heavy, the read of one of them tells, unless all run it."""
    reads = {read.spelling: read for read in stretch.reads}
    several = len(reads) > 1 or any(read.each or read.number > 1 for read in reads.values())
    if not several or frame.outline.is_framework:
        return
    again = all(read.again for read in reads.values())
    if not again and any(read.value.recorded.may is Weight.HEAVY for read in reads.values()):
        return
    each = any(read.each for read in reads.values())
    count = sum(read.number for read in reads.values())
    running = sum(read.number + read.each for read in reads.values() if read.value.recorded.must)
    assumes = reduce(both, (read.value.assumes for read in reads.values()), assumptions.NONE)
    first = stretch.reads[0]
    frame.model.read_apart(
        store.state,
        0 if each else count,
        first.spelling,
        first.site,
        runs=running > 1,
        again=again,
        assumes=assumes,
    )
