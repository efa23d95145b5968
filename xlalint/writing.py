"""An expression as `ast.unparse` writes it, several times faster where it is of the usual forms."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any, Final


def written(node: ast.AST) -> str:
    """An expression as `ast.unparse` writes it.

    Raises:
        RecursionError: it is nested too deeply.
    """
    return _written(node, _LOWEST) or ast.unparse(node)


def _written(node: ast.AST, around: int) -> str:
    """An expression of a usual form; empty for all others.

    Args:
        around: How tightly what stands around it binds. What binds less stands in parentheses.
    """
    form = _FORMS.get(type(node))
    return "" if form is None else form(node, around)


def _all(nodes: list[ast.expr], around: int) -> list[str] | None:
    """Several expressions; None where one is of another form."""
    texts = []
    for node in nodes:
        text = _written(node, around)
        if not text:
            return None
        texts.append(text)
    return texts


def _within(text: str, binds: int, around: int) -> str:
    return f"({text})" if binds < around else text


def _name(node: ast.Name, around: int) -> str:
    return node.id


def _constant(node: ast.Constant, around: int) -> str:
    return repr(node.value) if node.value.__class__ in _PLAIN and node.kind is None else ""


def _attribute(node: ast.Attribute, around: int) -> str:
    base = "" if isinstance(node.value, ast.Constant) else _written(node.value, _ATOM)
    return base and f"{base}.{node.attr}"


def _subscript(node: ast.Subscript, around: int) -> str:
    base = _written(node.value, _ATOM)
    index = base and _written(node.slice, _TEST)
    return index and f"{base}[{index}]"


def _call(node: ast.Call, around: int) -> str:
    called, inside = _written(node.func, _ATOM), _all(node.args, _TEST)
    if not called or inside is None:
        return ""
    for keyword in node.keywords:
        value = _written(keyword.value, _TEST)
        if not value:
            return ""
        inside.append(f"**{value}" if keyword.arg is None else f"{keyword.arg}={value}")
    return f"{called}({', '.join(inside)})"


def _comparison(node: ast.Compare, around: int) -> str:
    compared = _all([node.left, *node.comparators], _COMPARISON + 1)
    if compared is None:
        return ""
    text = compared[0]
    for operator, other in zip(node.ops, compared[1:], strict=True):
        text += f" {_COMPARISONS[type(operator)]} {other}"
    return _within(text, _COMPARISON, around)


def _unary(node: ast.UnaryOp, around: int) -> str:
    sign, binds = ("not ", _NOT) if isinstance(node.op, ast.Not) else ("-", _FACTOR)
    text = _written(node.operand, binds) if isinstance(node.op, ast.Not | ast.USub) else ""
    return text and _within(f"{sign}{text}", binds, around)


def _bool_operator(node: ast.BoolOp, around: int) -> str:
    joint, binds = (" and ", _AND) if isinstance(node.op, ast.And) else (" or ", _OR)
    text = ""
    # As `ast.unparse` has it, each binds tighter than the one before.
    for number, value in enumerate(node.values, 1):
        part = _written(value, binds + number)
        if not part:
            return ""
        text = f"{text}{joint}{part}" if text else part
    return _within(text, binds, around)


def _binary(node: ast.BinOp, around: int) -> str:
    sign, binds = _OPERATORS.get(type(node.op), ("", 0))
    left = sign and _written(node.left, binds)
    right = left and _written(node.right, binds + 1)
    return right and _within(f"{left} {sign} {right}", binds, around)


_LOWEST: Final = 0
_TEST: Final = 1
_OR: Final = 2
_AND: Final = 3
_NOT: Final = 4
_COMPARISON: Final = 5
_BITS: Final = 6
_SHIFT: Final = 9
_SUM: Final = 10
_TERM: Final = 11
_FACTOR: Final = 12
_ATOM: Final = 15
"""How tightly forms bind; powers and `await` stand between the last two."""

_PLAIN: Final = frozenset({bool, int, str, bytes, type(None)})
_COMPARISONS: Final[dict[type[ast.cmpop], str]] = {
    ast.Eq: "==", ast.NotEq: "!=", ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=",
    ast.Is: "is", ast.IsNot: "is not", ast.In: "in", ast.NotIn: "not in",
}  # fmt: skip
_OPERATORS: Final[dict[type[ast.operator], tuple[str, int]]] = {
    ast.BitOr: ("|", _BITS), ast.BitXor: ("^", _BITS + 1), ast.BitAnd: ("&", _BITS + 2),
    ast.LShift: ("<<", _SHIFT), ast.RShift: (">>", _SHIFT), ast.Add: ("+", _SUM), ast.Sub: ("-", _SUM),
    ast.Mult: ("*", _TERM), ast.Div: ("/", _TERM), ast.FloorDiv: ("//", _TERM), ast.Mod: ("%", _TERM),
    ast.MatMult: ("@", _TERM),
}  # fmt: skip
_FORMS: Final[dict[type[ast.AST], Callable[[Any, int], str]]] = {
    ast.Name: _name, ast.Constant: _constant, ast.Attribute: _attribute, ast.Subscript: _subscript,
    ast.Call: _call, ast.Compare: _comparison, ast.UnaryOp: _unary, ast.BoolOp: _bool_operator,
    ast.BinOp: _binary,
}  # fmt: skip
