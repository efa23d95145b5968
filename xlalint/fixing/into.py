"""Work below the call of a step function moves into that function, which then takes and returns more."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import NamedTuple

from xlalint.fixing.bindings import Scope
from xlalint.fixing.calls import calls_of, is_compiled
from xlalint.fixing.edits import Edit
from xlalint.fixing.module import Module, statements
from xlalint.fixing.nodes import walk
from xlalint.fixing.operations import Delete, Insert, Operation
from xlalint.fixing.order import Known, suspends, why_not
from xlalint.fixing.places import Function, opens_step
from xlalint.fixing.rewrite import Refused, Rewrite
from xlalint.program.outline import last_name

_COMPILERS = frozenset({"compile", "step"})


class _Step(NamedTuple):
    """A step function, and the only call of it: a statement that keeps what it returns.

    Args:
        ends: The last statement of the step; what is returned may stand below it.
        kept: What the caller calls that which is returned, in order.
    """

    function: ast.FunctionDef
    ends: ast.stmt
    call: ast.Call
    statement: ast.Assign | ast.Expr
    kept: list[ast.expr]

    @property
    def returned(self) -> ast.Return | None:
        last = self.function.body[-1]
        inner = self.ends if isinstance(self.ends, ast.Return) else last
        return inner if isinstance(inner, ast.Return) else None

    @property
    def values(self) -> list[ast.expr]:
        """What is returned, in order."""
        value = None if self.returned is None else self.returned.value
        if value is None:
            return []
        return value.elts if isinstance(value, ast.Tuple) else [value]


def into_function(module: Module, work: ast.stmt) -> Rewrite:
    """Move a statement to the end of the step that the nearest call above it does.

    Raises:
        Refused: it cannot be told what the function would have to take and to return.
    """
    block = module.block(work)
    place = block.index(work)
    step = next(filter(None, (_step(module, each) for each in reversed(block[:place]))), None)
    if step is None:
        raise Refused(f"no step stands beside line {work.lineno}: it is opened in a called function")
    known = Known.of(module, work)
    for other in block[block.index(step.statement) + 1 : place]:
        if reason := why_not(work, other, known):
            raise Refused(f"line {work.lineno} cannot move past line {other.lineno}: {reason}")
    target = _target(module, work)
    lines, values = _bound(module, step)
    taken = [*_taken(module, step, work, target)]
    if any(isinstance(each, ast.Name) and each.id == target for each in step.kept):
        raise Refused(f"`{target}` is what the step on line {step.call.lineno} returns already")
    lines.append(module.source(work))
    above = isinstance(step.ends, ast.Return)
    operations: list[Operation] = [Delete(work)]
    operations += (Insert(line, step.ends, above=above) for line in lines)
    edits = [*_given(module, step, taken), _kept(module, step, target)]
    returned = ", ".join((*values, target))
    if step.returned is None:
        operations.append(Insert(f"return {returned}", step.function.body[-1]))
    elif step.returned.value is not None:
        edits.append(Edit(*module.span(step.returned.value), returned))
    else:
        raise Refused(f"line {step.returned.lineno} returns nothing")
    return Rewrite(operations=tuple(operations), edits=tuple(edits))


def _target(module: Module, work: ast.stmt) -> str:
    """The only name that a statement binds."""
    match work:
        case ast.Assign(targets=[ast.Name(id=name)]) | ast.AugAssign(target=ast.Name(id=name)):
            if len(module.source(work).splitlines()) == 1:
                return name
    raise Refused(f"line {work.lineno} is more than one value that is computed")


def _step(module: Module, statement: ast.stmt) -> _Step | None:
    """The step function that a statement calls, of which this is the only call."""
    match statement:
        case ast.Assign(targets=[ast.Name() as name], value=ast.Call() as call):
            kept: list[ast.expr] = [name]
        case ast.Assign(targets=[ast.Tuple(elts=kept)], value=ast.Call() as call):
            pass
        case ast.Expr(value=ast.Call() as call):
            kept = []
        case _:
            return None
    assert isinstance(statement, ast.Assign | ast.Expr)
    name_of = last_name(call.func)
    found = [each for each in statements(module.tree) if isinstance(each, Function) and each.name == name_of]
    if len(found) != 1 or not isinstance(found[0], ast.FunctionDef):
        return None
    function = found[0]
    ends = _end(module, function)
    if ends is None:
        return None
    _require_plain(function, ends)
    if calls_of(module, function) != [call]:
        raise Refused(f"the step `{function.name}` is called in other places, too")
    return _Step(function, ends, call, statement, kept)


def _end(module: Module, function: ast.FunctionDef) -> ast.stmt | None:
    """The last statement of the step that a function is, or of the one that it opens."""
    last = function.body[-1]
    made = (each.func if isinstance(each, ast.Call) else each for each in function.decorator_list)
    if any(last_name(each) in _COMPILERS for each in made) or is_compiled(module, function):
        return last
    opened = last if not isinstance(last, ast.Return) or len(function.body) == 1 else function.body[-2]
    return opened.body[-1] if isinstance(opened, ast.With) and opens_step(opened) else None


def _require_plain(function: ast.FunctionDef, ends: ast.stmt) -> None:
    if any(map(suspends, function.body)):
        raise Refused(f"other code may run in the middle of `{function.name}`")
    for each in statements(function):
        if isinstance(each, ast.Return) and each not in (ends, function.body[-1]):
            raise Refused(f"`{function.name}` returns in more than one place")
    given = function.args
    if given.vararg or given.kwarg or given.kwonlyargs or given.defaults:
        raise Refused(f"`{function.name}` takes more than it can be seen to be given")
    if function.returns is not None:
        raise Refused(f"`{function.name}` says what it returns")


def _bound(module: Module, step: _Step) -> tuple[list[str], list[str]]:
    """The lines that give what is returned the names that the caller has for it, and these names.

    Raises:
        Refused: the names would mean something else.
    """
    values, kept = step.values, step.kept
    if len(values) != len(kept) or not all(isinstance(each, ast.Name) for each in kept):
        raise Refused(f"line {step.call.lineno} does not keep each value that the step returns")
    names = [each.id for each in kept if isinstance(each, ast.Name)]
    lines = []
    there = module.scopes.around(step.function.body[0], module.parents)
    for name, value in zip(names, values, strict=True):
        if isinstance(value, ast.Name) and value.id == name:
            continue
        others = (inner for other in values if other is not value for inner in walk(other))
        is_outer = not there.binds(name) and any(_is_named(each, name) for each in walk(step.function))
        if is_outer or any(_is_named(each, name) for each in others):
            raise Refused(f"`{name}` means something else in `{step.function.name}`")
        lines.append(f"{name} = {module.source(value)}")
    return lines, names


def _taken(module: Module, step: _Step, work: ast.stmt, target: str) -> Iterator[str]:
    """The names that a statement reads and the function must be given."""
    here = module.scopes.around(work, module.parents)
    there = module.scopes.around(step.function.body[0], module.parents)
    kept = {each.id for each in step.kept if isinstance(each, ast.Name)}
    named = [each for each in walk(work) if isinstance(each, ast.Name)]
    read = {each.id for each in named if isinstance(each.ctx, ast.Load) or isinstance(work, ast.AugAssign)}
    for name in dict.fromkeys(each.id for each in named):
        if name in kept or (name != target and _same(module, name, here, there)):
            continue
        if any(_is_named(each, name) for each in walk(step.function)):
            raise Refused(f"`{name}` means something else in `{step.function.name}`")
        if name in read:
            yield name


def _same(module: Module, name: str, here: Scope, there: Scope) -> bool:
    return module.scopes.binding(name, here) is module.scopes.binding(name, there)


def _is_named(node: ast.AST, name: str) -> bool:
    return (isinstance(node, ast.Name) and node.id == name) or (
        isinstance(node, ast.arg) and node.arg == name
    )


def _given(module: Module, step: _Step, taken: list[str]) -> Iterator[Edit]:
    """The edits by which the function takes, and is given, some names more."""
    if not taken:
        return
    parameters = [*step.function.args.posonlyargs, *step.function.args.args]
    given = [*step.call.args, *step.call.keywords]
    if not parameters or not given:
        raise Refused(f"`{step.function.name}` takes nothing yet")
    if any(isinstance(each, ast.Starred) or getattr(each, "arg", "") is None for each in given):
        raise Refused(f"it is not seen what line {step.call.lineno} gives to the step")
    end = module.span(parameters[-1])[1]
    yield Edit(end, end, "".join(f", {name}" for name in taken))
    end = max(module.span(each)[1] for each in given)
    by_name = bool(step.call.keywords)
    yield Edit(end, end, "".join(f", {name}={name}" if by_name else f", {name}" for name in taken))


def _kept(module: Module, step: _Step, target: str) -> Edit:
    """The edit by which the caller keeps one value more."""
    if not step.kept:
        start = module.span(step.statement)[0]
        return Edit(start, start, f"{target} = ")
    end = module.span(step.kept[-1])[1]
    return Edit(end, end, f", {target}")
