"""What a callee may do that nobody knows."""

from __future__ import annotations

import ast
from typing import Final

from xlalint.analysis.call import Call
from xlalint.analysis.library.padding import of_texts
from xlalint.analysis.machine import Machine
from xlalint.analysis.payloads import (
    Bound,
    Container,
    Iterated,
    Uneven,
    container_of,
    literal,
    targets,
    unknown_from,
)
from xlalint.knowledge import functions
from xlalint.knowledge.methods import BOOKKEEPING, SCHEDULER, SCHEDULES
from xlalint.lazy.assumptions import PART, RETURNS, assume, least
from xlalint.lazy.cuts import Cause
from xlalint.lazy.events import Reading
from xlalint.lazy.gradients import Gradient
from xlalint.lazy.values import (
    HOST,
    NOTHING,
    Form,
    Kind,
    Recorded,
    Value,
    Weight,
    kinds_that,
)
from xlalint.program.outline import dotted, last_name

_ENDING_AS_MARKERS: Final = tuple(f"_{name}" for name in functions.MARKERS)
_STEPS: Final = functions.names_of("xla optimizer step")
_CARRIERS: Final = kinds_that("carries_state")


def call_unknown(machine: Machine, call: Call, weighs: Weight = Weight.HEAVY) -> Value:
    """An unknown callee keeps the state; given device values it perhaps records heavy work.

    What it returns is then taken for a tensor that `weighs` at least so much.
    """
    machine.statistics["unknown calls"] += 1
    if _makes_text(call):
        return _text(call)
    given = call.values
    if any(map(holds_tensor, given)):
        call.frame.model.wait(call.store.state)  # it may read what it gets
    _let_escape(machine, call)
    if any(word in last_name(call.function) for word in functions.SEEDS):
        call.frame.model.may_seed_host(call.store.state)
        call.frame.model.seed_device(call.store.state, call.site)
    may_cut = any(
        v.kind in _CARRIERS or (isinstance(v.payload, Container) and v.payload.element.kind in _CARRIERS)
        for v in given
    )
    name = last_name(call.function)
    is_marker = _is_named_as_marker(name)
    if is_marker:
        call.frame.model.cut(call.store.state, Cause.MARKER, call.spelling, call.site, sure=False)
        call.store.maybe_run_all()
    if may_cut or is_marker or name in _STEPS:
        trust, waits = call.store.state.trust, Gradient.LOCAL in call.store.state.gradients.of(None)
        summing = assume(f"`{call.spelling}` sums no gradients") if waits else trust.summing
        call.store.state.trust = trust._replace(
            opaque=trust.opaque or assume(f"`{call.spelling}` does not cut the graph"),
            summing=trust.summing or summing,
        )
    if any(value.kind is Kind.OPTIMIZER for value in given):
        call.frame.model.prime_optimizers(call.store.state)
    tensors = [value for value in given if holds_tensor(value)]
    if tensors:
        if len(tensors) == 1 and not may_cut and not _is_part_of_module(machine, call):
            # Unless it is a module it works on its argument, which weighs more.
            weighs = weight_of(tensors[0])
        # Of several that it gets, the surest says that this is done on the device: of a batch, each part.
        assumes = least(value.assumes - PART for value in tensors)
        call.frame.model.record_perhaps(call.store.state, Weight.HEAVY, call.site, assumes=assumes)
        recorded = Recorded(weighs, Weight.HEAVY) if call.frame.model.records(call.store.state) else NOTHING
        differs = any(value.differs for value in tensors)
        return Value(Kind.TENSOR, assume(f"`{call.spelling}` {RETURNS}"), recorded, differs=differs)
    shown = (lambda: call.spelling) if _keeps_books(call) else None
    call.frame.model.work_unseen(call.store.state, shown)
    if literal(call.keywords.get(functions.ENCODES)) == functions.AS_TENSORS:
        padded = of_texts(call) if call.store.state.scopes.in_loop else None
        payload = None if padded is None else Uneven(Form.PADDING, padded)
        tensor = Value(Kind.HOST, differs=any(value.differs for value in given), payload=payload)
        return tensor if name in functions.ENCODES_ONE else container_of(tensor, keyed=True)
    return unknown_from(*given)


def _makes_text(call: Call) -> bool:
    """Whether a tokenizer turns tokens into text, as far as its method and its arguments tell."""
    name = last_name(call.function)
    return name in functions.DECODES_ALL or (
        name == functions.DECODES and functions.SKIPPING in call.keywords
    )


def _text(call: Call) -> Value:
    """Tokens are read: a tensor of them, or one row of it."""
    tokens = call.argument(0, "token_ids") or call.keywords.get("sequences")
    if tokens is None or tokens.kind is not Kind.TENSOR:
        return HOST
    one = last_name(call.function) == functions.DECODES
    return call.read_row(tokens) if one else call.read(tokens, Reading.EXPLICIT)


def weight_of(value: Value) -> Weight:
    """The work that is surely recorded on a tensor, or on what a value holds."""
    held = value.payload.element if isinstance(value.payload, Container | Iterated) else value
    return held.recorded.must


def _is_part_of_module(machine: Machine, call: Call) -> bool:
    """Whether what is called is held by a module: it may be one itself."""
    function = call.function
    # What is more than a chain of names would be done once more by looking at it again.
    if not isinstance(function, ast.Attribute) or not dotted(function):
        return False
    return machine.evaluate(function.value, call.frame, call.store).kind is Kind.MODULE


def _is_named_as_marker(name: str) -> bool:
    """Whether what has this name may well cut the graph, wherever it comes from: `sync`, `maybe_sync`."""
    names = functions.MARKERS
    return name in names or (
        name.endswith(tuple(f"_{each}" for each in names)) and name not in functions.NO_MARKERS
    )


def _keeps_books(call: Call) -> bool:
    """Whether it may be taken for a method that keeps or reports numbers: nobody uses what it returns."""
    if not isinstance(call.function, ast.Attribute) or call.node is not call.frame.discarded:
        return False
    name = call.function.attr
    return name in BOOKKEEPING or (name == SCHEDULES and SCHEDULER in dotted(call.function.value).lower())


def _let_escape(machine: Machine, call: Call) -> None:
    for value in call.values:
        for target in targets(value):
            if isinstance(target, Bound):
                machine.escape(target, call)


def holds_tensor(value: Value) -> bool:
    """Whether a value is a device tensor, or holds or yields them."""
    if value.kind is Kind.TENSOR:
        return True
    return isinstance(value.payload, Container | Iterated) and value.payload.element.kind is Kind.TENSOR
