"""Rewrites that say what a step closure sees."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Any

from xlalint.cure import BindNow, Cure
from xlalint.fixing.edits import Edit
from xlalint.fixing.module import Module, statements
from xlalint.fixing.nodes import walk
from xlalint.fixing.places import Function, body_around, expression_at
from xlalint.fixing.rewrite import Refused, Rewrite, Rewriter


def bind_now(module: Module, cure: BindNow) -> Rewrite:
    """A closure gets the names that it looks up as parameters, with themselves as defaults."""
    call = expression_at(module, cure.site)
    given = (
        [*call.args[:1], *(k.value for k in call.keywords if k.arg == "closure")]
        if isinstance(call, ast.Call)
        else []
    )
    match given:
        case [ast.Lambda() as closure]:
            start = module.span(closure)[0] + len("lambda")
            return Rewrite((_with_parameters(module, closure.args, cure.names, start, " "),))
        case [ast.Name(id=name) as closure]:
            function = _made_each_time(module, closure, name, cure.names)
            start = module.text.index("(", module.span(function)[0]) + 1
            return Rewrite((_with_parameters(module, function.args, cure.names, start, ""),))
    raise Refused("the closure is not written here")


def _made_each_time(module: Module, closure: ast.Name, name: str, names: Sequence[str]) -> ast.FunctionDef:
    """The function that a name means, if each round makes it anew, below what binds the names.

    Raises:
        Refused: its defaults would hold something else than the names mean where it is added.
    """
    around = body_around(module, closure)
    found = [each for each in statements(around) if isinstance(each, Function) and each.name == name]
    if len(found) != 1 or not isinstance(found[0], ast.FunctionDef) or module.parents[found[0]] is not around:
        raise Refused(f"`{name}` is not made where it is added")
    function = found[0]
    inside = {*walk(function)}
    bound = (
        node
        for node in walk(around)
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load) and node not in inside
    )
    for node in bound:
        if node.id in names and node.lineno > function.lineno:
            raise Refused(f"`{node.id}` is bound below `{name}`, on line {node.lineno}")
    return function


def _with_parameters(
    module: Module, arguments: ast.arguments, names: Sequence[str], start: int, between: str
) -> Edit:
    """The edit that adds parameters, with themselves as defaults.

    Args:
        module: The file.
        arguments: The parameters that there are.
        names: Those that come.
        start: Where the first parameter would stand.
        between: What stands before that.
    """
    bound = ", ".join(f"{name}={name}" for name in names)
    if arguments.kwarg is not None:
        at = module.text.rindex("**", start, module.span(arguments.kwarg)[0])
        return Edit(at, at, f"{bound}, ")
    held = [
        *arguments.posonlyargs, *arguments.args, *arguments.defaults, *arguments.kwonlyargs,
        *(each for each in (arguments.vararg, *arguments.kw_defaults) if each is not None),
    ]  # fmt: skip
    if not held:
        return Edit(start, start, f"{between}{bound}")
    at = max(module.span(each)[1] for each in held)
    return Edit(at, at, f", {bound}")


REWRITERS: dict[type[Cure], Rewriter[Any]] = {BindNow: bind_now}
