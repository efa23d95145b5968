"""Which definition of a name a function sees, where a module defines the name several times.

The cells of a notebook, and old scripts, define `train` and `main` anew: what is called of the older one
sees what was defined when it was called.
"""

from __future__ import annotations

import ast
import math
from typing import Final

from xlalint.program.outline import Class, Function, Outline, within


def seen_by(function: Function, name: str, outline: Outline) -> list[Function | Class] | None:
    """The definitions of a name of the module that may be there when a function of it runs.

    None where they are not all defined whatever happens. All that the name is bound to are definitions.
    """
    body = outline.tree.body
    places = {id(node): index for index, node in enumerate(body)}
    definitions = [one for one in outline.bindings[name] if isinstance(one, Function | Class)]
    starts = [places.get(id(one.node), -1) for one in definitions]
    if -1 in starts:
        return None
    around = _outermost(function)
    begins = places.get(id(around.node), -1)
    ends = min(
        (
            places.get(id(other.node), -1)
            for other in outline.bindings.get(around.name, ())
            if isinstance(other, Function | Class) and places.get(id(other.node), -1) > begins
        ),
        default=math.inf,
    )
    running = [index for index, node in enumerate(body) if _runs(node)]
    seen = []
    for one, start, end in zip(definitions, starts, [*starts[1:], math.inf], strict=True):
        first, last = max(start, begins), min(end, ends)
        if (first < last and last == math.inf) or any(first < index < last for index in running):
            seen.append(one)
    return seen or None


def _outermost(function: Function) -> Function | Class:
    """The function or class of the module that a function stands in."""
    around: Function | Class = function
    while (outer := (around.owner if isinstance(around, Function) else None) or around.parent) is not None:
        around = outer
    return around


def _runs(node: ast.stmt) -> bool:
    """Whether a statement of a module may call what the module defines."""
    if isinstance(node, _DEFINING):
        return False
    return not isinstance(node, ast.Expr | ast.Assign) or any(
        isinstance(inner, ast.Call) for inner in within(node)
    )


_DEFINING: Final = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Import, ast.ImportFrom)
