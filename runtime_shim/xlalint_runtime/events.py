"""The events that the guard emits: a rule that judges no others works on the engine as well."""

from __future__ import annotations

from xlalint.lazy.events import Cut, Event, HostRead, LeftPending, OptimizerStepped, ReadThenCut, Save

EMITTED: frozenset[type[Event]] = frozenset({
    Cut, HostRead, LeftPending, OptimizerStepped, ReadThenCut, Save,
})  # fmt: skip
