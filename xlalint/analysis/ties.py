"""Weights that a class ties: one parameter under two names, as of the first and the last layer."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import Final

from xlalint.analysis.machine import Machine
from xlalint.analysis.payloads import Tie, literal
from xlalint.analysis.registries import imported
from xlalint.knowledge.methods import TIES
from xlalint.program.outline import Class, Function, Outline
from xlalint.writing import written


def tie_in(
    machine: Machine, cls: Class, user: Outline, maker: Outline | None, mover: Function | None
) -> Tie | None:  # fmt: skip
    """What every instance of a class has tied once it is made, and nobody ties again.

    None, too, where something in the file of the class, or in that of a user of it, may tie it again, or
    the `maker` of it may freeze what a framework has tied. What a framework does elsewhere than in the
    function that moves the module, the `mover`, is done to others.
    """
    init = machine.classes.find_method(cls, "__init__")
    if init is None or "self" not in init.outline.text:
        return None
    tie, by = next(_ties(machine, cls, init, MOST_CALLS), (None, init))
    if tie is None:
        return None
    own = _lines_of(by)
    if user.is_framework and mover is not None:
        own |= {(user.file, number) for number in range(1, len(user.lines) + 1)} - _lines_of(mover)
    if _is_tied_elsewhere(machine, tie, (user, cls.outline, init.outline), own):
        return None
    if by.outline.is_framework and maker is not None and _is_frozen(machine, maker):
        return None
    again = TIES if by.outline.is_framework else by.name
    return tie if again.startswith("_") else tie._replace(again=again)


def tie_by_call(
    machine: Machine, cls: Class, method: Function, call: ast.Call, user: Outline
) -> Tie | None:  # fmt: skip
    """What a method that is called from outside surely ties of an instance, and nobody else does."""
    tie, by = next(_ties(machine, cls, method, MOST_CALLS), (None, method))
    if tie is None:
        return None
    own = {*_lines_of(by), *_lines_at(call, user)}
    if _is_tied_elsewhere(machine, tie, (user, cls.outline, method.outline), own):
        return None
    return tie._replace(again=method.name, file=user.file)


def tie_by_hand(
    machine: Machine, cls: Class, tie: Tie, node: ast.Assign, user: Outline
) -> Tie | None:  # fmt: skip
    """What `model.head.weight = model.embedding.weight` ties of an instance, where nobody else does."""
    elsewhere = _is_tied_elsewhere(machine, tie, (user, cls.outline), set(_lines_at(node, user)))
    return None if elsewhere else tie._replace(file=user.file)


def is_tied_in(machine: Machine, user: Outline) -> bool:
    """Whether anything in the file of a user may tie parts of a module."""
    machine.rest_on("whole", user.file)
    return any(_AGAIN.search(line) or _TIED.search(line) for line in user.lines)


def _is_tied_elsewhere(
    machine: Machine, tie: Tie, outlines: tuple[Outline, ...], own: set[tuple[str, int]]
) -> bool:  # fmt: skip
    """Whether something in some files may tie the same, apart from `own` lines that do."""
    user = outlines[0]
    for outline in {each.file: each for each in outlines if each is user or not each.is_framework}.values():
        machine.rest_on("whole", outline.file)
        for number, line in enumerate(outline.lines, 1):
            if (outline.file, number) not in own and (_AGAIN.search(line) or _may_tie(line, tie)):
                return True
    return False


def _is_frozen(machine: Machine, maker: Outline) -> bool:
    """Whether the maker of a model, or what it imports, may freeze parameters: two that are not trained stay
    equal."""
    modules = {each.file: each for each in (maker, *imported(machine, maker))}
    for outline in modules.values():
        machine.rest_on("whole", outline.file)
        if any(_FREEZES.search(line) for line in outline.lines):
            return True
    return False


def _may_tie(line: str, tie: Tie) -> bool:
    """Whether a line may tie the two again: other parts that an object ties of its own are others."""
    own = _TIED_OF_ITS_OWN.match(line)
    if own is not None:
        return any(f".{own[1]}".endswith(f".{name}") for name in (tie.one, tie.other))
    return bool(_TIED.search(line))


def _lines_of(function: Function) -> set[tuple[str, int]]:
    return set(_lines_at(function.node, function.outline))


def _lines_at(node: ast.expr | ast.stmt, outline: Outline) -> list[tuple[str, int]]:
    last = node.lineno if node.end_lineno is None else node.end_lineno
    return [(outline.file, number) for number in range(node.lineno, last + 1)]


def _ties(machine: Machine, cls: Class, method: Function, deeper: int) -> Iterator[tuple[Tie, Function]]:
    """What a method surely ties, itself or by another one that it calls, `deeper` calls below at most; and
    which of them does."""
    node = method.node
    if isinstance(node, ast.Lambda) or not node.args.args:
        return
    receiver = node.args.args[0].arg
    parts: dict[str, str] = {}
    flags = machine.flags(method)
    for statement in _surely_run(node.body, parts, {name for name in flags if literal(flags[name]) is True}):
        match statement:
            case ast.Assign([ast.Name(name)], value):
                parts[name] = _part(machine, cls, receiver, value, parts)
            case ast.Assign([ast.Attribute() as target], ast.Attribute() as value):
                one = _part(machine, cls, receiver, target, parts)
                other = _part(machine, cls, receiver, value, parts)
                if "." in one and "." in other and one != other and target.attr == value.attr:
                    yield Tie(one, other), method
            case ast.Expr(ast.Call(ast.Attribute(ast.Name(name), called), [], [])) if deeper:
                inner = machine.classes.find_method(cls, called) if name == receiver else None
                if inner is not None:
                    yield from _ties(machine, cls, inner, deeper - 1)


def _surely_run(body: list[ast.stmt], parts: dict[str, str], on: set[str]) -> Iterator[ast.stmt]:
    """The statements of a method that are run, also where a part is asked for that is there, or a flag that
    is on for all objects."""
    for statement in body:
        match statement:
            case ast.If(ast.Compare(ast.Name(name), [ast.IsNot()], [ast.Constant(None)]), inner) if parts.get(
                name
            ):
                yield from _surely_run(inner, parts, on)
            case ast.If(ast.Name(name), inner) if name in on:
                yield from _surely_run(inner, parts, on)
            case _:
                yield statement


def _part(machine: Machine, cls: Class, receiver: str, node: ast.expr, parts: dict[str, str]) -> str:
    """What stands behind `self.` in `self.head.weight`, also where a local name or a method that does nothing
    but return it stands for `self.head`; empty for what is none of a part's."""
    match node:
        case ast.Name(name):
            return parts.get(name, "")
        case ast.Attribute(ast.Name(name), part) if name == receiver:
            return part
        case ast.Attribute(whole, part):
            below = _part(machine, cls, receiver, whole, parts)
            return f"{below}.{part}" if below else ""
        case ast.Subscript(whole, ast.Constant() | ast.Name() as index):
            below = _part(machine, cls, receiver, whole, parts)
            return f"{below}[{written(index)}]" if below else ""
        case ast.Call(ast.Attribute(ast.Name(name), called), [], []) if name == receiver:
            getter = machine.classes.find_method(cls, called)
            if getter is None:
                return f"{called}()"  # one of a library's, from a class that it derives from
            match getter.node:
                case ast.FunctionDef(
                    args=ast.arguments(args=[own]), body=[*_, ast.Return(ast.Attribute() as got)]
                ):
                    return _part(machine, cls, own.arg, got, {})
    return ""


MOST_CALLS: Final = 3
"""`__init__` calls `post_init`, which calls `tie_weights`, which calls another one: no deeper."""
_TIED: Final = re.compile(r"\w\.[\w.\[\]]+\.(\w+) *= *\w+\.[\w.\[\]]+\.\1\b(?! *[(\[.])")
"""An assignment such as `self.a.weight = self.b.weight`."""
_TIED_OF_ITS_OWN: Final = re.compile(r"\s*self\.([\w.\[\]]+\.(\w+)) *= *self\.[\w.\[\]]+\.\2\b(?! *[(\[.])")
_FREEZES: Final = re.compile(r"\.requires_grad *=(?!=)|\.requires_grad_\(")
SAYS_IT_TIES: Final = re.compile(r"(?:^|_)(?:re)?(?:tie|share)(?:_|$)")
"""What a method is called that ties weights."""
_AGAIN: Final = re.compile(r"def (?:to|_apply)\b|(?<!self)\.(?:\w+_)*(?:re)?(?:tie|share)(?:_\w+)*\(")
"""Methods that move in a way of their own, or a call from outside that says it ties."""
