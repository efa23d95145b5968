"""What the bodies of modules set up for the whole program, as soon as somebody imports them."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from xlalint.analysis.call import dotted
from xlalint.analysis.outline import Outline
from xlalint.knowledge.functions import SETTING_SPMD_UP, TURNING_EAGER_ON


def sets_spmd_up(outline: Outline) -> bool:
    """Whether the body of a module turns SPMD on, or says how."""
    if not any(name in outline.text for name in SETTING_SPMD_UP):
        return False
    running = (
        ast.unparse(statement)
        for statement in outline.tree.body
        if not isinstance(statement, ast.FunctionDef | ast.ClassDef | ast.Import | ast.ImportFrom)
    )
    return any(name in text for text in running for name in SETTING_SPMD_UP)


def turns_eager_on(outline: Outline) -> bool:
    """Whether the body of a module turns eager mode on, whatever else is the case."""
    if TURNING_EAGER_ON not in outline.text:
        return False
    for statement in _certain(outline.tree.body):
        match statement:
            case ast.Expr(ast.Call(func=function, args=[ast.Constant(value=True)])):
                if dotted(function).rpartition(".")[2] == TURNING_EAGER_ON:
                    return True
    return False


def _certain(statements: Iterable[ast.stmt]) -> Iterator[ast.stmt]:
    """Statements that run in any case. What a `try` holds does: its handlers are for other releases."""
    for statement in statements:
        yield statement
        if isinstance(statement, ast.Try):
            yield from _certain(statement.body)
