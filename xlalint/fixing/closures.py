"""Rewrites that say what a step closure sees."""

from __future__ import annotations

import ast
from typing import Any

from xlalint.cure import BindNow, Cure
from xlalint.fixing.edits import Edit
from xlalint.fixing.module import Module
from xlalint.fixing.places import expression_at
from xlalint.fixing.rewrite import Refused, Rewrite, Rewriter


def bind_now(module: Module, cure: BindNow) -> Rewrite:
    """A lambda gets the names that it looks up as parameters, with themselves as defaults."""
    call = expression_at(module, cure.site)
    given = (
        [*call.args[:1], *(k.value for k in call.keywords if k.arg == "closure")]
        if isinstance(call, ast.Call)
        else []
    )
    closure = given[0] if given else None
    if not isinstance(closure, ast.Lambda):
        raise Refused("the closure is not written here, as a lambda")
    arguments = closure.args
    if arguments.vararg or arguments.kwarg or arguments.kwonlyargs:
        raise Refused("the lambda takes any number of arguments")
    bound = ", ".join(f"{name}={name}" for name in cure.names)
    start, _ = module.span(closure)
    if not (arguments.posonlyargs or arguments.args):
        at = start + len("lambda")
        return Rewrite((Edit(at, at, f" {bound}"),))
    last = max(
        module.span(each)[1] for each in (*arguments.args, *arguments.posonlyargs, *arguments.defaults)
    )
    return Rewrite((Edit(last, last, f", {bound}"),))


REWRITERS: dict[type[Cure], Rewriter[Any]] = {BindNow: bind_now}
