"""What a function reads that a step calls moves out of it, below the step, be that in another file.

`trainer.train_step(batch)`, which ends with `self.report(loss)`, becomes `loss = trainer.train_step(batch)`
in the step and `trainer.report(loss)` below it.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence

from xlalint.fixing.bindings import Scope
from xlalint.fixing.edits import Edit
from xlalint.fixing.functions import (
    kept_by,
    moving_out,
    names_needed,
    renamed,
    require_plain,
    returning,
)
from xlalint.fixing.module import Module, called, statements
from xlalint.fixing.nodes import walk
from xlalint.fixing.operations import Delete, Insert, Operation
from xlalint.fixing.order import Known, why_not
from xlalint.fixing.places import Function, function_around, statement_at
from xlalint.fixing.rewrite import Refused, Rewrite
from xlalint.lazy.site import Site
from xlalint.program.outline import last_name

_OWN_BASES = frozenset({"object", "ABC", "Module"})
"""Bases that call no method of a class by themselves but `forward`, which nobody calls by its name."""


def tail_below(module: Module, call: ast.AST, inner: Site, scope: ast.With) -> Rewrite:
    """Move what a called function reads below the step of its caller.

    Args:
        module: The file of the step.
        call: The call in the step.
        inner: Where the function reads, or calls what does.
        scope: The step.

    Raises:
        Refused: others may call the function, or what it reads is not known below the step.
    """
    call = call.value if isinstance(call, ast.Expr) else call
    caller = module.parents[call]
    if not isinstance(call, ast.Call) or not isinstance(caller, ast.Expr | ast.Assign):
        raise Refused(f"line {scope.lineno} opens a step that does more with what it calls than to keep it")
    if caller not in scope.body or caller.value is not call:
        raise Refused(f"line {caller.lineno} is not by itself in the step")
    other = module if inner.path == str(module.file.path) else module.beside(inner.path)
    function = function_around(other, statement_at(other, inner))
    if not isinstance(function, ast.FunctionDef) or called(call) != function.name:
        raise Refused(f"it is not seen what line {caller.lineno} calls")
    _require_only_call(module, other, function, call)
    require_plain(other, function)
    read = other.at(inner)
    assert read is not None
    moved = moving_out(other, function, [read])
    names = names_needed(other, function, moved)
    values, ending = returning(function, names)
    known = _known(module, other, function, call, caller, names, values)
    _require_public(moved, known)
    lines = [renamed(other, each, known) for each in moved]
    _require_order(module, lines, caller, scope)
    inside: list[Operation] = [] if ending is None else [ending]
    inside += (Delete(each) for each in moved)
    edits: tuple[Edit, ...] = ()
    if isinstance(caller, ast.Expr) and any(name in names for name in values):
        start = module.span(caller)[0]
        edits = (Edit(start, start, f"{', '.join(values)} = "),)
    below = tuple(Insert(line, scope) for line in lines)
    if other is module:
        return Rewrite(edits, (*inside, *below))
    return Rewrite(edits, below, elsewhere=((inner.path, Rewrite(operations=tuple(inside))),))


def _require_only_call(module: Module, other: Module, function: ast.FunctionDef, call: ast.Call) -> None:
    """Nobody else may call the function, who would no longer get what it did."""
    name = function.name
    files = {str(each.file.path) for each in (module, other)}
    if module.callees is None or not module.callees.named_in(name) <= files:
        raise Refused(f"another file may call `{name}`")
    owner = other.parents[function]
    if isinstance(owner, ast.ClassDef):
        foreign = [each for each in owner.bases if last_name(each) not in _OWN_BASES]
        if foreign or owner.keywords:
            raise Refused(f"`{name}` may be called by what `{owner.name}` derives from")
    for each in dict.fromkeys((module, other)):
        if any(text == name for text, _ in each.strings):
            raise Refused(f"`{name}` is asked for by its name")
        if any(
            isinstance(n, Function) and n.name == name and n is not function for n in statements(each.tree)
        ):
            raise Refused(f"another function is called `{name}`, too")
        for node in walk(each.tree):
            if isinstance(node, ast.expr) and last_name(node) == name and node is not call.func:
                raise Refused(f"line {node.lineno} of {each.file.path.name} uses `{name}`, too")


def _known(
    module: Module, other: Module, function: ast.FunctionDef, call: ast.Call, caller: ast.Expr | ast.Assign,
    names: Mapping[str, Scope | None], values: Sequence[str],
) -> dict[str, str]:  # fmt: skip
    """What the names that are needed are called, where the function is called."""
    here = module.scopes.around(call, module.parents)
    given = _given(other, function, call)
    held = kept_by(caller, values)
    found: dict[str, str] = {}
    for name, scope in names.items():
        if scope is None or scope.node is not function:
            if module.scopes.binding(name, here) is not scope:
                raise Refused(f"`{name}` means something else on line {call.lineno}, below the step")
        elif name in held:
            found[name] = held[name]
        elif name in values and isinstance(caller, ast.Expr):
            if here.binds(name) or name in given:
                raise Refused(f"`{name}` means something else on line {call.lineno}, below the step")
        elif name in given:
            stored = (each for each in walk(function) if isinstance(each, ast.Name) and each.id == name)
            if any(not isinstance(each.ctx, ast.Load) for each in stored):
                raise Refused(f"`{name}` is set anew before it is read")
            found[name] = module.source(given[name])
        else:
            raise Refused(f"line {call.lineno} does not keep `{name}`, which is read")
    return found


def _require_public(moved: Sequence[ast.stmt], known: Mapping[str, str]) -> None:
    """What is private to a class is not written outside of it."""
    for statement in moved:
        for node in walk(statement):
            match node:
                case ast.Attribute(value=ast.Name(id=name), attr=attr) if attr.startswith("_"):
                    if known.get(name, name) != name or attr.startswith("__"):
                        raise Refused(f"line {statement.lineno} uses `{attr}`, which is private")


def _given(module: Module, function: ast.FunctionDef, call: ast.Call) -> dict[str, ast.expr]:
    """The parameters that are given a name, with or without attributes, by a call."""
    parameters = [each.arg for each in (*function.args.posonlyargs, *function.args.args)]
    pairs: list[tuple[str, ast.expr]] = []
    if isinstance(module.parents[function], ast.ClassDef) and isinstance(call.func, ast.Attribute):
        pairs.append((parameters.pop(0), call.func.value))
    for parameter, argument in zip(parameters, call.args, strict=False):
        if isinstance(argument, ast.Starred):
            break
        pairs.append((parameter, argument))
    pairs += ((each.arg, each.value) for each in call.keywords if each.arg is not None)
    return {name: value for name, value in pairs if _is_chain(value)}


def _is_chain(node: ast.expr) -> bool:
    while isinstance(node, ast.Attribute):
        node = node.value
    return isinstance(node, ast.Name)


def _require_order(module: Module, lines: Sequence[str], caller: ast.stmt, scope: ast.With) -> None:
    """What moves below the step must not mind what stands between."""
    known = Known.of(module, caller)
    for line in lines:
        (moved,) = ast.parse(line).body
        for other in scope.body[scope.body.index(caller) + 1 :]:
            reason = why_not(moved, other, known)
            if reason is not None:
                raise Refused(f"`{line}` cannot move past line {other.lineno}: {reason}")
