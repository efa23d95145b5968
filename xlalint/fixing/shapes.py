"""Whether a tensor and a mask surely have the same dimensions, as far as the text of a function tells."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator

from xlalint.fixing.module import Module
from xlalint.fixing.order import chain_of
from xlalint.fixing.places import qualified
from xlalint.knowledge.operations import LIKE

_KEEPING = frozenset({
    "bool", "clamp", "clone", "contiguous", "cpu", "cuda", "detach", "double", "float", "half", "int", "long",
    "relu", "to", "type_as",
})  # fmt: skip
"""Methods that leave a tensor its shape, whatever they are given."""
_COMPARING = frozenset({
    "abs", "eq", "ge", "gt", "isfinite", "isinf", "isnan", "le", "logical_and", "logical_not", "logical_or",
    "logical_xor", "lt", "ne", "sigmoid",
})  # fmt: skip
"""Operations that go element by element: the result has at least the dimensions of each operand."""


def has_all_dimensions(module: Module, mask: ast.expr, tensor: ast.expr) -> bool:
    """Whether a mask that is the index of a tensor has all its dimensions, and not only the first of them:
    it is computed from that tensor, or from one of the same shape, element by element."""
    return not set(_as_large_as(module, mask)).isdisjoint(_shaped_as(module, tensor))


def _shaped_as(module: Module, node: ast.expr) -> Iterator[str]:
    """What has the very shape of an expression."""
    match node:
        case ast.Name() | ast.Attribute():
            yield from _named(module, node, _shaped_as)
        case ast.Call(func=ast.Attribute(value=value, attr=attr)) if attr in _KEEPING:
            yield from _shaped_as(module, value)
        case ast.Call(func=ast.Attribute(attr=attr), args=[value, *_]) if attr.endswith(LIKE):
            yield from _shaped_as(module, value)


def _as_large_as(module: Module, node: ast.expr) -> Iterator[str]:
    """What an expression has all dimensions of."""
    match node:
        case ast.Name() | ast.Attribute():
            yield from _named(module, node, _as_large_as)
        case ast.Compare(left=left, comparators=others):
            for each in (left, *others):
                yield from _as_large_as(module, each)
        case ast.BinOp(left=left, op=op, right=right) if not isinstance(op, ast.MatMult):
            yield from _as_large_as(module, left)
            yield from _as_large_as(module, right)
        case ast.UnaryOp(operand=operand):
            yield from _as_large_as(module, operand)
        case ast.Call(func=ast.Attribute(value=value, attr=attr), args=given) if attr in _COMPARING:
            of_torch = qualified(module, node.func).startswith("torch.")
            for each in given if of_torch else (value, *given):
                yield from _as_large_as(module, each)
        case _:
            yield from _shaped_as(module, node)


def _named(
    module: Module, node: ast.Name | ast.Attribute, of: Callable[[Module, ast.expr], Iterator[str]]
) -> Iterator[str]:
    """A name itself, and what is true `of` what it stands for."""
    if chain_of(node) is not None:
        yield ast.unparse(node)
    value = _only_value(module, node)
    if value is not None:
        yield from of(module, value)


def _only_value(module: Module, node: ast.expr) -> ast.expr | None:
    """What a name stands for throughout its function: it, and all names in that, are bound only once."""
    if not isinstance(node, ast.Name):
        return None
    match _bound(module, node):
        case [ast.Name() as target]:
            statement = module.parents.get(target)
        case _:
            return None
    if not (isinstance(statement, ast.Assign) and statement.targets == [target]):
        return None
    for each in ast.walk(statement.value):
        match each:
            case ast.Name() if each.id == node.id or len(_bound(module, each)) > 1:
                return None
            case ast.Attribute() if not (_is_called(module, each) or qualified(module, each)):
                return None  # whoever has the object may give it another value
    return statement.value


def _is_called(module: Module, node: ast.Attribute) -> bool:
    call = module.parents.get(node)
    return isinstance(call, ast.Call) and call.func is node


def _bound(module: Module, name: ast.Name) -> list[ast.AST]:
    """What binds a name, imports aside."""
    scope = module.scopes.binding(name.id, module.scopes.around(name, module.parents))
    return [] if scope is None else scope.others[name.id]
