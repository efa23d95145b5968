"""Rewrites that set and remove markers."""

from __future__ import annotations

import ast
from typing import Any

from xlalint.cure import Cure, Remove, SyncBefore, SyncBelow
from xlalint.fixing.imports import spelling
from xlalint.fixing.module import Module, is_marker
from xlalint.fixing.operations import Delete, Insert
from xlalint.fixing.places import qualified, statement_at, with_at
from xlalint.fixing.rewrite import Need, Refused, Rewrite, Rewriter

MARKER = "torch_xla.sync"


def remove(module: Module, cure: Remove) -> Rewrite:
    """Take a marker away."""
    statement = statement_at(module, cure.site)
    if not isinstance(statement, ast.Expr) or statement.value is not _call_at(module, cure):
        raise Refused(f"the marker on line {cure.site.line} is part of another statement")
    if not is_marker(statement):
        raise Refused(f"the marker stands in a helper that line {statement.lineno} calls")
    assert isinstance(statement.value, ast.Call)
    name = qualified(module, statement.value.func)
    return Rewrite(operations=(Delete(statement),), leaves=(name,) if name else ())


def _call_at(module: Module, cure: Remove) -> ast.AST | None:
    found = module.at(cure.site)
    return found.value if isinstance(found, ast.Expr) else found


def sync_before(module: Module, cure: SyncBefore) -> Rewrite:
    """Set a marker above a statement; of an `elif`, above the first `if`."""
    statement = statement_at(module, cure.site)
    if isinstance(statement, ast.While):
        raise Refused(f"the test on line {statement.lineno} is made anew in each iteration")
    if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Match):
        raise Refused(f"there is no place above line {statement.lineno} that runs as often as it")
    if any(isinstance(node, ast.Lambda) for node in module.around(_found(module, cure, statement))):
        raise Refused(f"line {statement.lineno} holds a function without a name")
    while _is_elif(module, statement):
        parent = module.parents[statement]
        assert isinstance(parent, ast.If)
        statement = parent
    above = _directly_above(module, statement)
    if above is not None and is_marker(above):
        raise Refused(f"line {above.lineno} is a marker already")
    return _inserted(module, statement, above=True)


def _found(module: Module, cure: SyncBefore, statement: ast.stmt) -> ast.AST:
    from xlalint.lazy.site import Site

    assert isinstance(cure.site, Site)
    return module.at(cure.site) or statement


def _is_elif(module: Module, statement: ast.stmt) -> bool:
    parent = module.parents[statement]
    return (
        isinstance(statement, ast.If)
        and isinstance(parent, ast.If)
        and parent.orelse == [statement]
        and module.source(statement).startswith("elif")
    )


def _directly_above(module: Module, statement: ast.stmt) -> ast.stmt | None:
    block = module.block(statement)
    place = block.index(statement)
    return block[place - 1] if place else None


def sync_below(module: Module, cure: SyncBelow) -> Rewrite:
    """Set a marker directly below the block of a scope."""
    return _inserted(module, with_at(module, cure.scope))


def _inserted(module: Module, beside: ast.stmt, *, above: bool = False) -> Rewrite:
    text, _ = spelling(module, MARKER, beside)
    return Rewrite(operations=(Insert(f"{text}()", beside, above),), needs=(Need(MARKER, beside),))


REWRITERS: dict[type[Cure], Rewriter[Any]] = {
    Remove: remove,
    SyncBefore: sync_before,
    SyncBelow: sync_below,
}
