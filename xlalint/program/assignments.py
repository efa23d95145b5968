"""What is assigned to names and attributes, by how they are spelled."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from xlalint.program.outline import dotted, within
from xlalint.remembering import remembered


@remembered(512)
def assignments(node: ast.AST) -> dict[str, tuple[ast.expr, ...]]:
    """What a function, class or module assigns to each of its names, and to attributes."""
    found: dict[str, tuple[ast.expr, ...]] = {}
    for target, value in _pairs(node):
        shown = dotted(target)
        if shown:
            found[shown] = (*found.get(shown, ()), value)
    return found


def _pairs(node: ast.AST) -> Iterator[tuple[ast.expr, ast.expr]]:
    for inner in within(node):
        match inner:
            case ast.Assign(targets=targets, value=value):
                yield from ((target, value) for target in targets)
            case ast.AnnAssign(target=target, value=ast.expr() as value):
                yield target, value
