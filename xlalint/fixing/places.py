"""What stands at the places that cures name."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from xlalint.cure import (
    Cure,
    EndBefore,
    MoveAbove,
    MoveBelow,
    MoveInto,
    SyncBefore,
    Where,
    WrapBody,
)
from xlalint.fixing.module import Module, called, statements
from xlalint.fixing.nodes import walk
from xlalint.fixing.rewrite import Refused
from xlalint.fixing.work import Work
from xlalint.lazy.site import Site, site_of
from xlalint.program.outline import last_name
from xlalint.sources.usage import HOT_TOKEN

Loop = ast.For | ast.AsyncFor | ast.While
Function = ast.FunctionDef | ast.AsyncFunctionDef

_OF_REPLICAS = frozenset({"rank", "ordinal", "master", "main"})
"""Words in names that tell replicas apart: `is_master`, `local_rank`, `is_rank0`, `is_main_process`."""
_BETWEEN_WORDS = re.compile(r"[_\d]+")
_STEPS = frozenset({"step", "compile"})
_PROFILERS = frozenset({"Trace", "StepTrace"})


def file_of(cure: Cure) -> str:
    """The path of the file that a cure changes first: where its scope, loop or statement stands."""
    for name in ("loop", "scope", "below", "above", "outer", "what", "read", "site"):
        held = getattr(cure, name, None)
        held = held[0] if type(held) is tuple and held else held
        if isinstance(held, Site):
            return held.path
    raise LookupError("a cure names no place")


def seen_in(module: Module, cure: Cure, path: Iterable[Site]) -> Cure:
    """The cure with calls in the place of what stands in called functions.

    Args:
        module: The file that it changes.
        cure: Its sites are in lines of whole files.
        path: The calls that lead to what it is about, and the place of that.
    """
    calls = [*path]
    match cure:
        case WrapBody(loop=loop, below=below):
            body = loop_at(module, loop)
            return replace(cure, below=tuple(_inside(module, body, each, calls) for each in below))
        case MoveBelow(what=what, below=Site() as below):
            around = _scope_or_function(module, below)
            found = _inside(module, around, what, calls)
            if found == below:
                return replace(cure, what=_called_in(module, around, what))
            after = calls[calls.index(found) + 1 :] if found in calls else []
            return replace(cure, what=found, inner=after[0] if after else None)
        case MoveAbove(what=what, above=Site() as above):
            return replace(cure, what=_inside(module, _scope_or_function(module, above), what, calls))
        case EndBefore(scope=Site() as scope, site=site):
            return replace(cure, site=_inside(module, _scope_or_function(module, scope), site, calls))
        case SyncBefore(site=Site() as site, recorded=recorded):
            way = [*calls[: calls.index(site)], site] if site in calls else [*calls, site]
            if module.callees is not None and module.callees.leads_through(module, way, "forward"):
                raise Refused(f"line {site.line} is reached through a model's `forward`")
            return replace(cure, site=_on_every_replica(module, way, recorded or ()) or site)
        case MoveInto(what=sites):
            here = tuple(_inside(module, module.tree, each, calls) for each in sites)
            return replace(cure, what=tuple(dict.fromkeys(here)))
    return cure


def _on_every_replica(module: Module, calls: Iterable[Site], recorded: Iterable[Where]) -> Site | None:
    """The outermost test for a replica below which one of some calls stands in this file.

    Args:
        module: The file.
        calls: The calls, the outermost first.
        recorded: Where the work was recorded that is to be cut, as far as is known.

    Raises:
        Refused: the work is recorded below the test.
    """
    for site in calls:
        statement = module.statement(site)
        around = [] if statement is None else [*module.around(statement)]
        tests = [node for node in around if isinstance(node, ast.If) and _asks_for_replica(node.test)]
        if not tests:
            continue
        outermost = tests[-1]
        for loop in around[: around.index(outermost)]:
            if isinstance(loop, Loop) and any(Work(function_around(module, outermost), loop).recording(loop)):
                raise Refused(f"only some replicas record the work of the loop on line {loop.lineno}")
        for each in recorded:
            if isinstance(each, Site) and _stands_in(module, outermost, each):
                raise Refused(f"only some replicas record the work on line {each.line}")
        return site_of(site.path, outermost.test)
    return None


def _stands_in(module: Module, node: ast.AST, site: Site) -> bool:
    statement = module.statement(site)
    return statement is not None and node in (statement, *module.around(statement))


def _asks_for_replica(test: ast.expr) -> bool:
    """Whether a test is for some replicas only, by the names in it."""
    named = (
        node.id if isinstance(node, ast.Name) else node.attr
        for node in walk(test)
        if isinstance(node, ast.Name | ast.Attribute)
    )
    return any(_OF_REPLICAS.intersection(_BETWEEN_WORDS.split(name.lower())) for name in named)


def _inside(module: Module, around: ast.AST, where: Where, calls: list[Site]) -> Site:
    """The innermost of a place and the calls that lead there that stands in a node."""
    assert isinstance(where, Site)
    for site in (where, *reversed(calls)):
        if _holds(module, around, site):
            return site
    return where


def _called_in(module: Module, around: ast.AST, site: Where) -> Site:
    """The call in a node of the function in which a place stands; if there is none, that place."""
    assert isinstance(site, Site)
    if module.callees is None:
        return site
    call = module.callees.call_that_leads_to(module, around, site)
    if call is None:
        return site
    return site_of(str(module.file.path), call)


def _holds(module: Module, around: ast.AST, site: Site) -> bool:
    statement = module.statement(site)
    if statement is None:
        return False
    nodes = (statement, *module.around(statement))
    inner = next((node for node in nodes if isinstance(node, Function) or node is around), module.tree)
    return inner is around or around is module.tree


def _scope_or_function(module: Module, site: Site) -> ast.AST:
    statement = statement_at(module, site)
    return statement if opened(statement, site, module) else function_around(module, statement)


# Nodes ------------------------------------------------------------------------------------------


def statement_at(module: Module, where: Where) -> ast.stmt:
    """The statement that holds a place of this file.

    Raises:
        Refused: it stands in another one.
    """
    assert isinstance(where, Site)
    found = module.statement(where)
    if found is None:
        raise Refused(f"it reaches into {Path(where.path).name}, line {where.line}")
    return found


def expression_at(module: Module, site: Site) -> ast.expr:
    """The expression at a place of this file.

    Raises:
        Refused: there is none.
    """
    statement_at(module, site)
    found = module.at(site)
    if isinstance(found, ast.Expr):
        found = found.value
    if not isinstance(found, ast.expr):
        raise Refused(f"line {site.line} is not what it seemed to be")
    return found


def loop_at(module: Module, where: Where) -> Loop:
    """The loop at a place, or the innermost that holds it.

    Raises:
        Refused: there is none in this function.
    """
    statement = statement_at(module, where)
    for node in (statement, *module.around(statement)):
        if isinstance(node, Loop):
            return node
        if isinstance(node, Function):
            break
    raise Refused("the loop is in another function")


def function_around(module: Module, node: ast.AST) -> ast.AST:
    """The function that holds a node, or the module."""
    return next((each for each in module.around(node) if isinstance(each, Function)), module.tree)


def spelled_as(module: Module, call: ast.Call) -> set[str]:
    """How what a call returns is spelled: as the call itself, and as what that is assigned to."""
    parent = module.parents[call]
    targets = parent.targets if isinstance(parent, ast.Assign) else []
    return {ast.unparse(call), *map(ast.unparse, targets)}


def body_around(module: Module, node: ast.AST) -> ast.AST:
    """The innermost loop that holds a node, or else the function, or the module."""
    return next((each for each in module.around(node) if isinstance(each, Loop | Function)), module.tree)


def opened(statement: ast.stmt, where: Where, module: Module) -> ast.withitem | None:
    """The item of a `with` that opens a scope at a place."""
    if isinstance(statement, ast.With | ast.AsyncWith) and isinstance(where, Site):
        found = module.at(where)
        for item in statement.items:
            if item.context_expr is found:
                return item
    return None


def with_at(module: Module, where: Where) -> ast.With:
    """The `with` that opens a scope at a place.

    Raises:
        Refused: a function is the scope.
    """
    statement = statement_at(module, where)
    if isinstance(statement, Function):
        raise Refused(f"the scope is the whole function `{statement.name}`")
    if not isinstance(statement, ast.With) or opened(statement, where, module) is None:
        raise Refused(f"the scope on line {statement.lineno} is not opened by a `with` of its own")
    return statement


def opens_step(statement: ast.AST) -> bool:
    """Whether it is a `with` that opens a step."""
    return isinstance(statement, ast.With) and any(
        called(item.context_expr) in _STEPS for item in statement.items
    )


def opens_profiler(statement: ast.AST) -> bool:
    """Whether it is a `with` that opens a scope of the profiler."""
    return isinstance(statement, ast.With) and any(
        called(item.context_expr) in _PROFILERS for item in statement.items
    )


def qualified(module: Module, node: ast.expr) -> str:
    """The qualified name of what is named, by the imports of the file; empty where none brings it."""
    match node:
        case ast.Name(id=name):
            return module.imports.get(name, "")
        case ast.Attribute(value=value, attr=attr):
            known = qualified(module, value)
            return f"{known}.{attr}" if known else ""
    return ""


def marker_name(module: Module, marker: ast.stmt) -> str:
    """The qualified name of what a marker calls; empty where none brings it."""
    assert isinstance(marker, ast.Expr) and isinstance(marker.value, ast.Call)
    return qualified(module, marker.value.func)


def is_own(module: Module, marker: ast.stmt) -> bool:
    """Whether what is called by the name of a marker is the program's own, as a helper is: it may do more."""
    assert isinstance(marker, ast.Expr) and isinstance(marker.value, ast.Call)
    function = marker.value.func
    if qualified(module, function).partition(".")[0] == HOT_TOKEN:
        return False
    name = last_name(function)
    if any(isinstance(each, Function) and each.name == name for each in statements(module.tree)):
        return True
    while isinstance(function, ast.Attribute):
        function = function.value
    if not isinstance(function, ast.Name):
        return True
    if any(imported.name == function.id for imported, _ in module.scopes.imports):
        return module.callees is not None and bool(module.callees.defining(name))
    return function is not marker.value.func or not any(map(_brings_all, statements(module.tree)))


def _brings_all(statement: ast.stmt) -> bool:
    """Whether it brings all names of a module of torch_xla."""
    match statement:
        case ast.ImportFrom(module=str(origin), names=[ast.alias(name="*")]):
            return origin.partition(".")[0] == HOT_TOKEN
    return False
