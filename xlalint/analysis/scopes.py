"""Scopes: what opens and closes around a block, and every way out of it."""

from __future__ import annotations

import ast
from collections.abc import Callable
from functools import partial
from typing import Final

from xlalint.analysis.attributes import attribute
from xlalint.analysis.binding import bind
from xlalint.analysis.call import Call
from xlalint.analysis.frame import Exits, Frame
from xlalint.analysis.machine import Execute, Machine
from xlalint.analysis.payloads import (
    NO_GRAD,
    Bound,
    Container,
    Managed,
    Opening,
    Opens,
    run,
    targets,
)
from xlalint.analysis.store import Store, join
from xlalint.knowledge import functions
from xlalint.lazy.cuts import Cause
from xlalint.lazy.scopes import Scope, ScopeKind
from xlalint.lazy.site import Site
from xlalint.lazy.values import (
    HOST,
    NOTHING,
    UNKNOWN,
    Kind,
    Value,
)
from xlalint.program.outline import dotted
from xlalint.remembering import remembered


def enter_scope(scope: Scope, shown: str, frame: Frame, store: Store) -> None:
    """A scope opens; values are told when it cuts."""
    frame.model.enter(store.state, scope, shown)
    if scope.kind.is_step:
        store.run_all()


def leave_scope(
    scope: Scope, shown: str, frame: Frame, store: Store, *, called_at: Site | None = None
) -> None:
    """A scope closes; values are told when it cuts. It is a function that was `called_at`, or None."""
    before = store.state.engine.recorded
    frame.model.leave(store.state, scope, shown, called_at=called_at)
    if store.state.engine.recorded != before:
        store.run_all()


def set_autograd(store: Store, no_grad: bool | None) -> Store:
    """From here on autograd is off, or on."""
    store.state.scopes = store.state.scopes._replace(no_grad=no_grad)
    return store


def _with(machine: Machine, node: ast.With | ast.AsyncWith, frame: Frame, store: Store) -> Store | None:
    return _with_items(machine, node, list(node.items), frame, store)


def _with_items(
    machine: Machine, node: ast.With | ast.AsyncWith, items: list[ast.withitem], frame: Frame, store: Store
) -> Store | None:
    if not items:
        return machine.run_block(node.body, frame, store)
    item, rest = items[0], items[1:]
    no_grad = store.state.scopes.no_grad
    value = machine.evaluate(item.context_expr, frame, store)
    opening = value.payload if isinstance(value.payload, Opening) else None
    if item.optional_vars is not None:
        stack = opening is not None and opening.effect is Opens.STACK
        bound = value if opening is None or stack else UNKNOWN
        bind(machine, item.optional_vars, bound if value.kind is not Kind.CALLABLE else UNKNOWN, frame, store)
    if _expects_error(item.context_expr):
        # What goes wrong inside is what the program wants to see.
        muted, frame.muted = frame.muted, True
        raised = store.state.trust.raised
        after = _with_items(machine, node, rest, frame, store)
        frame.muted = muted
        if after is not None:
            after.state.trust = after.state.trust._replace(raised=raised)
        return after
    if value.kind is Kind.DEVICE or (value.kind is Kind.UNKNOWN and _names_device(item.context_expr)):
        around, frame.default_device = frame.default_device, value
        after = _with_items(machine, node, rest, frame, store)
        frame.default_device = around
        return after
    if isinstance(value.payload, Managed):
        return _managed(machine, value.payload, item, node, rest, frame, store)
    if value.kind is Kind.INSTANCE:
        return _with_instance(machine, value, item, node, rest, frame, store)
    if opening is not None and opening.effect is Opens.STACK:
        return _with_stack(machine, opening, node, rest, frame, store)
    if opening is not None and opening.effect is Opens.PERHAPS_STEP:
        if isinstance(item.context_expr, ast.IfExp):
            return machine.run_block([_as_branches(node, len(rest))], frame, store)
        _perhaps_cut(opening, node, frame, store)
        return guarded(
            lambda: _with_items(machine, node, rest, frame, store),
            lambda current: _perhaps_cut(opening, node, frame, current),
            frame,
        )
    if opening is not None and opening.effect in _EAGER:
        return _with_mode(machine, opening, item, node, rest, frame, store)
    if opening is not None and opening.effect in NO_GRAD:
        set_autograd(store, NO_GRAD[opening.effect])
        return guarded(
            lambda: _with_items(machine, node, rest, frame, store),
            lambda current: set_autograd(current, no_grad),
            frame,
        )
    if opening is not None and opening.effect is Opens.AUTOCAST:
        entered = frame.site(item.context_expr)
        frame.model.lower(store.state, entered, assumes=value.assumes)
        return guarded(
            lambda: _with_items(machine, node, rest, frame, store),
            lambda current: _end_lowering(entered, frame, current),
            frame,
        )
    if opening is not None and opening.effect is Opens.NO_AUTOCAST:
        frame.model.switch_lowering(store.state, off=True)
        return guarded(
            lambda: _with_items(machine, node, rest, frame, store),
            lambda current: _switch_on_again(frame, current),
            frame,
        )
    if opening is not None and opening.effect in (Opens.OTHER_AUTOCAST, Opens.BFLOAT16_OF_CUDA):
        site = frame.site(item.context_expr)
        raises = opening.effect is Opens.BFLOAT16_OF_CUDA
        frame.model.enter_autocast(
            store.state, site, assumes=value.assumes, raises=raises, made=opening.made or site
        )
        return guarded(
            lambda: _with_items(machine, node, rest, frame, store),
            lambda current: _end_autocast(site, frame, current),
            frame,
        )
    if opening is None or opening.scope is None:
        return _with_items(machine, node, rest, frame, store)
    scope = Scope(opening.scope, frame.site(item.context_expr))
    enter_scope(scope, opening.spelling, frame, store)
    return guarded(
        lambda: _with_items(machine, node, rest, frame, store),
        lambda current: _left(scope, opening.spelling, frame, current),
        frame,
    )


