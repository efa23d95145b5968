"""Functions within a function: what stands in them is as good as written where they are called."""

from __future__ import annotations

import ast

from xlalint.program.outline import Function, within
from xlalint.remembering import remembered


def statements_run(block: list[ast.stmt], function: Function | None) -> list[ast.stmt]:
    """The statements of a block, and before each those of the functions within `function` that it calls."""
    inner = _inner_functions(function) if function is not None else {}
    return _with_inner(block, inner) if inner else block


def _with_inner(block: list[ast.stmt], inner: dict[str, list[ast.stmt]]) -> list[ast.stmt]:
    run: list[ast.stmt] = []
    for statement in block:
        for each in within(statement):
            if isinstance(each, ast.Call) and isinstance(each.func, ast.Name) and each.func.id in inner:
                others = {name: body for name, body in inner.items() if name != each.func.id}
                run += _with_inner(inner[each.func.id], others)
        run.append(statement)
    return run


@remembered(1024)
def _inner_functions(function: Function) -> dict[str, list[ast.stmt]]:
    """The bodies of functions within a function, by name, of which no name is one of its own names, too."""
    # A module may have many functions, so that only what stands in this one is looked at.
    nodes = [node for node in within(function.node) if isinstance(node, ast.FunctionDef)]
    found: dict[str, list[ast.stmt]] = {}
    for node in sorted(nodes, key=_place):
        each = function.outline.functions.get(node)
        if each is None or each.parent is not function:
            continue
        if each.locals().isdisjoint(function.locals()):
            found[each.name] = node.body
    return found


def _place(node: ast.FunctionDef) -> tuple[int, int]:
    return node.lineno, node.col_offset
