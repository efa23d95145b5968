"""Rewrites that compile a function: by a decorator, or by an attribute of the object that it belongs to."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

from xlalint.cure import CompileFunction, Cure
from xlalint.fixing.module import Module, called, is_marker, statements
from xlalint.fixing.nodes import walk
from xlalint.fixing.operations import Decorate, Insert
from xlalint.fixing.order import suspends
from xlalint.fixing.places import function_around, opens_profiler, opens_step, statement_at
from xlalint.fixing.rewrite import Need, Refused, Rewrite, Rewriter
from xlalint.fixing.spelling import spelling
from xlalint.fixing.work import draws_batch

COMPILE = "torch_xla.compile"

_SENDS_OBJECTS = frozenset(
    {"launch", "spawn", "start_processes", "Process", "Pool", "dump", "dumps", "deepcopy"}
)
"""What pickles or copies objects, which one that holds a compiled function does not stand."""


def compile_function(module: Module, cure: CompileFunction) -> Rewrite:
    """Compile a function, where it is called unchanged."""
    found = statement_at(module, cure.site)
    function = found if isinstance(found, ast.FunctionDef | ast.AsyncFunctionDef) else None
    if function is None:
        function_or_module = function_around(module, found)
        if not isinstance(function_or_module, ast.FunctionDef | ast.AsyncFunctionDef):
            raise Refused(f"no function is defined on line {cure.site.line}")
        function = function_or_module
    if isinstance(function, ast.AsyncFunctionDef):
        raise Refused(f"`{function.name}` is a coroutine")
    _require_compilable(module, function)
    text, _ = spelling(module, COMPILE, function)
    constructor = None if cure.decorate else _constructor_beside(module, function)
    options = "full_graph=True" if cure.full_graph else ""
    if constructor is None:
        decorate = Decorate(function, f"{text}({options})" if options else text)
        return Rewrite(operations=(decorate,), needs=(Need(COMPILE, function),))
    owner = constructor.args.args[0].arg
    name = f"{owner}.{function.name}"
    arguments = ", ".join(filter(None, (name, options)))
    last = constructor.body[-1]
    insert = Insert(f"{name} = {text}({arguments})", last)
    return Rewrite(operations=(insert,), needs=(Need(COMPILE, last),))


def _require_compilable(module: Module, function: ast.FunctionDef) -> None:
    if function.decorator_list:
        raise Refused(f"`{function.name}` has a decorator already")
    if any(map(suspends, function.body)):
        raise Refused(f"`{function.name}` is a generator")
    for statement in statements(function):
        if is_marker(statement) or opens_step(statement):
            raise Refused(f"line {statement.lineno} cuts the graph in the middle of `{function.name}`")
        if opens_profiler(statement):
            raise Refused(f"line {statement.lineno} opens a scope of the profiler in `{function.name}`")
    if any(map(draws_batch, function.body)):
        raise Refused(f"`{function.name}` draws a batch itself")


def _constructor_beside(module: Module, function: ast.FunctionDef) -> ast.FunctionDef | None:
    """The `__init__` of the class that a method belongs to, if its end is where the object gets the compiled
    function. Objects that are sent elsewhere, or whose class names the method, need the decorator."""
    owner = module.parents[function]
    if not isinstance(owner, ast.ClassDef):
        return None
    if any(called(node) in _SENDS_OBJECTS for node in walk(module.tree)):
        return None
    for method in owner.body:
        if isinstance(method, ast.FunctionDef) and method.name == "__init__":
            own = any(isinstance(each, ast.Return) for each in _own(method))
            return None if own or not method.args.args or method.decorator_list else method
    return None


def _own(function: ast.FunctionDef) -> Iterator[ast.stmt]:
    """The statements of a function that are not those of one inside it."""
    waiting: list[ast.AST] = [function]
    while waiting:
        node = waiting.pop()
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                continue
            if isinstance(child, ast.stmt):
                yield child
            waiting.append(child)


REWRITERS: dict[type[Cure], Rewriter[Any]] = {CompileFunction: compile_function}
