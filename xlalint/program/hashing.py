"""Containers that find what they are asked for by its hash: of a tensor, where it stands in memory."""

from __future__ import annotations

import ast
from typing import Final

from xlalint.program.assignments import assignments
from xlalint.program.outline import Function, Outline, dotted, last_name


def finds_by_hash(asked: ast.expr, function: Function | None, outline: Outline) -> bool:
    """Whether what is asked `in` is surely a dictionary or a set: by how it is written, or by all that is
    assigned to its name in the function, or to the attribute in its class."""
    if not isinstance(asked, ast.Name | ast.Attribute):
        return _is_made(asked)
    values = assignments(_scope(asked, function, outline)).get(dotted(asked), ())
    return bool(values) and all(map(_is_made, values))


def _scope(asked: ast.Name | ast.Attribute, function: Function | None, outline: Outline) -> ast.AST:
    """Where what is asked is bound: the class of a method for attributes, the function for its own names."""
    if function is None:
        return outline.tree
    if isinstance(asked, ast.Name):
        return function.node if asked.id in function.locals() else outline.tree
    return function.owner.node if function.owner is not None else function.node


def _is_made(value: ast.expr) -> bool:
    match value:
        case ast.Dict() | ast.Set() | ast.DictComp() | ast.SetComp():
            return True
        case ast.Call(func=ast.Attribute(attr="keys")):
            return True
        case ast.Call(func=called):
            return last_name(called) in _HASHING
    return False


_HASHING: Final = frozenset({"Counter", "OrderedDict", "defaultdict", "dict", "frozenset", "set"})
