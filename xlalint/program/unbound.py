"""Names of a function that it asks for where nothing can have bound them yet: that raises."""

from __future__ import annotations

import ast
from typing import NamedTuple

from xlalint.program.outline import SCOPES, Function, all_arguments
from xlalint.remembering import remembered

_Place = tuple[int, int]


class _Read(NamedTuple):
    node: ast.Name
    last: _Place
    """The place up to which something may bind the name before: the end of the outermost loop around it."""


@remembered(4096)
def unbound(function: Function) -> frozenset[ast.Name]:
    """What a function asks for in its own scope, above all that gives it a first value.

    A name that a loop binds is left out in all of that loop, as an earlier round may have come there. What
    only adds to a name, as `hits += 1`, gives it no first value.
    """
    if isinstance(function.node, ast.Lambda):
        return frozenset()
    own = function.locals() - {argument.arg for argument in all_arguments(function.node.args)}
    if not own:
        return frozenset()
    scan = _Scan()
    for statement in function.node.body:
        scan.visit(statement, None)
    return frozenset(
        read.node
        for read in scan.reads
        if read.node.id in own
        and read.node.id not in scan.elsewhere
        and all(place > read.last for place in scan.bound.get(read.node.id, ()))
    )


class _Scan:
    """What the body of a function asks for, and where it binds names."""

    def __init__(self) -> None:
        self.reads: list[_Read] = []
        self.bound: dict[str, list[_Place]] = {}
        self.elsewhere: set[str] = set()
        """Names that functions inside bind."""

    def visit(self, node: ast.AST, until: _Place | None) -> None:
        """Note all in a node.

        Args:
            until: The end of the outermost loop around it.
        """
        match node:
            case ast.Name(ctx=ast.Load()):
                self.reads.append(_Read(node, until or _start(node)))
            case ast.Name(id=name):
                self._bind(name, _start(node))
            case ast.AugAssign(target=ast.Name() as target):
                self.visit(node.value, until)
                self.reads.append(_Read(target, until or _start(target)))
            case ast.Assign(targets=targets):
                self.visit(node.value, until)
                for each in targets:
                    self._target(each, node, until)
            case ast.AnnAssign(target=ast.Name(id=name), value=value):
                if value is not None:
                    self.visit(value, until)
                    self._bind(name, _end(node))
            case ast.For() | ast.AsyncFor() | ast.While():
                for part in ast.iter_child_nodes(node):
                    self.visit(part, until or _end(node))
            case _ if isinstance(node, SCOPES):
                self._inside(node)
            case ast.Import(names=names) | ast.ImportFrom(names=names):
                for alias in names:
                    self._bind(alias.asname or alias.name.partition(".")[0], _start(node))
            case _:
                for caught in (getattr(node, "name", None), getattr(node, "rest", None)):
                    if isinstance(caught, str):  # an error, or a part of a pattern
                        self.elsewhere.add(caught)
                for part in ast.iter_child_nodes(node):
                    self.visit(part, until)

    def _target(self, target: ast.expr, statement: ast.Assign, until: _Place | None) -> None:
        match target:
            case ast.Name(id=name):
                if name not in _asked_in_any_case(statement.value):
                    self._bind(name, _end(statement))
            case _:
                self.visit(target, until)

    def _inside(self, node: ast.AST) -> None:
        """A scope of its own: what it asks for, it may ask for later, or never."""
        name = getattr(node, "name", None)
        if isinstance(name, str):
            self._bind(name, _start(node))
        for inner in ast.walk(node):
            match inner:
                case ast.Nonlocal(names=names):
                    self.elsewhere.update(names)
                case ast.NamedExpr(target=ast.Name(id=bound)):
                    self.elsewhere.add(bound)

    def _bind(self, name: str, place: _Place) -> None:
        self.bound.setdefault(name, []).append(place)


def _asked_in_any_case(value: ast.expr) -> set[str]:
    """The names that are asked for when an expression is computed, whatever comes out on the way."""
    match value:
        case ast.Name(id=name):
            return {name}
        case ast.BinOp(left=left, right=right):
            return _asked_in_any_case(left) | _asked_in_any_case(right)
        case ast.Attribute(value=of) | ast.Subscript(value=of) | ast.Call(func=of):
            return _asked_in_any_case(of)
    return set()


def _start(node: ast.expr | ast.stmt | ast.AST) -> _Place:
    return getattr(node, "lineno", 0), getattr(node, "col_offset", 0)


def _end(node: ast.AST) -> _Place:
    return getattr(node, "end_lineno", 0) or 0, getattr(node, "end_col_offset", 0) or 0
