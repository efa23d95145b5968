"""Rewrites that give parts of a model a parameter in common."""

from __future__ import annotations

import ast
from typing import Any

from xlalint.cure import Cure, TieBelow
from xlalint.fixing.module import Module
from xlalint.fixing.operations import Insert
from xlalint.fixing.places import expression_at, statement_at
from xlalint.fixing.rewrite import Refused, Rewrite, Rewriter


def tie_below(module: Module, cure: TieBelow) -> Rewrite:
    """Tie two weights of a model again, below the statement that moves it."""
    call, statement = expression_at(module, cure.site), statement_at(module, cure.site)
    moved = call.func.value if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) else None
    match statement:
        case ast.Assign([ast.Name(name)], value) if value is call:
            pass
        case ast.Expr(value) if value is call and isinstance(moved, ast.Name | ast.Attribute):
            name = module.source(moved)
        case _:
            raise Refused(f"the moved model has no name below line {statement.lineno}")
    text = f"{name}.{cure.again}()" if cure.again else f"{name}.{cure.one} = {name}.{cure.other}"
    return Rewrite(operations=(Insert(text, statement),))


REWRITERS: dict[type[Cure], Rewriter[Any]] = {TieBelow: tie_below}
