"""What the nodes of a syntax tree consist of."""

from __future__ import annotations

import ast
from functools import lru_cache


@lru_cache(maxsize=1024)
def walk(node: ast.AST) -> tuple[ast.AST, ...]:
    """A node with all that it consists of, from the outside in, as `ast.walk` has it, but for operators.

    What is rewritten is looked through again and again, and does not change meanwhile.
    """
    found = [node]
    for each in found:
        found += children(each)
    return tuple(found)


def children(node: ast.AST) -> list[ast.AST]:
    """What a node consists of, without operators and contexts."""
    found: list[ast.AST] = []
    for name in node._fields:
        held = getattr(node, name, None)
        kind = held.__class__
        if kind is list:
            found += [each for each in held if isinstance(each, ast.AST)]  # type: ignore[union-attr]
        elif kind not in _LEAVES and isinstance(held, ast.AST):
            found.append(held)
    return found


_LEAVES = frozenset({
    ast.Load, ast.Store, ast.Del, str, int, type(None),
    *ast.operator.__subclasses__(), *ast.unaryop.__subclasses__(), *ast.boolop.__subclasses__(),
})  # fmt: skip
