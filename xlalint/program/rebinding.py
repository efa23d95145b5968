"""Where a module binds names anew, and which bindings of a name may hold at one moment.

The cells of a notebook, and scripts of several parts, bind `device` and `model` anew: a function that is
called in between sees what they are then.
"""

from __future__ import annotations

import ast
from bisect import bisect_left, bisect_right
from typing import Final

from xlalint.program.outline import Binding, Class, Function, Import, Outline, within, within_lines


class Rebinding:
    """The statements of one module that bind names anew, and what each name is between them."""

    def __init__(self, outline: Outline) -> None:
        self._outline = outline
        self._starts = [_start(node) for node in outline.tree.body]
        bound: dict[str, list[int]] = {}
        """By name that is bound by several statements, the number of the statement of each binding."""
        if outline.functions:
            for name, bindings in outline.bindings.items():
                places = self._bound_at(bindings) if len(bindings) > 1 else None
                if places is not None and places[0] != places[-1]:
                    bound[name] = places
        if bound:
            needed = self._needed() - _declared_global(outline)
            bound = {name: places for name, places in bound.items() if name in needed}
        self._binding = sorted({place for places in bound.values() for place in places})
        self._bindings = {
            name: [
                (bisect_left(self._binding, place), self._replaces(name, number, place))
                for number, place in enumerate(places)
            ]
            for name, places in bound.items()
        }
        """By name, of each binding how many statements have run before it, and whether it replaces all that
        the name was."""

    def at(self, statement: int) -> int | None:
        """How many statements that bind names anew have run when one of the module runs; None if none do."""
        if not self._binding:
            return None
        # A loop comes back to what it binds itself.
        simple = isinstance(self._outline.tree.body[statement], _SIMPLE)
        return (bisect_left if simple else bisect_right)(self._binding, statement)

    def around(self, node: ast.AST) -> int | None:
        """How many of them have run when the statement of the module runs that a node stands in."""
        return self.at(self._place(node)) if self._binding else None

    def seen(self, name: str, passed: int) -> tuple[int, ...] | None:
        """The numbers of those bindings of a name that may hold when so many have run; None where all may."""
        seen: list[int] = []
        for number, (before, replaces) in enumerate(self._bindings.get(name, ())):
            if before >= passed:
                break
            if replaces:
                seen.clear()
            seen.append(number)
        return tuple(seen) or None

    def _replaces(self, name: str, number: int, place: int) -> bool:
        """Whether nothing of what a name was before is left after a binding, whatever happens."""
        binding = self._outline.bindings[name][number]
        if not isinstance(self._outline.tree.body[place], _BINDS_SURELY):
            return False
        return not isinstance(binding, ast.expr) or all(
            not (isinstance(node, ast.Name) and node.id == name) for node in within(binding)
        )

    def _needed(self) -> frozenset[str]:
        """Names of the module that functions use, or what is bound to such a name."""
        bindings = self._outline.bindings
        waiting = {name for function in self._outline.functions.values() for name in function.outer_names()}
        needed: set[str] = set()
        while waiting:
            name = waiting.pop()
            if name in needed or name not in bindings:
                continue
            needed.add(name)
            for binding in bindings[name]:
                if isinstance(binding, ast.expr):
                    waiting |= {node.id for node in within(binding) if isinstance(node, ast.Name)}
        return frozenset(needed)

    def _bound_at(self, bindings: list[Binding]) -> list[int] | None:
        """The statements of some bindings; None where functions may do it, or imports do."""
        places = []
        for binding in bindings:
            if isinstance(binding, Import):
                return None
            node = binding.node if isinstance(binding, Function | Class) else binding
            place = self._place(node)
            statement = self._outline.tree.body[place]
            if statement is not node and isinstance(statement, _DEFINITIONS):
                return None
            places.append(place)
        return places

    def _place(self, node: ast.AST) -> int:
        return max(bisect_right(self._starts, _start(node)) - 1, 0)


def rebinding(outline: Outline) -> Rebinding:
    """Where a module binds names anew, which is looked for once."""
    if outline.rebinding is None:
        outline.rebinding = Rebinding(outline)
    return outline.rebinding


def _start(node: ast.AST) -> tuple[int, int]:
    return node.lineno, node.col_offset  # type: ignore[attr-defined]


def _declared_global(outline: Outline) -> frozenset[str]:
    """Names that functions of a module may bind."""
    return frozenset(
        name
        for node in within_lines(outline.tree, outline.lines_with(_GLOBAL))
        if isinstance(node, ast.Global)
        for name in node.names
    )


_GLOBAL: Final = ("global ",)
_DEFINITIONS: Final = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
_BINDS_SURELY: Final = (*_DEFINITIONS, ast.Assign, ast.AnnAssign)
_SIMPLE: Final = (*_BINDS_SURELY, ast.Expr, ast.AugAssign, ast.Return, ast.Delete, ast.Assert)
"""Statements that hold no others that would run with them."""
