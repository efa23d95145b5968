"""How a function counts: statements that set a number to itself and more, however they are written."""

from __future__ import annotations

import ast

from xlalint.program.outline import dotted, within
from xlalint.remembering import remembered


@remembered(1024)
def set_once(around: ast.AST, name: str) -> ast.expr | None:
    """What a name is set to, if that is done in one place, not counting that it is None to begin with."""
    body = getattr(around, "body", ())
    given = [
        node.value
        for node in within(around)
        if isinstance(node, ast.Assign) and not (_is_none(node.value) and node in body)
        for target in node.targets
        if isinstance(target, ast.Name) and target.id == name
    ]
    return given[0] if len(given) == 1 else None


def updates(node: ast.Assign, around: ast.AST) -> tuple[ast.AugAssign, ...]:
    """What `count = count + n`, or `count = (count + n) % size`, is where the count is a number.

    The sum may have a name of its own, and one way of a conditional may begin anew.

    Args:
        around: The function or module that it stands in.
    """
    match node.targets, node.value:
        case _, ast.BinOp() | ast.IfExp() | ast.Call(func=ast.Name(id="int")):
            return _updates(node, around)
        case [ast.Attribute()], ast.Name():
            return _updates(node, around)
    return ()


@remembered(1024)
def _updates(node: ast.Assign, around: ast.AST) -> tuple[ast.AugAssign, ...]:
    match node.targets:
        case [ast.Name() | ast.Attribute() as target]:
            name = dotted(target)
        case _:
            return ()
    made: ast.expr | None = _whole(node.value)
    size: ast.expr | None = None
    match made:
        case ast.BinOp(left, ast.Mod(), right):
            made, size = _whole(left), right
        case ast.IfExp(body=ast.Constant(), orelse=counted) | ast.IfExp(body=counted, orelse=ast.Constant()):
            made = _whole(counted)
    if isinstance(made, ast.Name) and isinstance(target, ast.Attribute):
        made = set_once(around, made.id)
    match made:
        case ast.BinOp(counted, ast.Add(), by) if dotted(counted) == name:
            pass
        case ast.BinOp(by, ast.Add(), counted) if dotted(counted) == name:
            pass
        case _:
            return ()
    wrap = (ast.AugAssign(target, ast.Mod(), size),) if size is not None else ()
    return tuple(ast.copy_location(each, node) for each in (ast.AugAssign(target, ast.Add(), by), *wrap))


def _whole(node: ast.expr) -> ast.expr:
    """What is made an integer, which changes nothing of a count."""
    match node:
        case ast.Call(func=ast.Name(id="int"), args=[given], keywords=[]):
            return given
    return node


def _is_none(value: ast.expr) -> bool:
    return isinstance(value, ast.Constant) and value.value is None
