"""Rewrites that set and remove markers."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from xlalint.cure import Cure, Remove, SyncBefore, SyncBelow, WaitBefore, Where
from xlalint.fixing.below import CONDITIONAL, fresh_name
from xlalint.fixing.module import MARKERS, Module, called, is_marker, statements, waits
from xlalint.fixing.nodes import walk
from xlalint.fixing.operations import Delete, Insert, Replace
from xlalint.fixing.order import steps_rate
from xlalint.fixing.places import (
    Function,
    Loop,
    body_around,
    expression_at,
    function_around,
    is_own,
    marker_name,
    opens_profiler,
    opens_step,
    qualified,
    statement_at,
    with_at,
)
from xlalint.fixing.rewrite import Need, Refused, Rewrite, Rewriter
from xlalint.fixing.spelling import spelling
from xlalint.fixing.work import READS, Work, names_in
from xlalint.lazy.site import Site

MARKER = "torch_xla.sync"
_WAIT = "torch_xla.core.xla_model.wait_device_ops"


def remove(module: Module, cure: Remove) -> Rewrite:
    """Take a marker away."""
    statement = statement_at(module, cure.site)
    if not isinstance(statement, ast.Expr) or statement.value is not expression_at(module, cure.site):
        raise Refused(f"the marker on line {cure.site.line} is part of another statement")
    if not is_marker(statement) or is_own(module, statement):
        raise Refused(f"the marker stands in a helper that line {statement.lineno} calls")
    if waits(statement):
        raise Refused(f"the marker on line {statement.lineno} waits for its graph")
    helper = getattr(function_around(module, statement), "name", "")
    if any(marker in helper for marker in MARKERS):
        raise Refused(f"to cut the graph is what `{helper}` is for: its calls would have to go")
    name = marker_name(module, statement)
    return Rewrite(operations=(Delete(statement),), leaves=(name,) if name else ())


def sync_before(module: Module, cure: SyncBefore) -> Rewrite:
    """Set a marker above a statement; of an `elif`, above the first `if`."""
    statement = statement_at(module, cure.site)
    if isinstance(statement, ast.While):
        raise Refused(f"the test on line {statement.lineno} is made anew in each iteration")
    if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Match):
        raise Refused(f"there is no place above line {statement.lineno} that runs as often as it")
    if any(isinstance(node, ast.Lambda) for node in module.around(_found(module, cure, statement))):
        raise Refused(f"line {statement.lineno} holds a function without a name")
    value = _recorded_there(module, _found(module, cure, statement), statement)
    known = value is None and cure.recorded is not None
    outer = _loop_without(module, statement, cure.recorded or ()) if known else None
    if value is None and outer is None:
        value = _recorded_there(module, _found(module, cure, statement), statement, light=True)
    statement = _with_its_if(module, outer or statement)
    above = _directly_above(module, statement)
    if above is not None and is_marker(above):
        raise Refused(f"line {above.lineno} is a marker already")
    _require_end_of_graph(module, statement)
    rewrite = _inserted(module, statement, above=True)
    if value is None:
        return rewrite
    if isinstance(value, ast.NamedExpr):
        raise Refused(f"line {value.lineno} binds a name in the middle of an expression")
    name = fresh_name(value, statement, names_in([function_around(module, statement)]))
    bound = Insert(f"{name} = {module.source(value)}", statement, above=True)
    return replace(rewrite, operations=(bound, *rewrite.operations, Replace(value, name)))


def require_end_in_callers(module: Module, calls: Iterable[Site]) -> None:
    """A marker in a function may not stand in the middle of what has to be one graph for its callers.

    Args:
        module: The file of the function.
        calls: The calls that lead there, of whatever file.

    Raises:
        Refused: one of them stands there.
    """
    for site in calls:
        other, statement = _seen(module, site)
        if statement is None:
            continue
        try:
            _require_end_of_graph(other, statement)
        except Refused as refused:
            raise Refused(f"line {site.line}{_where(module, other)} leads there: {refused}") from None


def require_no_loop_in_step(module: Module, path: Iterable[Site]) -> None:
    """A marker that ends each round of a loop in a step stays: without it all of them would be one graph.

    Args:
        module: The file of the marker.
        path: The calls that lead to it, of whatever file, and its own place.

    Raises:
        Refused: there is such a loop.
    """
    loop: str | None = None
    for site in reversed([*path]):
        other, statement = _seen(module, site)
        for around in other.around(statement) if statement is not None else ():
            if opens_step(around):
                if loop is not None:
                    raise Refused(f"all rounds of the loop on {loop} would be one graph")
                return
            if isinstance(around, Loop):
                loop = f"line {around.lineno}{_where(module, other)}"
            if isinstance(around, Function):
                break


def _seen(module: Module, site: Site) -> tuple[Module, ast.stmt | None]:
    """The statement at a place, of whatever file, if that can be told, and its file."""
    is_here = site.path == str(module.file.path)
    other = module if is_here or module.callees is None else module.callees.look(site.path)
    return (module, None) if other is None else (other, other.statement(site))


def _where(module: Module, other: Module) -> str:
    return "" if other.file.path == module.file.path else f" of {other.file.path.name}"


def _loop_without(module: Module, statement: ast.stmt, recorded: Iterable[Where]) -> ast.stmt | None:
    """The outermost loop around a statement in its function in which nothing of some work was recorded.

    What the statement itself records in each round is not meant, if there is more.
    """
    sites = [site for site in recorded if isinstance(site, Site)]
    found = [module.statement(site) for site in sites]
    elsewhere = [each for each in found if each is not statement]
    places = {node for each in elsewhere if each for node in (each, *module.around(each))}
    outer = None
    for node in module.around(statement) if elsewhere or not found else ():
        if isinstance(node, Function) or node in places:
            break
        if isinstance(node, ast.For | ast.While):
            outer = node
    return outer


def _recorded_there(
    module: Module, read: ast.AST, statement: ast.stmt, *, light: bool = False
) -> ast.expr | None:
    """What a statement records itself and then reads: the marker has to come between.

    Args:
        module: The file.
        read: What reads.
        statement: The statement around it.
        light: Whether light work counts as well: below the marker it would be a graph of its own. It stays
            where it is if it cannot be computed above the statement.

    Raises:
        Refused: it cannot be computed above the statement.
    """
    if isinstance(read, ast.Expr):
        read = read.value
    match read:
        case ast.Call(func=ast.Attribute(value=value, attr=attr)) if attr in READS:
            pass
        case ast.Call(func=ast.Name(id="float" | "int" | "bool"), args=[value]):
            pass
        case _:
            return None
    work = Work(function_around(module, statement), statement)
    recording = [*work.recording(value)] or [each for each in work.elements_read(statement) if each is value]
    if not recording or not (light or any(_runs_model(module, each, work) for each in recording)):
        return None
    around = [*module.around(value)]
    others = [
        each
        for each in walk(statement)
        if isinstance(each, ast.Call | ast.NamedExpr)
        and each not in around
        and value not in module.around(each)
    ]
    first = (value.lineno, value.col_offset)
    is_first = all(each is value or (each.lineno, each.col_offset) > first for each in others)
    above = around[: around.index(statement)]
    if hasattr(statement, "body") or not is_first or any(isinstance(each, CONDITIONAL) for each in above):
        if light:
            return None
        raise Refused(f"line {statement.lineno} does more than to record work and read it")
    if len(module.source(value).splitlines()) > 1:
        if light:
            return None
        raise Refused(f"the work on line {statement.lineno} goes over several lines")
    return value


def _runs_model(module: Module, recorded: ast.expr, work: Work) -> bool:
    """Whether an expression calls more than operations of tensors, which are light by themselves."""
    for node in walk(recorded):
        match node:
            case ast.Call(func=ast.Name()):
                return True
            case ast.Call(func=ast.Attribute(value=value)):
                if not work.is_value(value) and not qualified(module, node.func):
                    return True
    return False


def _require_end_of_graph(module: Module, statement: ast.stmt) -> None:
    """A marker may not stand in the middle of what has to be one graph.

    Raises:
        Refused: a profiler's scope or a `forward` is open there, or the step goes on below.
    """
    for around in module.around(statement):
        if isinstance(around, Function):
            if around.name in _forward(module.parents[around]):
                raise Refused(f"a marker would cut the graph inside `forward`, which runs `{around.name}`")
            break
        if opens_profiler(around) or opens_step(around):
            raise Refused(f"the scope on line {around.lineno} is open there")  # type: ignore[attr-defined]
    body = body_around(module, statement)
    above: list[ast.stmt] = []
    below: list[ast.stmt] = []
    in_micro_batches = False
    for each in statements(body):
        is_above = (each.lineno, each.col_offset) < (statement.lineno, 0)
        if not hasattr(each, "body") and body_around(module, each) is body:
            (above if is_above else below).append(each)
        elif is_above and not hasattr(each, "body") and _calls(each, _BACKWARD):
            in_micro_batches = True
    last = next((place for place, each in enumerate(reversed(above)) if is_marker(each)), len(above))
    above = above[len(above) - last :]
    until = next((place for place, each in enumerate(below) if is_marker(each)), len(below))
    backward = [each for each in above if _calls(each, _BACKWARD)]
    for each in below[:until]:
        if _calls(each, _BACKWARD) and not backward and above:
            raise Refused(
                f"a marker would separate the step's forward from its backward, on line {each.lineno}"
            )
        if not _calls(each, _STEPS):
            continue
        if backward and _as_often(module, backward[-1], each):
            raise Refused(f"a marker would separate backward from the optimizer step, on line {each.lineno}")
        if in_micro_batches and isinstance(statement, ast.If) and _as_often(module, statement, each):
            raise Refused(
                f"a marker above the test would cut each step before the optimizer's, on line {each.lineno}"
            )


_BACKWARD = frozenset({"backward"})
_STEPS = frozenset({"step", "optimizer_step"})


def _calls(statement: ast.stmt, names: frozenset[str]) -> bool:
    """Whether a statement calls one of some methods; a scheduler's step is none of the optimizer."""
    return any(
        called(node) in names and not steps_rate(node)
        for node in walk(statement)
        if isinstance(node, ast.Call)
    )


