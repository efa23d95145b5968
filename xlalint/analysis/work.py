"""What evaluating does to the engine: device work is recorded, values are read on the host."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from typing import Final, Protocol

from xlalint.analysis.frame import Frame
from xlalint.analysis.payloads import Container, comes_again_in_each_epoch, counts
from xlalint.analysis.store import Store
from xlalint.knowledge.operations import SHAPE_KEPT
from xlalint.lazy import assumptions
from xlalint.lazy.assumptions import assume
from xlalint.lazy.events import Reading
from xlalint.lazy.site import Site
from xlalint.lazy.state import State, places
from xlalint.lazy.values import (
    NOTHING,
    UNKNOWN,
    Form,
    Kind,
    Recorded,
    Tensor,
    Value,
    Weight,
    worked_on,
)
from xlalint.program.outline import dotted, within
from xlalint.spelling import COMPUTED_INTO, THE_FRAMEWORK, change_on_cpu, spelling

NUMBERS: Final = frozenset({Kind.HOST, Kind.CONSTANT})
"""What Python's numbers and tensors of the host are."""


class Spelled(Protocol):
    """Something that knows how the program wrote it, when that is asked for."""

    @property
    def spelling(self) -> str:
        """What the program wrote, shortened."""


def record(inputs: Iterable[Value], base: Weight, node_site: Site, frame: Frame, store: Store) -> Value:
    """Device work on `inputs`, at least of weight `base`; returns its result."""
    must = may = base
    surely: Weight | None = None
    differs, reduced, history = False, False, False
    perhaps_reduced, without = False, True
    tensors = []
    varies: Form | None = None
    for value in map(settled, inputs):
        # What was computed without autograd has no history, nor has what is made of nothing else.
        without = without and (value.history is None if value.kind is Kind.TENSOR else value.kind in NUMBERS)
        if value.kind is Kind.TENSOR:
            varies = varies or value.varies
            tensors.append(value)
            must = max(must, value.recorded.must)
            may = max(may, value.recorded.may)
            if not value.assumes:
                surely = max(surely or base, value.recorded.must)
        differs, history = differs or value.differs, history or bool(value.history)
        reduced = reduced or value.reduced is True
        perhaps_reduced = perhaps_reduced or value.reduced is None
    model, state = frame.model, store.state
    known = surely if tensors else base
    if base is Weight.HEAVY and state.loop.finds_callers:
        state.loop = state.loop._replace(finds_callers=False)
    if known is not None:
        model.record(state, known, node_site)
    # One tensor on the device is enough for the result to be one, and to weigh what it weighs.
    enough = [value.assumes for value in tensors if must is base or value.recorded.must is must]
    assumes = assumptions.least(enough)
    if known is not may:
        model.record_perhaps(state, may, node_site, assumes=assumes if known is None else None)
    recorded = Recorded(must, may) if model.records(state) else NOTHING
    reduced_perhaps = reduced or (None if perhaps_reduced else False)
    off = state.scopes.no_grad
    keeps = None if off or (tensors and without) else history and off is False
    held = Tensor(varies=varies) if varies is not None else None
    return Value(Kind.TENSOR, assumes, recorded, differs, reduced_perhaps, held, history=keeps)


def settled(value: Value) -> Value:
    """The value without what was run to copy it to the host: it is there, for whatever is computed of it."""
    return value.run() if isinstance(value.payload, Tensor) and value.payload.fetched else value


def note_copy(named: ast.expr | None, copied: Value, store: Store) -> None:
    """What was copied to the host is there for whoever reads it by the same name: nothing runs for that.

    Nor does a later cut run it again, unless backward needs what made it. The number that `.item()` or an
    f-string fetches is no copy: the tensor waits as before.
    """
    while isinstance(named, ast.Call) and isinstance(named.func, ast.Attribute):
        if named.func.attr != "detach":
            return
        named = named.func.value
    if isinstance(named, ast.Name) and copied.is_device and store.names.get(named.id) == copied:
        _note_copied(named.id, copied, store)


def _note_copied(name: str, copied: Value, store: Store) -> None:
    off = copied.history is None or store.state.scopes.no_grad is True
    needed = copied.history or not off
    there = copied if needed else copied.run()
    held = there.payload if isinstance(there.payload, Tensor) else Tensor()
    store.names[name] = there._replace(payload=held._replace(fetched=True))