def _names_device(node: ast.expr) -> bool:
    """Whether what a `with` enters is called a device, on which it then has tensors made."""
    return dotted(node).rpartition(".")[2] == "device"


def _left(scope: Scope, spelling: str, frame: Frame, store: Store) -> Store:
    leave_scope(scope, spelling, frame, store)
    return store


def _end_autocast(site: Site, frame: Frame, store: Store) -> Store:
    frame.model.leave_autocast(store.state, site)
    return store


def _end_lowering(site: Site, frame: Frame, store: Store) -> Store:
    frame.model.end_lowering(store.state, site)
    return store


def _switch_on_again(frame: Frame, store: Store) -> Store:
    frame.model.switch_lowering(store.state, off=False)
    return store


_EAGER: Final = {Opens.EAGER: True, Opens.LAZY: False, Opens.PERHAPS_EAGER: None}
"""Whether eager mode is on inside a scope."""


def _with_mode(
    machine: Machine,
    opening: Opening,
    item: ast.withitem,
    node: ast.With | ast.AsyncWith,
    rest: list[ast.withitem],
    frame: Frame,
    store: Store,
) -> Store | None:
    """Eager mode is on, or off, inside; afterwards it is as before."""
    before, eager = store.state.engine.eager, _EAGER[opening.effect]
    scope = Scope(ScopeKind.EAGER, frame.site(item.context_expr))
    if eager:
        enter_scope(scope, opening.spelling, frame, store)
    store.state.engine = store.state.engine._replace(eager=eager)
    return guarded(
        lambda: _with_items(machine, node, rest, frame, store),
        lambda current: _as_before(before, scope if eager else None, opening.spelling, frame, current),
        frame,
    )


def _as_before(eager: bool | None, scope: Scope | None, shown: str, frame: Frame, store: Store) -> Store:
    if scope is not None:
        leave_scope(scope, shown, frame, store)
    store.state.engine = store.state.engine._replace(eager=eager)
    return store


@remembered(256)
def _as_branches(node: ast.With | ast.AsyncWith, after: int) -> ast.If:
    """`with a() if test else b(): ...`, as a branch of which each arm enters the scope that it chose.

    Args:
        after: So many items come after the one that chooses.
    """
    at = len(node.items) - after - 1
    chosen, rest = node.items[at], node.items[at + 1 :]
    chooses = chosen.context_expr
    assert isinstance(chooses, ast.IfExp)
    arms: list[ast.stmt] = [
        ast.copy_location(type(node)([ast.withitem(one, chosen.optional_vars), *rest], node.body), node)
        for one in (chooses.body, chooses.orelse)
    ]
    return ast.copy_location(ast.If(chooses.test, arms[:1], arms[1:]), node)


