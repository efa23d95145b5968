"""What evaluating does to the engine: device work is recorded, values are read on the host."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol

from xlalint.analysis.frame import Frame
from xlalint.analysis.payloads import (
    Container,
)
from xlalint.analysis.store import Store
from xlalint.lazy import assumptions
from xlalint.lazy.assumptions import assume, either
from xlalint.lazy.events import Reading
from xlalint.lazy.site import Site
from xlalint.lazy.values import (
    NOTHING,
    Kind,
    Recorded,
    Value,
    Weight,
)


class Spelled(Protocol):
    """Something that knows how the program wrote it, when that is asked for."""

    @property
    def spelling(self) -> str:
        """What the program wrote, shortened."""


def record(inputs: Iterable[Value], base: Weight, node_site: Site, frame: Frame, store: Store) -> Value:
    """Device work on `inputs`, at least of weight `base`; returns its result."""
    must = may = base
    assumes = assumptions.NONE
    differs = reduced = False
    for value in inputs:
        if value.kind is Kind.TENSOR:
            # It is on the device if any of them is.
            assumes = either(assumes, value.assumes)
            must = max(must, value.recorded.must)
            may = max(may, value.recorded.may)
        differs = differs or value.differs
        reduced = reduced or value.reduced
    state = store.state
    result = frame.model.record(state, must, node_site)
    if may > must and result != NOTHING:
        frame.model.record_perhaps(state, may)
        result = Recorded(result.must, may)
    return Value(Kind.TENSOR, assumes, result, differs, reduced)


def read(value: Value, reading: Reading, by: str | Spelled, site: Site, frame: Frame, store: Store) -> Value:
    """A value is read on the host, by a call or as `by` says; returns the number that comes of it."""
    if value.kind is Kind.TENSOR:
        if value.sure or reading is Reading.EXPLICIT:
            frame.model.read(
                store.state, value, reading, _shown(by), site, closure_argument=frame.closure_argument
            )
    elif value.kind is Kind.UNKNOWN and reading is Reading.EXPLICIT and store.state.scopes.step is not None:
        shown = _shown(by)
        guessed = value._replace(
            assumes=assume(f"`{shown}` reads a tensor of the device"), recorded=store.state.engine.recorded
        )
        frame.model.read(store.state, guessed, reading, shown, site, closure_argument=frame.closure_argument)
    elif isinstance(held := value.payload, Container) and reading is Reading.TEXT:
        for item in held.items if held.items is not None else (held.element,):
            read(item, reading, _shown(by), site, frame, store)
    return Value(Kind.HOST, differs=value.differs, reduced=value.reduced)


def _shown(by: str | Spelled) -> str:
    return by if isinstance(by, str) else by.spelling
