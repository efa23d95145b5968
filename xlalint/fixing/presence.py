"""Whether a package that may be missing is there wherever a statement runs."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator
from typing import TypeGuard

from xlalint.fixing.bindings import Imported, Scope
from xlalint.fixing.module import Module, called, position
from xlalint.fixing.nodes import walk
from xlalint.fixing.places import Function

_MAY_NOT_RUN = (ast.IfExp, ast.BoolOp, ast.Lambda, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)

_IMPORTING = frozenset({"import_module", "__import__"})
_ASKING = frozenset({"find_spec"})
"""Functions that tell whether a package is installed."""


def reaches(
    module: Module, statement: ast.stmt, scope: Scope, at: ast.AST, *, also_below: bool = False
) -> bool:
    """Whether a statement of `scope` has been carried out wherever a node is."""
    inside = module.member(at, module.block(statement))
    if inside is None:
        return False
    if also_below and inside is at:
        return True  # both statements stand in one block
    return module.scopes.around(at, module.parents) is not scope or position(statement) < position(at)


def used_beside(module: Module, statement: ast.stmt, package: str) -> list[tuple[Imported, Scope]]:
    """The imports of a package on which what runs together with a statement relies already.

    That is what stands in its block, or around that in the same function, under no condition.
    """
    scopes = module.scopes
    here = scopes.around(statement, module.parents)
    for name in _names_beside(module, statement):
        scope = scopes.binding(name.id, scopes.around(name, module.parents))
        found = [] if scope is None else scope.imports.get(name.id, [])
        if scope is here:
            found = [each for each in found if position(each.statement) < position(statement)]
        if scope is not None and found and all(each.package == package for each in found):
            return [(each, scope) for each in found]
    return []


def goes_on_without(tree: ast.AST, package: str) -> bool:
    """Whether code imports a package where it is asked whether that is installed, or whether it is wanted."""
    return any(called(each) in _ASKING and imports(each, package) for each in walk(tree)) or any(
        imports(each, package)
        for around in walk(tree)
        if isinstance(around, ast.Try) or (isinstance(around, ast.If) and not _is_of_scripts(around))
        for statement in around.body
        for each in walk(statement)
    )


def imports(node: ast.AST, package: str) -> bool:
    """Whether a node is an import of a package, or from it, or a call that is one or asks for it."""
    match node:
        case ast.Call(args=[ast.Constant(value=str(name)), *_]) if called(node) in _ASKING | _IMPORTING:
            return name.partition(".")[0] == package
        case ast.Import(names=aliases):
            return any(alias.name.partition(".")[0] == package for alias in aliases)
        case ast.ImportFrom(module=str(name), level=0):
            return name.partition(".")[0] == package
    return False


def is_imported_late(trees: Collection[ast.Module], package: str) -> bool:
    """Whether files import a package, and only in functions: who does not call these needs none."""
    functions = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    at_once = (each for tree in trees for each in tree.body if not isinstance(each, functions))
    if any(imports(each, package) for statement in at_once for each in walk(statement)):
        return False
    return any(imports(each, package) for tree in trees for each in walk(tree))


def _is_of_scripts(node: ast.If) -> bool:
    """Whether it is asked whether a file is run as a script."""
    return any(isinstance(each, ast.Name) and each.id == "__name__" for each in walk(node.test))


def none_where_missing(module: Module, statement: ast.stmt) -> Iterator[ast.Assign]:
    """The assignments, one for each handler, that give names of an import None where it has failed."""
    bound = {imported.name for imported, _ in module.scopes.imports if imported.statement is statement}
    for around in module.around(statement):
        if isinstance(around, ast.Try) and module.member(statement, around.body) is not None:
            for handler in around.handlers:
                yield from [each for each in handler.body if _gives_none(each, bound)][:1]


def stands_in(module: Module, imported: Imported, scope: Scope) -> int | None:
    """The line that gives the name of an import to something else, as where the package is missing."""
    for node in scope.others.get(imported.name, ()):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Del):
            continue
        statement = node
        while not isinstance(statement, ast.stmt):
            statement = module.parents[statement]
        if not (isinstance(statement, ast.Assign) and _is_none(statement.value)):
            return statement.lineno
    return None


def _is_none(value: ast.expr) -> bool:
    if isinstance(value, ast.Tuple):
        return all(map(_is_none, value.elts))
    return isinstance(value, ast.Constant) and value.value is None


def _gives_none(statement: ast.stmt, names: Collection[str]) -> TypeGuard[ast.Assign]:
    match statement:
        case ast.Assign(targets=targets, value=ast.Constant(value=None)):
            return any(isinstance(each, ast.Name) and each.id in names for each in targets)
    return False


def _names_beside(module: Module, statement: ast.stmt) -> Iterator[ast.Name]:
    for each in module.block(statement):
        yield from _names_that_run(each)
    for around in module.around(statement):
        if isinstance(around, Function | ast.ClassDef | ast.Module):
            return
        if isinstance(around, ast.stmt):
            yield from _names_beside(module, around)
            return


def _names_that_run(node: ast.AST) -> Iterator[ast.Name]:
    """The names of which something is called or asked for whenever a statement runs."""
    if isinstance(node, ast.If | ast.While):
        yield from _names_that_run(node.test)
        return
    if isinstance(node, ast.For | ast.AsyncFor):
        yield from _names_that_run(node.iter)
        return
    if isinstance(node, (*_MAY_NOT_RUN, Function, ast.ClassDef, ast.Try, ast.Match)):
        return
    match node:
        case ast.Attribute(value=ast.Name() as name) | ast.Call(func=ast.Name() as name):
            yield name
    for child in ast.iter_child_nodes(node):
        yield from _names_that_run(child)