def _perhaps_cut(opening: Opening, node: ast.With | ast.AsyncWith, frame: Frame, store: Store) -> Store:
    site = frame.site(node.items[0].context_expr)
    frame.model.cut(store.state, Cause.SCOPE_EXIT, opening.spelling, site, sure=False)
    store.maybe_run_all()
    return store


def _with_stack(
    machine: Machine,
    opening: Opening,
    node: ast.With | ast.AsyncWith,
    rest: list[ast.withitem],
    frame: Frame,
    store: Store,
) -> Store | None:
    """An `ExitStack`: what is entered through it is left with it, the last first."""
    before = len(store.state.scopes.open)
    opened_step = store.state.loop.own.opens_step
    return guarded(
        lambda: _with_items(machine, node, rest, frame, store),
        lambda current: _leave_stack(before, opened_step, opening, node, frame, current),
        frame,
    )


def _leave_stack(
    before: int,
    opened_step: bool,
    opening: Opening,
    node: ast.With | ast.AsyncWith,
    frame: Frame,
    store: Store,
) -> Store:
    scopes = store.state.scopes.open[before:]
    for scope in reversed(scopes):
        leave_scope(scope, opening.spelling, frame, store)
    if not scopes and store.state.loop.own.opens_step and not opened_step:
        _perhaps_cut(opening, node, frame, store)
    return store


def _with_instance(
    machine: Machine,
    manager: Value,
    item: ast.withitem,
    node: ast.With | ast.AsyncWith,
    rest: list[ast.withitem],
    frame: Frame,
    store: Store,
) -> Store | None:
    """An object of the project whose class says what happens at the entry and at the exit."""
    names = ("__aenter__", "__aexit__") if isinstance(node, ast.AsyncWith) else ("__enter__", "__exit__")
    enter, leave = [attribute(machine, manager, name, None, frame, store) for name in names]
    if not all(any(isinstance(t, Bound) for t in targets(method)) for method in (enter, leave)):
        if item.optional_vars is not None:
            bind(machine, item.optional_vars, manager, frame, store)
        return _with_items(machine, node, rest, frame, store)
    site = frame.site(item.context_expr)
    entered = machine.invoke(enter, Call(frame, store, site, None))
    if item.optional_vars is not None:
        bind(machine, item.optional_vars, entered, frame, store)
    return guarded(
        lambda: _with_items(machine, node, rest, frame, store),
        lambda current: _exit(machine, leave, site, frame, current),
        frame,
    )


def _exit(machine: Machine, leave: Value, site: Site, frame: Frame, store: Store) -> Store:
    machine.invoke(leave, Call(frame, store, site, None, [HOST, HOST, HOST]))
    return store


def _managed(
    machine: Machine,
    manager: Managed,
    item: ast.withitem,
    node: ast.With | ast.AsyncWith,
    rest: list[ast.withitem],
    frame: Frame,
    store: Store,
) -> Store | None:
    """A context manager of the project: its generator runs around the body of the `with`."""
    entered = store.copy()
    outer, ways = frame.exits, Exits()
    left: list[Store | None] = []
    inner = _generator(manager, frame)
    inner.surrounds = True
    inner.resume = lambda current: _resume(
        left, ways, machine, inner, item, node, rest, frame, store, current
    )
    after = _run_generator(machine, manager, inner, store)
    frame.take(inner)
    outer.raises += ways.raises
    leave = partial(_leave_by, machine, manager, item.optional_vars, entered, frame)
    outer.breaks += [(leave(gone), site) for gone, site in ways.breaks]
    outer.continues += [leave(gone) for gone in ways.continues]
    for gone, value, site in ways.returns:
        end = leave(gone)
        outer.returns.append((end, _run_value(value, end), site))
    if not left:
        return _with_items(machine, node, rest, frame, store)
    if left[-1] is None or after is None:
        return left[-1]
    return _ended_as(after, left[-1])


