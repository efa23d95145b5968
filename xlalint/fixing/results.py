"""A read that ends a function is left to its callers: `return norm.item()` becomes `return norm`."""

from __future__ import annotations

import ast

from xlalint.fixing.below import Below
from xlalint.fixing.calls import calls_of
from xlalint.fixing.edits import Edit
from xlalint.fixing.module import Module, called, statements
from xlalint.fixing.nodes import walk
from xlalint.fixing.order import require_order, suspends
from xlalint.fixing.places import Function, function_around
from xlalint.fixing.rewrite import Refused, Rewrite
from xlalint.fixing.work import READS, Work
from xlalint.program.outline import last_name

_SAME_MEMORY = frozenset({"detach", "view", "reshape", "squeeze", "unsqueeze", "t", "expand", "to"})
"""Methods that give a view of their receiver, which may change afterwards."""


def ending_with_read(module: Module, call: ast.Call) -> ast.FunctionDef | None:
    """The function that is called, if it is one of the file that reads nothing but what it returns."""
    name = last_name(call.func)
    found = [each for each in statements(module.tree) if isinstance(each, Function) and each.name == name]
    if len(found) != 1 or not isinstance(found[0], ast.FunctionDef):
        return None
    function = found[0]
    returns = [each for each in statements(function) if isinstance(each, ast.Return)]
    reads = [each for each in walk(function) if isinstance(each, ast.Call) and called(each) in READS]
    match function.body[-1]:
        case ast.Return(value=ast.Call(func=ast.Attribute(), args=[], keywords=[]) as read):
            return function if len(returns) == 1 and reads == [read] else None
    return None


def result_read_below(module: Module, call: ast.Call, function: ast.FunctionDef, scope: ast.With) -> Rewrite:
    """Let a function that is called in a step return the value itself, and read it below the step.

    Args:
        module: The file.
        call: The call in the step.
        function: What it calls, which ends with a read.
        scope: The step.

    Raises:
        Refused: not all callers of the function are known, or the value may change before the step ends.
    """
    if function.decorator_list or function.returns is not None or any(map(suspends, function.body)):
        raise Refused(f"`{function.name}` says what it returns, or is changed by a decorator")
    last = function.body[-1]
    assert isinstance(last, ast.Return) and isinstance(last.value, ast.Call)
    read = last.value
    assert isinstance(read.func, ast.Attribute)
    value, method = read.func.value, f".{read.func.attr}()"
    end = module.span(value)[1]
    edits = [Edit(end, module.span(read)[1], "")]
    for other in calls_of(module, function):
        if other is not call:
            end = module.span(other)[1]
            edits.append(Edit(end, end, method))
    if isinstance(module.parents[call], ast.Expr):
        return Rewrite(edits=tuple(edits))
    below = Below(module, scope.body, Work(function_around(module, scope), scope))
    below.take(call, method, last_name(value))
    (statement,) = below.moving
    following = scope.body[scope.body.index(below.moving[statement]) + 1 :]
    if following and _may_change(function, value):
        raise Refused(f"what `{function.name}` returns may change before the end of the step")
    below.move(scope, scope.body)
    require_order(module, below.operations)
    return Rewrite(edits=tuple(edits), operations=tuple(below.operations), leaves=tuple(below.leaves))


def _may_change(function: ast.FunctionDef, value: ast.expr) -> bool:
    """Whether a value that a function returns may be changed in place by what the step does below."""
    match value:
        case ast.Call():
            return called(value) in _SAME_MEMORY
        case ast.Name(id=name):
            made = [
                each.value
                for each in statements(function)
                if isinstance(each, ast.Assign)
                and any(isinstance(target, ast.Name) and target.id == name for target in each.targets)
            ]
            return not made or any(
                not isinstance(each, ast.Name) and _may_change(function, each) for each in made
            )
        case ast.BinOp():
            return False
    return True
