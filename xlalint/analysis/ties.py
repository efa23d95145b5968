"""Weights that a class ties: one parameter under two names, as of the first and the last layer."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from xlalint.analysis.machine import Machine
from xlalint.analysis.outline import Class, Function, Outline


class Tie(NamedTuple):
    """Two names of one parameter, as an instance has them.

    Args:
        one, other: Such as `head.weight` and `embedding.weight`.
    """

    one: str
    other: str


def tie_in(machine: Machine, cls: Class, user: Outline) -> Tie | None:
    """What every instance of a class has tied once it is made, and nobody ties again.

    None, too, where something in the file of the class, or in that of a user of it, may tie it again.
    """
    init = machine.classes.find_method(cls, "__init__")
    if init is None or "self" not in init.outline.text:
        return None
    tie = next(_ties(machine, cls, init, may_call=True), None)
    if tie is None:
        return None
    outlines = {each.file: each for each in (user, cls.outline, init.outline)}
    for outline in outlines.values():
        machine.rest_on("whole", outline.file)
    text = "\n".join(outline.text for outline in outlines.values())
    return None if len(_TIED.findall(text)) > 1 or _AGAIN.search(text) else tie


def _ties(machine: Machine, cls: Class, method: Function, *, may_call: bool) -> Iterator[Tie]:
    """Where a method surely ties, itself or by another one that it calls."""
    node = method.node
    if isinstance(node, ast.Lambda) or not node.args.args:
        return
    receiver = node.args.args[0].arg
    for statement in node.body:
        match statement:
            case ast.Assign([ast.Attribute() as target], ast.Attribute() as value):
                one, other = _below(receiver, target), _below(receiver, value)
                if one and other and one != other and target.attr == value.attr:
                    yield Tie(one, other)
            case ast.Expr(ast.Call(ast.Attribute(ast.Name(name), called), [], [])) if may_call:
                inner = machine.classes.find_method(cls, called) if name == receiver else None
                if inner is not None:
                    yield from _ties(machine, cls, inner, may_call=False)


def _below(receiver: str, node: ast.expr) -> str:
    """What stands behind `self.` in `self.head.weight`; empty for what is none of a part's."""
    shown = ast.unparse(node)
    match = _OF_A_PART.fullmatch(shown)
    return shown.partition(".")[2] if match is not None and match[1] == receiver else ""


_OF_A_PART: Final = re.compile(r"(\w+)\.\w+(?:\[\w+\])?(?:\.\w+(?:\[\w+\])?)+")
_TIED: Final = re.compile(r"\w\.[\w.\[\]]+\.(\w+) *= *\w+\.[\w.\[\]]+\.\1\b(?! *[(\[.])")
"""An assignment such as `self.a.weight = self.b.weight`."""
_AGAIN: Final = re.compile(r"def (?:to|_apply)\b|(?<!self)\.(?:\w+_)*(?:re)?(?:tie|share)(?:_\w+)*\(")
"""Methods that move in a way of their own, or a call from outside that says it ties."""
