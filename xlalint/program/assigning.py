"""The part of a method that says what it assigns to attributes: all else in it need not be run for them."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Final

from xlalint.program.outline import FunctionNode, within
from xlalint.program.sections import LEAVING, SIMPLE, blocks

IsLibrary = Callable[[str], bool]
"""Whether a name of the module is that of a library whose calls may set something up."""


def statements_for(node: FunctionNode, wanted: frozenset[str], is_library: IsLibrary) -> frozenset[ast.stmt]:
    """The statements of a method on which it depends what some attributes hold after it.

    Args:
        node: The method.
        wanted: The names of the attributes; `setattr` stands for all that are set by any name.
        is_library: See `IsLibrary`.
    """
    steps: list[_Step] = []
    if not isinstance(node, ast.Lambda):
        _gather(node.body, None, steps)
    receiver = frozenset(argument.arg for argument in node.args.args[:1])
    names: set[str] = set()
    attributes = set(wanted)
    # What is called without taking what comes of it may change what it is called on.
    kept = {step for step in steps if step.is_setter() or not wanted.isdisjoint(step.set | step.called)}
    if kept:
        lines = [step.node.lineno for step in kept]
        # What leaves the method or a loop counts where something is set before and after it.
        first, last = min(lines), max(lines)
        kept |= {s for s in steps if isinstance(s.node, LEAVING) and first < s.node.lineno < last}
        kept |= {step for step in steps if any(map(is_library, step.root))}
    waiting = [*kept]
    while waiting:
        for step in waiting:
            names |= step.used - receiver
            attributes |= step.asked
        # What stands around a statement decides whether it is run.
        found = {step.around for step in waiting if step.around is not None}
        found |= {step for step in steps if step.gives(names, attributes) or step.endless in kept}
        waiting = [*(found - kept)]
        kept |= found
    return frozenset(step.node for step in kept)


class _Step:
    """A statement, or the header of one that holds others: what it gives and what it asks for."""

    __slots__ = ("around", "asked", "bound", "called", "endless", "node", "root", "set", "used")

    def __init__(self, node: ast.stmt, around: _Step | None, nodes: list[ast.AST]) -> None:
        self.node = node
        self.around = around
        self.endless = _endless_loop(around) if isinstance(node, LEAVING) else None
        """The loop that it leaves, if nothing else ends that."""
        self.used: set[str] = set()
        self.bound: set[str] = set()
        self.asked: set[str] = set()
        """The attributes that it loads, and in `set` those that it stores."""
        self.set: set[str] = set()
        self.root: tuple[str, ...] = ()
        """The name that a call begins with whose value nobody takes, and in `called` the rest of it."""
        self.called: set[str] = set()
        for inner in () if isinstance(node, LEAVING) else nodes:
            if isinstance(inner, ast.Name):
                (self.used if inner.ctx.__class__ is ast.Load else self.bound).add(inner.id)
            elif isinstance(inner, ast.Attribute):
                (self.asked if inner.ctx.__class__ is ast.Load else self.set).add(inner.attr)
            elif isinstance(inner, ast.Subscript) and inner.ctx.__class__ is not ast.Load:
                self.bound.update(_root(inner))
                self.set.update(part.attr for part in within(inner.value) if isinstance(part, ast.Attribute))
            elif isinstance(inner, ast.Import | ast.ImportFrom):
                self.bound.update(alias.asname or alias.name.partition(".")[0] for alias in inner.names)
            elif isinstance(inner, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                self.bound.add(inner.name)
            elif isinstance(inner, ast.Global | ast.Nonlocal):
                self.bound.update(inner.names)
            elif isinstance(inner, ast.MatchAs | ast.MatchStar) and inner.name:
                self.bound.add(inner.name)
        if isinstance(node, ast.Expr) and isinstance(call := node.value, ast.Call):
            self.root = _root(call.func)
            self.called = {inner.attr for inner in within(call.func) if isinstance(inner, ast.Attribute)}

    def is_setter(self) -> bool:
        """Whether it sets an attribute by any name."""
        return self.root == (_SETTER,) and not self.called

    def gives(self, names: set[str], attributes: set[str]) -> bool:
        """Whether it binds one of some names or changes what that means, or sets one of some attributes."""
        return not (
            names.isdisjoint(self.bound) and names.isdisjoint(self.root) and attributes.isdisjoint(self.set)
        )


def _endless_loop(around: _Step | None) -> _Step | None:
    """The innermost loop around a place that goes on until it is left."""
    while around is not None:
        if isinstance(around.node, ast.While) and isinstance(around.node.test, ast.Constant):
            return around
        around = around.around
    return None


def _gather(body: list[ast.stmt], around: _Step | None, steps: list[_Step]) -> None:
    for node in body:
        inside = [] if isinstance(node, _DEFINITIONS) else [*blocks(node)]
        if node.__class__ in SIMPLE or isinstance(node, _DEFINITIONS):
            nodes = within(node)
        else:
            held = {statement for block in inside for statement in block}
            parts = (part for part in ast.iter_child_nodes(node) if part not in held)
            nodes = [inner for part in parts for inner in _of_header(part)]
        step = _Step(node, around, nodes)
        steps.append(step)
        for block in inside:
            _gather(block, step, steps)


def _of_header(part: ast.AST) -> list[ast.AST]:
    """What stands in a part of the header of a statement, without the statements below."""
    match part:
        case ast.ExceptHandler(type=caught):
            return within(caught) if caught is not None else []
        case ast.match_case(pattern=pattern, guard=guard):
            return [*within(pattern), *(within(guard) if guard is not None else [])]
    return within(part)


def _root(node: ast.expr) -> tuple[str, ...]:
    """The name that an expression takes a part of, if there is one."""
    while isinstance(node, ast.Attribute | ast.Subscript):
        node = node.value
    return (node.id,) if isinstance(node, ast.Name) else ()


_SETTER: Final = "setattr"
_DEFINITIONS: Final = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
