"""How a function counts: statements that set a number to itself and more, however they are written, and loops
over each n-th element."""

from __future__ import annotations

import ast
from typing import Final, TypeGuard

from xlalint.program.outline import dotted, last_name, within
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


def dealt_out(over: ast.expr, around: ast.AST) -> tuple[ast.expr, ast.expr] | None:
    """Where a loop begins that goes over each n-th of some elements, and these elements.

    That is `elements[first::n]` or `range(first, len(elements), n)`, be it by a name of its own.

    Args:
        over: What the loop goes over.
        around: The function or module that it stands in.
    """
    match _meant(over, around):
        case ast.Subscript(value=held, slice=ast.Slice(ast.expr() as first, None, ast.expr())):
            return first, held
        case ast.Call(called, [begin, end, _]) if last_name(called) in RANGES:
            match _meant(end, around):
                case ast.Call(ast.Name("len"), [counted]):
                    return begin, counted
        case ast.Call(called, [inner, *_]) if last_name(called) in _GOES_ALONG:
            return dealt_out(inner, around)
    return None


def _meant(node: ast.expr, around: ast.AST) -> ast.expr:
    """What a name is set to, if that is done in one place."""
    given = set_once(around, node.id) if isinstance(node, ast.Name) else None
    return given or node


def is_evened_out(elements: ast.expr, around: ast.AST) -> bool:
    """Whether a program rounds how many elements there are, or looks at what is left over.

    Args:
        around: The function or module in which that is looked for.
    """
    names = _names([elements])
    given = [
        node.value
        for node in within(around)
        if isinstance(node, ast.Assign) and not names.isdisjoint(_names(node.targets))
    ]
    if any(_rounds(each) for part in (elements, *given) for each in within(part)):
        return True
    return any(_rounds(each) and not names.isdisjoint(_names([each])) for each in within(around))


def _rounds(node: ast.AST) -> TypeGuard[ast.expr]:
    match node:
        case ast.BinOp(op=ast.Mod() | ast.FloorDiv()):
            return True
        case ast.Call(called):
            return last_name(called) in _ROUNDING
    return False


def _names(parts: list[ast.expr]) -> frozenset[str]:
    """The names and attributes in expressions, told apart by a dot, but for builtins."""
    found = [each for part in parts for each in within(part)]
    names = [each.id for each in found if isinstance(each, ast.Name)]
    attributes = [f".{each.attr}" for each in found if isinstance(each, ast.Attribute)]
    return frozenset((*names, *attributes)) - _BUILTIN


RANGES: Final = frozenset({"range", "trange"})
_GOES_ALONG: Final = frozenset({"enumerate", "iter", "list", "sorted", "tqdm", "tuple"})
_ROUNDING: Final = frozenset({"ceil", "divmod", "floor"})
_BUILTIN: Final = _GOES_ALONG | {"len", "self"}


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
