"""How an expression of the user's program is shown in a message, whoever observed it."""

from __future__ import annotations

import ast
from typing import Final

from xlalint.remembering import remembered
from xlalint.writing import written

MOST_CHARACTERS: Final = 40


@remembered(4096)  # the same node is shown in each context of its function: 3 % of dense code
def spelling(node: ast.expr, most: int = MOST_CHARACTERS) -> str:
    """An expression as written, on one line and of at most `most` characters."""
    if isinstance(node, ast.Call):
        function = spelling(node.func, most)
        inside = ", ".join(spelling(argument, 12) for argument in node.args[:2])
        if len(node.args) > 2 or node.keywords or len(function) + len(inside) + 2 > most:
            inside = "..."
        return f"{function}({inside})"
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute):
        base = spelling(node.value, most)
        if not isinstance(node.value, ast.Name | ast.Attribute | ast.Call | ast.Subscript):
            base = f"({base})"
        return f"{base}.{node.attr}" if len(base) + len(node.attr) < most else f"...{node.attr}"
    shown = repr(node.value) if isinstance(node, ast.Constant) else " ".join(written(node).split())
    return shown if len(shown) <= most else shown[: most - 3] + "..."


THE_FRAMEWORK: Final = "the framework"
"""What does something in a framework's program, until it is known how the user calls that."""
