"""What all transitions of the model are made of: events are told, and what is owed is noted and settled."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from xlalint.lazy import assumptions
from xlalint.lazy.assumptions import Assumptions, both
from xlalint.lazy.events import Event
from xlalint.lazy.obligations import Fact, Obligation, Owed
from xlalint.lazy.scopes import Split
from xlalint.lazy.site import Site
from xlalint.lazy.state import State
from xlalint.lazy.values import Value

Emit = Callable[[Event, State], None]


class Transitions:
    """What the others are made of. Events go to `emit` with the state they happened in."""

    __slots__ = ("_emit",)

    def __init__(self, emit: Emit) -> None:
        self._emit = emit

    def assumed(self, state: State, value: Value | None = None) -> Assumptions:
        """What a diagnostic here would take for granted."""
        assumes = state.trust.bounded
        if value is not None:
            assumes = both(assumes, value.assumes)
        return both(assumes, assumptions.LAZY) if state.engine.eager is None else assumes

    def assumed_uncut(self, state: State, value: Value | None = None) -> Assumptions:
        """The same of a diagnostic about work that pends: that no unknown callee has cut the graph, too."""
        opaque = state.trust.opaque
        if opaque == assumptions.STEPS_ELSEWHERE and not any(site.is_entry for site in state.engine.since):
            opaque = assumptions.NONE  # nothing pends that was there before the call
        return both(opaque, self.assumed(state, value))

    def _owe(
        self, state: State, owed: Owed, site: Site, assumes: Assumptions, detail: str = "", *,
        split: Split | None = None, since: tuple[Site, ...] = (), when: frozenset[Fact] = frozenset(),
    ) -> None:  # fmt: skip
        opened = Obligation(owed, (site,), assumes, state.hot, detail, split, since, when=when)
        state.obligations |= {opened}

    def _settle(self, state: State, obligation: Obligation, event: Event) -> None:
        self._emit(event, state)
        state.obligations -= {obligation}


def note(state: State, **what: Any) -> None:
    """Remember that something happened in the innermost loop."""
    loop = state.loop
    state.loop = loop._replace(own=loop.own._replace(**what))


def show_autograd(state: State) -> None:
    """Gradients were computed: autograd is on."""
    for read in state.owes(Owed.READ):
        if read.if_autograd:
            exchange(state, read, read._replace(if_autograd=False))


def exchange(state: State, obligation: Obligation, other: Obligation) -> None:
    state.obligations = (state.obligations - {obligation}) | {other}
