"""Reads leave a function that is one step: whoever calls it reads, of what it returns."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from xlalint.fixing.below import Below
from xlalint.fixing.bindings import Scope
from xlalint.fixing.calls import calls_of
from xlalint.fixing.edits import Edit, applied
from xlalint.fixing.module import Module, statements
from xlalint.fixing.nodes import walk
from xlalint.fixing.operations import Delete, Insert, Operation
from xlalint.fixing.order import Known, suspends, why_not
from xlalint.fixing.places import Function
from xlalint.fixing.rewrite import Refused, Rewrite
from xlalint.fixing.work import Work
from xlalint.program.outline import last_name

_COMPILERS = frozenset({"compile", "step"})


class _Call(NamedTuple):
    """A call of the function, and the statement that is nothing else."""

    call: ast.Call
    statement: ast.Expr | ast.Assign


def read_by_callers(
    module: Module, function: ast.FunctionDef | ast.AsyncFunctionDef, reads: Sequence[ast.AST]
) -> Rewrite:
    """Move reads out of a function, below each call of it.

    Raises:
        Refused: not all callers are known, or one of them does not have what is read.
    """
    require_plain(module, function)
    moving = moving_out(module, function, reads)
    calls = [_Call(call, _alone(module, call)) for call in calls_of(module, function)]
    if not calls:
        raise Refused(f"the step is the whole function `{function.name}`, which nobody is seen to call")
    operations: list[Operation] = [Delete(each) for each in moving]
    edits: list[Edit] = []
    needed = names_needed(module, function, moving)
    returned, ending = returning(function, needed)
    if ending is not None:
        operations.insert(0, ending)  # it may stand beside one that goes
    for each in calls:
        names = _at_call(module, function, each, needed, returned)
        if isinstance(each.statement, ast.Expr) and any(name in needed for name in returned):
            start = module.span(each.statement)[0]
            edits.append(Edit(start, start, f"{', '.join(returned)} = "))
        operations += (Insert(renamed(module, statement, names), each.statement) for statement in moving)
    return Rewrite(operations=tuple(operations), edits=tuple(edits))


# The function -----------------------------------------------------------------------------------


def require_plain(module: Module, function: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
    name = function.name
    if isinstance(function, ast.AsyncFunctionDef) or any(map(suspends, function.body)):
        raise Refused(f"other code may run in the middle of `{name}`")
    for decorator in function.decorator_list:
        made = decorator.func if isinstance(decorator, ast.Call) else decorator
        if last_name(made) not in _COMPILERS:
            raise Refused(f"`{name}` has another decorator on line {decorator.lineno}")
    leaving = [each for each in statements(function) if isinstance(each, ast.Return)]
    if leaving and leaving != [function.body[-1]]:
        raise Refused(f"`{name}` returns in more than one place")


def moving_out(module: Module, function: ast.AST, reads: Sequence[ast.AST]) -> list[ast.stmt]:
    """The statements that read, in their order: they record nothing, and what follows does not mind."""
    assert isinstance(function, Function)
    below = Below(module, function.body, Work(function, function))
    for read in reads:
        below.take(read)
    if below.operations:
        raise Refused(f"line {min(each.lineno for each in below.moving)} records work that it reads")
    moving = sorted(below.moving, key=lambda each: each.lineno)
    for statement in moving:
        if statement not in function.body or isinstance(statement, ast.Return):
            raise Refused(f"line {statement.lineno} is not by itself in `{function.name}`")
        if len(module.source(statement).splitlines()) > 1:
            raise Refused(f"the read on line {statement.lineno} goes over several lines")
        known = Known.of(module, statement)
        for other in function.body[function.body.index(statement) + 1 :]:
            reason = (
                None if isinstance(other, ast.Return) or other in moving else why_not(statement, other, known)
            )
            if reason is not None:
                raise Refused(f"line {statement.lineno} cannot move past line {other.lineno}: {reason}")
    if all(each in moving or isinstance(each, ast.Return) for each in function.body):
        raise Refused(f"nothing would be left in the step `{function.name}`")
    return moving


def names_needed(module: Module, function: ast.AST, moving: Sequence[ast.stmt]) -> dict[str, Scope | None]:
    """The names that the statements use, each with the scope that binds it; none is set by them."""
    found: dict[str, Scope | None] = {}
    for statement in moving:
        for node in walk(statement):
            if isinstance(node, ast.Name):
                if not isinstance(node.ctx, ast.Load):
                    raise Refused(f"line {statement.lineno} sets `{node.id}`, which its callers do not have")
                found[node.id] = module.scopes.binding(node.id, module.scopes.around(node, module.parents))
    return found


def returning(function: ast.AST, needed: Mapping[str, Scope | None]) -> tuple[list[str], Operation | None]:
    """The names that the function returns, in order, and what lets it return those that are needed."""
    assert isinstance(function, Function)
    given = {each.arg for each in walk(function.args) if isinstance(each, ast.arg)}
    own = [name for name, scope in needed.items() if scope is not None and scope.node is function]
    local = [name for name in own if name not in given]
    last = function.body[-1]
    match last:
        case ast.Return(value=ast.Name(id=name)):
            names = [name]
        case ast.Return(value=ast.Tuple(elts=parts)) if all(isinstance(each, ast.Name) for each in parts):
            names = [each.id for each in parts if isinstance(each, ast.Name)]
        case ast.Return(value=ast.expr()):
            names = []
        case _:
            bare = isinstance(last, ast.Return)
            ending = Insert(f"return {', '.join(local)}", last, above=bare) if local else None
            return local, ending
    if missing := [name for name in local if name not in names]:
        raise Refused(f"the step `{function.name}` does not return `{missing[0]}`, which is read")
    return names, None


# Its callers ------------------------------------------------------------------------------------


def _alone(module: Module, call: ast.Call) -> ast.Expr | ast.Assign:
    match module.parents[call]:
        case ast.Expr() as statement:
            return statement
        case ast.Assign(targets=[ast.Name() | ast.Tuple()]) as statement:
            return statement
    raise Refused(f"line {call.lineno} does more than to call the step and keep what it returns")


def _at_call(
    module: Module, function: ast.AST, each: _Call, needed: Mapping[str, Scope | None],
    returned: Sequence[str],
) -> dict[str, str]:  # fmt: skip
    """What the names that are needed are called, where the function is called."""
    assert isinstance(function, ast.FunctionDef)
    call, statement = each
    here = module.scopes.around(call, module.parents)
    given = _given(module, function, call)
    kept = kept_by(statement, returned)
    found: dict[str, str] = {}
    for name, scope in needed.items():
        if scope is None or scope.node is not function:
            if module.scopes.binding(name, here) is not scope:
                raise Refused(
                    f"`{name}` means something else on line {call.lineno}, where the step is called"
                )
        elif name in kept:
            found[name] = kept[name]
        elif name in returned and isinstance(statement, ast.Expr):
            if here.binds(name):
                raise Refused(
                    f"`{name}` means something else on line {call.lineno}, where the step is called"
                )
        elif name in given:
            if _is_set(function, name) or given[name] in kept.values():
                raise Refused(f"`{name}` is set anew before it is read")
            found[name] = given[name]
        else:
            raise Refused(f"line {call.lineno} does not keep `{name}`, which is read")
    return found


def _given(module: Module, function: ast.FunctionDef, call: ast.Call) -> dict[str, str]:
    """The parameters of a call that are given names, with these."""
    parameters = [each.arg for each in (*function.args.posonlyargs, *function.args.args)]
    pairs: list[tuple[str, ast.expr]] = []
    if isinstance(module.parents[function], ast.ClassDef) and isinstance(call.func, ast.Attribute):
        pairs.append((parameters.pop(0), call.func.value))
    for parameter, argument in zip(parameters, call.args, strict=False):
        if isinstance(argument, ast.Starred):
            break
        pairs.append((parameter, argument))
    pairs += ((each.arg, each.value) for each in call.keywords if each.arg is not None)
    return {name: value.id for name, value in pairs if isinstance(value, ast.Name)}


def kept_by(statement: ast.stmt, returned: Sequence[str]) -> dict[str, str]:
    """What the caller calls that which the function returns."""
    match statement:
        case ast.Assign(targets=[ast.Name(id=name)]):
            if len(returned) == 1:
                return {returned[0]: name}
            return {each: f"{name}[{place}]" for place, each in enumerate(returned)}
        case ast.Assign(targets=[ast.Tuple(elts=parts)]) if len(parts) == len(returned):
            return {
                name: part.id
                for name, part in zip(returned, parts, strict=True)
                if isinstance(part, ast.Name)
            }
    return {}


def _is_set(function: ast.FunctionDef, name: str) -> bool:
    return any(
        isinstance(node, ast.Name) and node.id == name and not isinstance(node.ctx, ast.Load)
        for node in walk(function)
    )


def renamed(module: Module, statement: ast.stmt, names: Mapping[str, str]) -> str:
    """The text of a statement with other names."""
    start, _ = module.span(statement)
    edits = []
    for node in walk(statement):
        if isinstance(node, ast.Name) and names.get(node.id, node.id) != node.id:
            if any(isinstance(each, ast.JoinedStr) for each in module.around(node)):
                raise Refused(f"`{node.id}` has another name where the step is called")
            first, last = module.span(node)
            edits.append(Edit(first - start, last - start, names[node.id]))
    comment = module.rest_of_line(module.span(statement)[1])
    text = applied(module.source(statement), edits)
    return f"{text}  {comment}" if comment.startswith("#") else text
