"""Rewrites that take settings of the environment away."""

from __future__ import annotations

import ast
from typing import Any

from xlalint.cure import Cure, DropSetting
from xlalint.fixing.module import Module
from xlalint.fixing.nodes import walk
from xlalint.fixing.operations import Delete
from xlalint.fixing.places import qualified, statement_at
from xlalint.fixing.rewrite import Refused, Rewrite, Rewriter

_SETTERS = {"setdefault": "os.environ.setdefault", "putenv": "os.putenv"}


def drop_setting(module: Module, cure: DropSetting) -> Rewrite:
    """`os.environ["XRT_TPU_CONFIG"] = config` goes."""
    statement = statement_at(module, cure.site)
    match statement:
        case ast.Assign(
            targets=[ast.Subscript(value=environment, slice=ast.Constant(value=cure.variable))], value=value
        ) if qualified(module, environment) == "os.environ":
            name = "os.environ"
        case ast.Expr(
            value=ast.Call(
                func=ast.Attribute(attr=setter) as function, args=[ast.Constant(value=cure.variable), value]
            )
        ) if qualified(module, function) == _SETTERS.get(setter):
            name = _SETTERS[setter]
        case _:
            raise Refused(f"line {statement.lineno} does more than to set `{cure.variable}`")
    if any(isinstance(node, ast.Call | ast.Await | ast.NamedExpr) for node in walk(value)):
        raise Refused(f"what line {statement.lineno} sets is computed by a call")
    if sum(text == cure.variable for text, _ in module.strings) > 1:
        raise Refused(f"the file asks for `{cure.variable}` elsewhere")
    return Rewrite(operations=(Delete(statement),), leaves=(name,))


REWRITERS: dict[type[Cure], Rewriter[Any]] = {DropSetting: drop_setting}
