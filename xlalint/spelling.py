"""How an expression of the user's program is shown in a message, whoever observed it."""

from __future__ import annotations

import ast
from typing import Final

from xlalint.remembering import remembered
from xlalint.writing import written

MOST_CHARACTERS: Final = 40

COMPUTED_INTO: Final = "` on the "
COPIED_INTO: Final = "` into the "
"""What stands between a change of a tensor on the CPU and that tensor: it takes up what is computed on the
device for that, or what is there."""


def change_on_cpu(node: ast.AST, of: str = "CPU tensor") -> str:
    """What changes a tensor on the CPU in place, and which: `total += loss` on the CPU tensor `total`.

    The backticks at both ends are left to whoever shows it.

    Args:
        node: The statement `total += loss`, the target `table[i]` of an assignment, or the call
            `total.add_(loss)`; others change nothing.
        of: What it changes.
    """
    match node:
        case ast.AugAssign(target=changed, op=op, value=value) if type(op) in IN_PLACE:
            shown, how = f"{spelling(changed)} {IN_PLACE[type(op)]} {spelling(value)}", COMPUTED_INTO
        case ast.Subscript(value=changed, ctx=ast.Store()):
            shown, how = f"{spelling(node)} = ...", COPIED_INTO
        case ast.Call(func=ast.Attribute(value=changed, attr=name)):
            shown, how = spelling(node), COPIED_INTO if name == "copy_" else COMPUTED_INTO
        case _:
            return ""
    return f"{shown}{how}{of} `{spelling(changed)}"


IN_PLACE: Final[dict[type[ast.operator], str]] = {
    ast.Add: "+=", ast.Sub: "-=", ast.Mult: "*=", ast.Div: "/=",
}  # fmt: skip
"""The operators by which a tensor on the CPU may take up one of the device."""


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