def _generator(manager: Managed, frame: Frame) -> Frame:
    function = manager.bound.function
    inner = Frame(function.outline, function, frame.depth + 1, kept=frame.kept)
    inner.captured = dict(manager.captured)
    return inner


def _run_generator(machine: Machine, manager: Managed, inner: Frame, store: Store) -> Store | None:
    """Run the generator of a context manager, beginning where `store` is, which gives it its state."""
    function = manager.bound.function
    assert not isinstance(function.node, ast.Lambda)
    held = Store(store.state)
    held.names, held.attributes = dict(manager.names), store.attributes
    after = machine.run_block(function.node.body, inner, held)
    for returned, _, _ in inner.exits.returns:
        after = join(after, returned)
    return after


def _leave_by(
    machine: Machine, manager: Managed, target: ast.expr | None, entered: Store, frame: Frame, gone: Store
) -> Store:
    """The body was left by a `break`, `continue` or `return`: the generator goes on from where it yields.

    Args:
        target: What the `with` binds.
        entered: What there was when the generator began, which is run again up to there in silence.
    """
    inner = _generator(manager, frame)
    inner.muted = True
    inner.surrounds = True
    inner.resume = lambda current: _go_on(inner, target, gone, current)
    after = _run_generator(machine, manager, inner, entered.copy())
    frame.take(inner)
    return gone if after is None else _ended_as(after, gone)


def _go_on(inner: Frame, target: ast.expr | None, gone: Store, current: Store) -> Store:
    inner.muted = False
    _share(target, inner.yields[-1].value, current, gone)
    return gone


def _ended_as(after: Store, left: Store) -> Store:
    """What there is where a body was left, once its context manager has come to the end."""
    left.state, left.attributes = after.state, after.attributes
    if after.state.engine.recorded == NOTHING:
        left.run_all()
    return left


def _resume(
    left: list[Store | None],
    ways: Exits,
    machine: Machine,
    inner: Frame,
    item: ast.withitem,
    node: ast.With | ast.AsyncWith,
    rest: list[ast.withitem],
    frame: Frame,
    store: Store,
    current: Store,
) -> Store | None:
    """What a `with` holds is run from where its context manager yields, which has left `current`."""
    store.state, store.attributes = current.state, current.attributes
    given, target = inner.yields[-1].value, item.optional_vars
    if target is not None:
        bind(machine, target, given, frame, store)
    outer, frame.exits = frame.exits, ways
    left.append(after := _with_items(machine, node, rest, frame, store))
    frame.exits = outer
    inner.muted = after is None  # what comes below the `yield` is run by other ways out alone
    if after is not None:
        _share(target, given, current, after)
    return after


def _share(target: ast.expr | None, given: Value, current: Store, after: Store) -> None:
    """What a context manager gives and its `with` binds is one object: the body may put something into it."""
    if isinstance(target, ast.Name) and isinstance(given.payload, Container):
        for name, value in current.names.items():
            if value is given:
                current.names[name] = after.names.get(target.id, given)


def guarded(
    body: Callable[[], Store | None], leave: Callable[[Store], Store | None], frame: Frame
) -> Store | None:
    """Run `body`, and `leave` on every way out of it."""
    outer = frame.exits
    frame.exits = inner = Exits()
    after = body()
    frame.exits = outer
    after = leave(after) if after is not None else None
    for store, site in inner.breaks:
        if (left := leave(store)) is not None:
            outer.breaks.append((left, site))
    for store in inner.continues:
        if (left := leave(store)) is not None:
            outer.continues.append(left)
    for store, value, site in inner.returns:
        if (left := leave(store)) is not None:
            outer.returns.append((left, _run_value(value, left), site))
    for store, site in inner.raises:
        if (left := leave(store)) is not None:
            outer.raises.append((left, site))
    return after


def _expects_error(node: ast.expr) -> bool:
    """Whether a context manager of a test waits for an exception."""
    return (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr.startswith(functions.EXPECTING_ERRORS)
    )


def _run_value(value: Value, store: Store) -> Value:
    return run(value) if store.state.engine.recorded == NOTHING else value


EXECUTORS: Final[dict[type, Execute]] = {ast.With: _with, ast.AsyncWith: _with}
