"""Rewrites that give the random numbers of the device a seed."""

from __future__ import annotations

import ast
from typing import Any

from xlalint.cure import Cure, SeedDevice
from xlalint.fixing.module import Module
from xlalint.fixing.nodes import walk
from xlalint.fixing.operations import Insert
from xlalint.fixing.places import expression_at, statement_at
from xlalint.fixing.rewrite import Need, Refused, Rewrite, Rewriter
from xlalint.fixing.spelling import spelling


def seed_device(module: Module, cure: SeedDevice) -> Rewrite:
    """Give the device the seed that the host gets, in the next statement."""
    call, statement = expression_at(module, cure.site), statement_at(module, cure.site)
    match call, statement:
        case ast.Call(func=ast.Name() | ast.Attribute() as function, args=[seed], keywords=[]), ast.Expr(
            value
        ):
            if value is not call or isinstance(seed, ast.Starred):
                raise Refused("more than the seed is set here")
        case _:
            raise Refused("the seed is set in the middle of a statement")
    if any(isinstance(each, ast.Call | ast.Await | ast.NamedExpr) for each in walk(seed)):
        raise Refused("the seed would be computed twice")
    text, _ = spelling(module, _MANUAL_SEED, function)
    inserted = Insert(f"{text}({module.source(seed)})", statement)
    return Rewrite(operations=(inserted,), needs=(Need(_MANUAL_SEED, function),))


_MANUAL_SEED = "torch_xla.manual_seed"

REWRITERS: dict[type[Cure], Rewriter[Any]] = {SeedDevice: seed_device}
"""Which rewriter carries out which cure."""
