"""Where code runs in PyTorch's inference mode, by how it is written."""

from __future__ import annotations

import ast
from typing import Final

from xlalint.program.outline import last_name, within

INFERENCE_MODE: Final = "inference_mode"


def calls_what_was_there(call: ast.Call, function: ast.AST) -> bool:
    """Whether a call stands in inference mode in a function, of something that was there before.

    What is made in inference mode itself, it can view.
    """
    root: ast.expr = call.func
    while isinstance(root, ast.Attribute | ast.Subscript):
        root = root.value
    scope = _scope_of(call, function)
    if scope is None or not isinstance(root, ast.Name):
        return False
    return not any(
        isinstance(node, ast.Name) and node.id == root.id and isinstance(node.ctx, ast.Store)
        for node in within(scope)
    )


def _scope_of(call: ast.Call, function: ast.AST) -> ast.AST | None:
    """The `with torch.inference_mode()` around a call, or the function, if it is decorated so."""
    for node in within(function):
        if (
            isinstance(node, ast.With)
            and node.lineno <= call.lineno <= (node.end_lineno or node.lineno)
            and any(_turns_on(item.context_expr) for item in node.items)
        ):
            return node
    decorators = function.decorator_list if isinstance(function, ast.FunctionDef) else []
    return function if any(map(_turns_on, decorators)) else None


def _turns_on(node: ast.expr) -> bool:
    """Whether it is `torch.inference_mode()`, or a decorator of this name."""
    match node:
        case ast.Call(func=function, args=[]) | ast.Call(func=function, args=[ast.Constant(value=True)]):
            pass
        case ast.Name() | ast.Attribute():
            function = node
        case _:
            return False
    given = node.keywords if isinstance(node, ast.Call) else []
    return last_name(function) == INFERENCE_MODE and not given
