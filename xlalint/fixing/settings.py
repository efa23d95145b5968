"""Rewrites that take settings of the environment away."""

from __future__ import annotations

import ast
from pathlib import PurePath
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
        ) if _is_environment(module, environment):
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
    if module.callees is not None:
        for path in sorted(module.callees.named_in(cure.variable) - {str(module.file.path)}):
            other = module.callees.look(path)
            if other is None or _asks_for(other, cure.variable):
                raise Refused(f"{PurePath(path).name} may ask for `{cure.variable}`")
    return Rewrite(operations=(Delete(statement),), leaves=(name,))


def _asks_for(module: Module, variable: str) -> bool:
    """Whether a file does more with an environment variable than to set it."""
    for node in walk(module.tree):
        if isinstance(node, ast.Constant) and node.value == variable:
            match module.parents.get(node):
                case ast.Subscript(value=held, ctx=ast.Store()) if _is_environment(module, held):
                    pass
                case ast.Call(func=function) if qualified(module, function) in _SETTERS.values():
                    pass
                case _:
                    return True
    return False


def _is_environment(module: Module, node: ast.expr) -> bool:
    return qualified(module, node) == "os.environ"


REWRITERS: dict[type[Cure], Rewriter[Any]] = {DropSetting: drop_setting}