def _as_often(module: Module, one: ast.stmt, other: ast.stmt) -> bool:
    """Whether two statements stand below the same tests: a step every so many batches does not."""

    def tests(statement: ast.stmt) -> list[ast.AST]:
        return [node for node in module.around(statement) if isinstance(node, ast.If | Loop)]

    return tests(one) == tests(other)


def _forward(owner: ast.AST) -> set[str]:
    """The methods of a class that its `forward` is or calls."""
    if not isinstance(owner, ast.ClassDef):
        return set()
    methods = {each.name: each for each in owner.body if isinstance(each, Function)}
    found: set[str] = set()
    waiting = ["forward"]
    while waiting:
        name = waiting.pop()
        if name in methods and name not in found:
            found.add(name)
            waiting += (
                node.func.attr
                for node in walk(methods[name])
                if isinstance(node, ast.Call)
                and isinstance(node.func, ast.Attribute)
                and isinstance(node.func.value, ast.Name)
            )
    return found


def _found(module: Module, cure: SyncBefore, statement: ast.stmt) -> ast.AST:
    from xlalint.lazy.site import Site

    assert isinstance(cure.site, Site)
    return module.at(cure.site) or statement


def _with_its_if(module: Module, statement: ast.stmt) -> ast.stmt:
    """The `if` that an `elif` is a part of, beside which something can stand; else the statement itself."""
    while _is_elif(module, statement):
        parent = module.parents[statement]
        assert isinstance(parent, ast.If)
        statement = parent
    return statement


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
    """Set a marker directly below the block of a scope, or below another statement."""
    statement = statement_at(module, cure.scope)
    if isinstance(statement, ast.With):
        return _inserted(module, with_at(module, cure.scope))
    return _inserted(module, _with_its_if(module, statement))


def wait_before(module: Module, cure: WaitBefore) -> Rewrite:
    """Wait for the device above a statement, in a file that has to do with torch_xla already."""
    statement = statement_at(module, cure.site)
    if isinstance(statement, ast.While):
        raise Refused(f"the test on line {statement.lineno} is made anew in each iteration")
    if "torch_xla" not in module.text:
        raise Refused("this file has nothing to do with torch_xla otherwise")
    step = next(filter(opens_step, module.around(statement)), None)
    if isinstance(step, ast.With):
        raise Refused(f"the step on line {step.lineno} is open there, and hands over its work at its end")
    return _inserted(module, _with_its_if(module, statement), above=True, name=_WAIT)


def _inserted(module: Module, beside: ast.stmt, *, above: bool = False, name: str = MARKER) -> Rewrite:
    text, _ = spelling(module, name, beside)
    return Rewrite(operations=(Insert(f"{text}()", beside, above),), needs=(Need(name, beside),))


REWRITERS: dict[type[Cure], Rewriter[Any]] = {
    Remove: remove,
    SyncBefore: sync_before,
    SyncBelow: sync_below,
    WaitBefore: wait_before,
}