def read(
    value: Value, reading: Reading, by: str | Spelled, site: Site, frame: Frame, store: Store, *,
    one_of_many: bool = False,
) -> Value:  # fmt: skip
    """A value is read on the host, by a call or as `by` says; returns what comes of it.

    Args:
        one_of_many: Whether in a comprehension others are read as it is, of which XLA104 tells.
    """
    if value.kind is Kind.TENSOR:
        value = settled(value)
        if store.state.replicas.splits and _in_first_round(store):
            value = value._replace(reduced=False)  # no step has been summed by then
        if reading is Reading.EXPLICIT or value.known:
            frame.model.read(
                store.state, value, reading, _shown(by, frame), site,
                closure_argument=frame.closure_argument, one_by_one=one_of_many and frame.in_elements,
            )  # fmt: skip
            if value.recorded.may is Weight.HEAVY:
                store.keep_grown()
    elif value.kind is Kind.UNKNOWN and reading is Reading.EXPLICIT and store.state.scopes.step is not None:
        shown = _shown(by, frame)
        guessed = value._replace(
            assumes=assume(f"`{shown}` reads a tensor of the device"), recorded=store.state.engine.recorded
        )
        frame.model.read(store.state, guessed, reading, shown, site, closure_argument=frame.closure_argument)
    elif isinstance(held := value.payload, Container) and reading is Reading.TEXT:
        for item in held.items if held.items is not None else (held.element,):
            read(item, reading, _shown(by, frame), site, frame, store)
    return Value(Kind.HOST, differs=value.surely_differs)


def _in_first_round(store: Store) -> bool:
    """Whether a counter is tested here that only the first round of a loop passes: no number of a replica."""
    return store.state.scopes.in_loop and any(
        fact.is_of_first_round and store.names.get(fact.subject, UNKNOWN).kind is not Kind.ORDINAL
        for fact in store.state.facts
    )


def read_into_host(
    node: ast.expr | ast.stmt, value: Value, frame: Frame, store: Store, *, of_numpy: bool = False
) -> None:
    """A tensor on the CPU, or an array, takes up what the device computes, which waits for that.

    Args:
        node: What changes it; see `change_on_cpu`.
    """
    taken, site = worked_on(value), frame.site(node)
    shown = change_on_cpu(node, "array") if of_numpy else change_on_cpu(node)
    is_computed = COMPUTED_INTO in shown
    if is_computed:
        # It is computed on the device, and then copied.
        taken = record((taken,), Weight.LIGHT, site, frame, store)
    read(taken, Reading.INTO_HOST, shown, site, frame, store)
    for name in [name for name, held in store.names.items() if held is value and not is_computed]:
        _note_copied(name, value, store)


def watch_numbers(
    name: str,
    where: Value,
    numbers: Iterable[Value],
    by: str | Spelled,
    site: Site,
    frame: Frame,
    store: Store,
    parts: Iterable[ast.expr],
) -> Form | None:
    """The graph has these numbers as a part of it: one that is another in each step makes it another graph.

    Of a tensor that has another shape in each step already, that is what was to be told. Returns by what the
    shape of the result varies.

    Args:
        parts: The expressions among which they are.
    """
    numbers = tuple(numbers)
    if where.varies is not None or not any(map(counts, numbers)):
        return where.varies
    shown = by if isinstance(by, str) else by.spelling
    again = all(map(comes_again_in_each_epoch, numbers))
    number = name_that_counts(parts, frame, store)
    frame.model.vary_shape(store.state, where, Form.NUMBER, shown, site, comes_again=again, number=number)
    return None if name in SHAPE_KEPT else Form.NUMBER


def name_that_counts(parts: Iterable[ast.expr], frame: Frame, store: Store) -> str:
    """The name in some expressions of the number that is another one in each step; empty: it is not known."""
    if frame.outline.is_framework:
        return ""
    inside = [each for part in parts for each in within(part)]
    names = {each.id for each in inside if isinstance(each, ast.Name) and _counts(store.names.get(each.id))}
    if not names:
        called = [each.func for each in inside if isinstance(each, ast.Call)]
        owners = [each.value for each in inside if isinstance(each, ast.Attribute)]
        chains = [each for each in inside if isinstance(each, ast.Attribute)]
        names = {dotted(each) for each in chains if each not in called and each not in owners}
    return names.pop() if len(names) == 1 else ""


def _counts(value: Value | None) -> bool:
    return value is not None and counts(value)


def _shown(by: str | Spelled, frame: Frame) -> str:
    if frame.outline.is_framework:
        return THE_FRAMEWORK
    return by if isinstance(by, str) else by.spelling


def set_apart(store: Store) -> tuple[Site, ...]:
    """Set apart where work was recorded so far, so that it shows whether more comes to be; see `vary`."""
    since = store.state.engine.since
    store.state.engine = store.state.engine._replace(since=())
    return since


def vary(
    states: list[State], since: tuple[Site, ...], test: ast.expr, site: Site, frame: Frame, *,
    within: tuple[Site, ...] = (),
) -> None:  # fmt: skip
    """Chance has decided which of several ways was taken, and with it what is recorded, if anything.

    Args:
        states: How the ways end.
        since: Where work had been recorded before.
        within: With which work the function returns from under the test.
    """
    varies = any(state.engine.since for state in states)
    for state in states:
        if varies:
            frame.model.vary_by_chance(state, spelling(test), site, within=within)
        if state.engine.recorded != NOTHING:
            state.engine = state.engine._replace(since=places(since, state.engine.since))
