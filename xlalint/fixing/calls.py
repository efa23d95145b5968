"""All calls of a function, where a file shows that there are no others."""

from __future__ import annotations

import ast

from xlalint.fixing.module import Module, called, statements
from xlalint.fixing.nodes import walk
from xlalint.fixing.places import Function, function_around
from xlalint.fixing.rewrite import Refused
from xlalint.program.outline import last_name


def calls_of(module: Module, function: ast.FunctionDef | ast.AsyncFunctionDef) -> list[ast.Call]:
    """All calls of a function, in their order; also of one that another function makes and returns.

    Raises:
        Refused: something else is done with it, or another file names it.
    """
    name = function.name
    if module.callees is None or module.callees.is_named_elsewhere(module, name):
        raise Refused(f"another file may call the step `{name}`")
    if any(text == name for text, _ in module.strings):
        raise Refused(f"the step `{name}` is asked for by its name")
    if sum(isinstance(each, Function) and each.name == name for each in statements(module.tree)) > 1:
        raise Refused(f"another function is called `{name}`, too")
    made = _Made(module, function)
    of_class = isinstance(module.parents[function], ast.ClassDef)
    calls = made.calls
    for node in walk(module.tree):
        if not isinstance(node, ast.expr) or last_name(node) != name or node in made.names:
            continue
        parent = module.parents[node]
        if isinstance(parent, ast.Call) and parent.func is node:
            if of_class is not isinstance(node, ast.Attribute) or function in module.around(node):
                raise Refused(f"line {parent.lineno} may call something else by the name `{name}`")
            calls.append(parent)
        elif not _compiles(module, node):
            raise Refused(f"line {node.lineno} does more with the step `{name}` than to call it")
    return sorted(calls, key=lambda each: (each.lineno, each.col_offset))


def is_compiled(module: Module, function: ast.FunctionDef) -> bool:
    """Whether the file has `step = torch_xla.compile(step)` for a function."""
    return any(
        last_name(node) == function.name and _compiles(module, node)
        for node in walk(module.tree)
        if isinstance(node, ast.Name | ast.Attribute)
    )


class _Made:
    """What becomes of a function that another one makes and returns: `train_step = build_step(model)`.

    `names` are the expressions that mean it there, and `calls` the calls of it.
    """

    def __init__(self, module: Module, function: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        self.names: set[ast.AST] = set()
        self.calls: list[ast.Call] = []
        builder = function_around(module, function)
        if not isinstance(builder, Function):
            return
        returned = [
            each.value
            for each in statements(builder)
            if isinstance(each, ast.Return) and last_name(each.value) == function.name
        ]
        if returned:
            self.names.update(each for each in returned if each is not None)
            for call in calls_of(module, builder):
                self._follow(module, call)

    def _follow(self, module: Module, call: ast.Call) -> None:
        match module.parents[call]:
            case ast.Assign(targets=[ast.Name(id=name) as target]):
                pass
            case _:
                raise Refused(f"line {call.lineno} does more with what it gets than to keep it")
        scope = module.scopes.around(target, module.parents)
        for node in walk(scope.node):
            if not isinstance(node, ast.Name) or node.id != name or node is target:
                continue
            parent = module.parents[node]
            if not isinstance(parent, ast.Call) or parent.func is not node:
                raise Refused(f"line {node.lineno} does more with the step `{name}` than to call it")
            self.names.add(node)
            self.calls.append(parent)
        self.names.add(target)


def _compiles(module: Module, node: ast.AST) -> bool:
    """Whether it stands in `step = torch_xla.compile(step)`, on either side."""
    for around in (node, *module.around(node)):
        match around:
            case ast.Assign(targets=[target], value=ast.Call(args=[compiled]) as call):
                return called(call) == "compile" and ast.unparse(target) == ast.unparse(compiled)
    return False
