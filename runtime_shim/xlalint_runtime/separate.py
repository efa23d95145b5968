"""Numbers that the program reads from the device beside each other, each by a graph of its own."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

from xlalint.lazy.site import Site
from xlalint.lazy.state import State
from xlalint_runtime.sites import Chain, UserFrame, parsed


class _Statement(NamedTuple):
    """A statement that holds no others.

    Args:
        block: The block that it stands in.
        number: The how manyth of its block it is.
        names: The names in it.
        binds: Those that it binds.
        elements: What of it may be reached several times, as comprehensions compute it for each of their
            rounds, or make one tensor of several: lines and columns.
    """

    block: int
    number: int
    names: frozenset[str]
    binds: frozenset[str]
    elements: tuple[tuple[int, int, int, int], ...]

    def computes_each(self, site: Site) -> bool:
        """Whether `site` may be reached several times."""
        return any(
            (first, start) <= (site.line, site.column) and (site.end_line, site.end_column) <= (last, end)
            for first, start, last, end in self.elements
        )


@dataclass
class Stretch:
    """Reads of one statement, or of statements that follow each other with one read each.

    Args:
        chain: The calls in which the first one was made.
        state: What the model knew then.
        call: The call of the function that they stand in.
        statement: The last statement.
        sites: Where they stand.
        heavy: Whether each has run a model's worth of work.
        recorded: How many operations of a model's weight had been recorded at the first one.
        binds: The names that their statements bind.
        seen: How often the replica had been seen at the last one.
        statements: In how many statements they stand.
        reads: How many were made.
        each: Whether some are of a comprehension, or of a loop in which nothing else happens.
        again: The first that ran a model's worth of work over which the first one had run.
    """

    chain: Chain
    state: State
    call: int
    statement: _Statement
    sites: set[Site]
    heavy: bool
    recorded: int
    binds: frozenset[str]
    seen: int
    statements: int = 1
    reads: int = 1
    each: bool = False
    again: Site | None = None

    @property
    def count(self) -> int:
        """How many numbers are read; 0: as many as a container holds."""
        return 0 if self.each else len(self.sites)

    def goes_on(
        self, frame: UserFrame, statement: _Statement, site: Site, seen: int, *, of_part: bool
    ) -> bool:
        """Whether a read at `site` stands beside these, with nothing between; one of a part of a tensor may
        be of the next round of a loop over it."""
        if frame.call != self.call or seen != self.seen + 1:
            return False
        if statement == self.statement:
            again = of_part or site not in self.sites or statement.computes_each(site)
            return self.statements == 1 and again
        follows = (statement.block, statement.number) == (self.statement.block, self.statement.number + 1)
        alone = self.reads == self.statements and not statement.computes_each(site)
        return follows and alone and self.binds.isdisjoint(statement.names)

    def add(self, statement: _Statement, site: Site, *, heavy: bool, recorded: int, seen: int) -> None:
        """One more is read."""
        if self.again is None and site not in self.sites and self.heavy and heavy:
            self.again = site if recorded == self.recorded else None
        self.statements += statement != self.statement
        self.each = self.each or site in self.sites or statement.computes_each(site)
        self.statement, self.seen = statement, seen
        self.sites.add(site)
        self.heavy = self.heavy and heavy
        self.binds |= statement.binds
        self.reads += 1


def begun(chain: Chain, state: State, *, heavy: bool, recorded: int, seen: int) -> Stretch | None:
    """A read that others may follow; None: it stands in a statement that holds others."""
    frame, statement = place(chain)
    if statement is None:
        return None
    site = chain[-1].site
    return Stretch(
        chain, state, frame.call, statement, {site}, heavy, recorded, statement.binds, seen,
        each=statement.computes_each(site),
    )  # fmt: skip


def computes_each(chain: Chain) -> bool:
    """Whether the last of these calls stands in what a comprehension computes for each of its elements."""
    _, statement = place(chain)
    return statement is not None and statement.computes_each(chain[-1].site)


def place(chain: Chain) -> tuple[UserFrame, _Statement | None]:
    """The function that the last of these calls stands in, whatever comprehension it is of; the statement."""
    frame = next((each for each in reversed(chain) if not each.code.co_name.startswith("<")), chain[0])
    return frame, _statements(frame.site.path).get(frame.site.line)


_GATHER = frozenset({"tensor", "as_tensor"})
_SIMPLE = (ast.Assign, ast.AnnAssign, ast.AugAssign, ast.Expr, ast.Return)


@cache
def _statements(path: str) -> dict[int, _Statement]:
    """By line, the statement that holds no others."""
    found: dict[int, _Statement] = {}
    blocks = 0
    for node in ast.walk(parsed(path)):
        for _, block in ast.iter_fields(node):
            if not (isinstance(block, list) and block and isinstance(block[0], ast.stmt)):
                continue
            blocks += 1
            for number, statement in enumerate(block):
                if isinstance(statement, _SIMPLE):
                    made = _made(statement, blocks, number)
                    for line in range(statement.lineno, (statement.end_lineno or statement.lineno) + 1):
                        found[line] = made
    return found


def _made(statement: ast.stmt, block: int, number: int) -> _Statement:
    names = [node for node in ast.walk(statement) if isinstance(node, ast.Name)]
    elements = [element for node in ast.walk(statement) for element in _elements(node)]
    return _Statement(
        block, number, frozenset(name.id for name in names),
        frozenset(name.id for name in names if isinstance(name.ctx, ast.Store)),
        tuple(
            (each.lineno, each.col_offset, each.end_lineno or 0, each.end_col_offset or 0)
            for each in elements
        ),
    )  # fmt: skip


def _elements(node: ast.AST) -> list[ast.expr]:
    match node:
        case ast.DictComp(key=key, value=value):
            return [key, value]
        case ast.ListComp(elt=element) | ast.SetComp(elt=element) | ast.GeneratorExp(elt=element):
            return [element]
        case ast.Call(func=function, args=[ast.List() | ast.Tuple(), *_]):
            return [node] if ast.unparse(function).rpartition(".")[2] in _GATHER else []
    return []
