"""Who holds recorded work: what nobody holds is gone, and no later cut runs it."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Final

from xlalint.analysis.frame import Frame
from xlalint.analysis.machine import Machine
from xlalint.analysis.moments import moment_of
from xlalint.analysis.payloads import (
    Bound,
    Classes,
    Container,
    Iterated,
    Known,
    Namespace,
    classes_of,
    targets,
)
from xlalint.analysis.store import Store
from xlalint.analysis.work import settled
from xlalint.lazy.obligations import Obligation, Owed
from xlalint.lazy.state import State
from xlalint.lazy.transitions import exchange
from xlalint.lazy.values import NOTHING, Kind, Value, Weight
from xlalint.program.outline import Class, named, within


def let_go(
    machine: Machine, frame: Frame, store: Store, statement: ast.stmt, before: frozenset[Obligation], *,
    pending: bool,
) -> None:  # fmt: skip
    """A statement has ended: work that was read, and that no name, object or parameter holds now, is gone.

    What it has read itself, in no callee, parameters and gradients must hold on all ways, if no name does.
    Where nothing surely pended before it, a name must surely hold what it has recorded. The statements of a
    block have looked at their own reads.

    Args:
        before: What was owed when the statement began.
        pending: Whether heavy work was surely recorded then.
    """
    _let_go_of_chance(frame, store, statement, before)
    _let_go_of_reads(machine, frame, store, statement, before, pending=pending)
    _let_go_of_names(store.state, statement)


def _let_go_of_reads(
    machine: Machine, frame: Frame, store: Store, statement: ast.stmt, before: frozenset[Obligation], *,
    pending: bool,
) -> None:  # fmt: skip
    state = store.state
    reads = {owed for owed in state.obligations if owed.owed is Owed.READ and not owed.inherited}
    if state.engine.recorded.may is not Weight.HEAVY or not reads:
        return
    if not may_hold_work(machine, frame, store):
        frame.model.let_die(state, NOTHING)
        return
    own = {owed for owed in reads - before if len(owed.path) == 1}
    if own and not _is_block(statement):
        held = _is_held_by_parameters(store) or _is_named(machine, frame, store, surely=not pending)
        if not held or _starts_from_nothing(machine, frame, store, statement):
            state.obligations -= own
    if state.scopes.no_grad is False:
        _let_go_of_copied(machine, frame, store, reads - before)


def _let_go_of_copied(machine: Machine, frame: Frame, store: Store, own: set[Obligation]) -> None:
    """What only names hold that were copied to the host waits for nobody but backward."""
    held = ((name, value, settled(value)) for name, value in store.names.items())
    copied = {name: after for name, before, after in held if after is not before}
    if copied and own:
        without = store.copy()
        without.names.update(copied)
        if not may_hold_work(machine, frame, without):
            frame.model.rest_on_autograd(store.state, own & store.state.obligations)


def _starts_from_nothing(machine: Machine, frame: Frame, store: Store, statement: ast.stmt) -> bool:
    """Whether nothing that a statement names holds heavy work, or could bring some: what others hold is none
    of what it has computed, and read."""
    if not isinstance(statement, ast.Expr) or _copies(statement):
        return False  # what it binds holds that, and what is copied whole has been run by now
    for name in named(statement):
        value = store.names.get(name) or frame.captured.get(name)
        if value is None:
            value = machine.names.global_name(name, frame.outline, frame.function, moment_of(frame))
            if not isinstance(value.payload, Namespace) and not _is_of_library(value):
                return False
        elif value.kind not in _PLAIN or is_heavy(value, surely=False):
            return False
    return True


def _copies(statement: ast.stmt) -> bool:
    """Whether a statement may copy a tensor to the host as a whole."""
    return any(isinstance(each, ast.Attribute) and each.attr in COPYING for each in within(statement))


COPYING: Final = frozenset({"cpu", "numpy", "to", "tolist"})
"""Methods that copy a tensor to the host as a whole, or may."""


def _is_of_library(value: Value) -> bool:
    return all(isinstance(target, Known) for target in targets(value)) and bool(targets(value))


_PLAIN: Final = frozenset({Kind.TENSOR, Kind.HOST, Kind.CONSTANT, Kind.NONE, Kind.DEVICE, Kind.CONTAINER})
"""What does nothing by itself."""


def _let_go_of_chance(frame: Frame, store: Store, statement: ast.stmt, before: frozenset[Obligation]) -> None:
    """What a callee recorded as chance had it is in no graph if nobody holds work when it has returned.

    A network that is asked for an action, in every so many steps, is one: the number is read, and its work
    is gone.
    """
    varying = set(store.state.owes(Owed.VARYING)) - before
    here = frame.site(statement).section if varying else ""
    varying = {owed for owed in varying if owed.path[-1].section != here}
    if not varying:
        return
    held = (*store.names.values(), *frame.captured.values(), *store.attributes.values())
    if all(value.recorded.may < Weight.LIGHT for value in held):
        store.state.obligations -= varying


def _let_go_of_names(state: State, statement: ast.stmt) -> None:
    """Names that alone hold work have been bound anew, or a statement may have made others hold it, too."""
    held = [owed for owed in state.obligations if owed.held_by]
    if not held:
        return
    parts = _own_parts(statement)
    asked = frozenset[str]().union(*map(named, parts))
    bound = named(statement, ast.Store) | named(statement, ast.Del) if parts == [statement] else frozenset()
    if isinstance(statement, ast.AugAssign):
        asked |= bound
    for owed in held:
        if not owed.held_by.isdisjoint(asked):
            exchange(state, owed, owed._replace(held_by=frozenset()))
        elif owed.held_by <= bound:
            state.obligations -= {owed}
        elif not owed.held_by.isdisjoint(bound):
            exchange(state, owed, owed._replace(held_by=owed.held_by - bound))


def _own_parts(statement: ast.stmt) -> list[ast.AST]:
    """What a statement evaluates itself: its blocks have looked at their own statements."""
    if not _is_block(statement) or isinstance(statement, ast.ClassDef):
        return [statement]
    return [part for part in ast.iter_child_nodes(statement) if not isinstance(part, ast.stmt)]


def _is_block(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.Match) or hasattr(statement, "body")


def may_hold_work(machine: Machine, frame: Frame, store: Store) -> bool:
    """Whether a name, object, parameter or gradient may hold heavy work, or a caller does."""
    engine = store.state.engine
    heavy = Weight.HEAVY
    if engine.parameters.may is heavy or engine.gradients.may is heavy:
        return True
    return _is_named(machine, frame, store, surely=False)


def _is_held_by_parameters(store: Store) -> bool:
    """Whether parameters or gradients surely hold heavy work."""
    return Weight.HEAVY in (store.state.engine.parameters.must, store.state.engine.gradients.must)


def _is_named(machine: Machine, frame: Frame, store: Store, *, surely: bool) -> bool:
    """Whether a name or an object may hold heavy work, or surely does, or a caller does."""
    if frame.found.must is Weight.HEAVY:
        return True
    named = [*store.names.values(), *frame.captured.values()]
    if any(_weighs(value, surely=surely) for value in named):
        return True
    holders = {cls for (cls, _), value in store.attributes.items() if is_heavy(value, surely=surely)}
    if not holders:
        return False
    named += globals_used(machine, frame)
    return not holders.isdisjoint(classes_held(machine, named, store))


def globals_used(machine: Machine, frame: Frame) -> Iterator[Value]:
    """What the names stand for that a function takes from around it."""
    used = frame.function.outer_names() if frame.function is not None else frozenset()
    moment = moment_of(frame)
    for name in sorted(used):
        yield machine.names.global_name(name, frame.outline, frame.function, moment)


def _weighs(value: Value, *, surely: bool) -> bool:
    """Whether a value holds heavy work, or a function does that it is."""
    return is_heavy(value, surely=surely) or any(
        is_heavy(held, surely=surely)
        for target in targets(value)
        if isinstance(target, Bound)
        for _, held in target.captured
    )


def is_heavy(value: Value, *, surely: bool) -> bool:
    """Whether a value holds recorded work that is heavy, on some way here or on all."""
    return (value.recorded.must if surely else value.recorded.may) is Weight.HEAVY


def classes_held(machine: Machine, named: list[Value], store: Store) -> Iterator[Class]:
    """The classes of which an object is held: by a name that is known, or by such an object.

    What a called function made and did not return is not among them, and neither is what an expression lets
    go. An object of a global name that only a called function uses is not seen.
    """
    seen: set[Class] = set()
    waiting = [cls for value in named for cls in _classes_within(value)]
    while waiting:
        cls = waiting.pop()
        if cls in seen:
            continue
        seen.add(cls)
        yield cls
        own = [each for (owner, _), each in store.attributes.items() if owner is cls]
        for each in (*own, *machine.classes.attributes(cls).values()):
            waiting += _classes_within(each)


def _classes_within(value: Value) -> Iterator[Class]:
    """The classes of the project of which a value is an object, or holds one."""
    yield from (cls for cls in classes_of(value) if not isinstance(cls, str))
    match value.payload:
        case Container(element=element, items=items):
            for each in (element, *(items or ())):
                yield from _classes_within(each)
        case Iterated(element=element, over=over):
            yield from _classes_within(element)
            yield from _classes_within(over)
        case Classes(of=classes):
            yield from (cls for cls in classes if not isinstance(cls, str))
    for target in targets(value):
        if isinstance(target, Bound):
            for held in (target.receiver, *(value for _, value in target.captured)):
                if held is not None:
                    yield from _classes_within(held)
