"""How functions look: to others, which do not enter them; and line by line, from one run to the next."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Final
from zlib import crc32

from xlalint.program.outline import Function, FunctionNode, Outline, parts_of, within
from xlalint.program.sections import digest
from xlalint.remembering import remembered

SHORT: Final = 12
"""Functions of at most this many lines are entered whatever they have to do with the engine."""


def is_short(node: FunctionNode) -> bool:
    """Whether a function is entered whatever it has to do with the engine."""
    return (node.end_lineno or 0) - node.lineno <= SHORT


@remembered(1 << 14)
def makers(node: FunctionNode) -> tuple[str, ...]:
    """The names that a function calls for what it returns, or for one of several things that it returns."""
    if isinstance(node, ast.Lambda):
        return ()
    returned: list[ast.expr] = []
    called: dict[str, list[str]] = {}
    stack: list[ast.AST] = list(node.body)
    while stack:
        match stack.pop():
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef() | ast.Lambda():
                pass
            case ast.Return(value=ast.Tuple(elts=several)):
                returned += several
            case ast.Return(value=ast.expr() as value):
                returned.append(value)
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Call(func=ast.Name(id=maker))):
                called.setdefault(name, []).append(maker)
            case ast.stmt() | ast.ExceptHandler() | ast.match_case() as other:
                stack += parts_of(other)
    found: list[str] = []
    for value in returned:
        match value:
            case ast.Call(func=ast.Name(id=maker)):
                found.append(maker)
            case ast.Name(id=name):
                found += called.get(name, [])
    return tuple(sorted(set(found)))


def looks(node: FunctionNode, lines: list[str]) -> tuple[object, ...]:
    """What others see of a function without entering it: what is equal looks the same.

    Args:
        lines: Those of its module.
    """
    first = min([node.lineno, *(each.lineno for each in getattr(node, "decorator_list", ()))])
    body = node.body if isinstance(node, ast.Lambda) else node.body[0]
    above = (*lines[first - 1 : body.lineno - 1], lines[body.lineno - 1].encode()[: body.col_offset].decode())
    within_it = within(node)
    attributes = frozenset(each.attr for each in within_it if isinstance(each, ast.Attribute))
    yields = any(isinstance(each, ast.Yield | ast.YieldFrom) for each in within_it)
    return above, attributes, yields, is_short(node), makers(node)


def look_of(function: Function) -> str:
    """The same, and what a function takes of those around it, as a text for another run."""
    above, attributes, *others = looks(function.node, function.outline.lines)
    names = (function.free_names(), sorted(function.locals())) if function.parent is not None else ()
    assert isinstance(attributes, frozenset)
    return digest(repr((above, sorted(attributes), others, names)))


def line_marks(outline: Outline, section: str) -> str:
    """A short text for each line of a section, by which its lines are found again among others."""
    found = outline.sections.find(section)
    lines = outline.lines[found.first - 1 : found.last] if found is not None else []
    return bytes(crc32(line.encode("utf-8", "surrogatepass")) & 255 for line in lines).hex()


def moved(before: str, now: str) -> Callable[[int], int | None]:
    """Where the lines of a section are now, by what marked them and what does now.

    Lines keep their order, and no two come to be one. Of a line that is gone, nothing is told.
    """
    old, new = bytes.fromhex(before), bytes.fromhex(now)
    most = min(len(old), len(new))
    above = next((at for at in range(most) if old[at] != new[at]), most)
    below = next((at for at in range(most - above) if old[-1 - at] != new[-1 - at]), most - above)
    further = len(new) - len(old)

    def where(line: int) -> int | None:
        if line <= above:
            return line
        if line > len(old) - below:
            return line + further
        return None if further else line

    return where
