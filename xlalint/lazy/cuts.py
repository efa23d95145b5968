"""Cuts of the graph: what made them, and whether a marker among them was needed."""

from __future__ import annotations

from enum import Enum
from typing import Final, NamedTuple

from xlalint.lazy import assumptions
from xlalint.lazy.assumptions import Assumptions
from xlalint.lazy.site import ENTRY, Site
from xlalint.lazy.values import BY_IDENTITY


class Cause(Enum):
    """What cut the graph."""

    MARKER = "marker"
    BARRIER = "optimizer_step(barrier=True)"
    SCOPE_ENTRY = "step scope entry"
    SCOPE_EXIT = "step scope exit"
    LOADER = "loader"
    STEP_TRACE = "StepTrace exit"
    RENDEZVOUS = "rendezvous"
    FRAMEWORK = "step marker of a framework"
    READ = "another read"

    __hash__ = BY_IDENTITY

    @property
    def explicit(self) -> bool:
        """Whether the programmer wrote this cut as such."""
        return self in (Cause.MARKER, Cause.BARRIER)

    @property
    def in_words(self) -> str:
        """What it is, in the words of a sentence about what came before it."""
        return _IN_WORDS[self]


_IN_WORDS: Final = {
    Cause.MARKER: "the next `torch_xla.sync()`",
    Cause.BARRIER: "the barrier of `xm.optimizer_step`",
    Cause.SCOPE_ENTRY: "the entry of the next step",
    Cause.SCOPE_EXIT: "the end of the step",
    Cause.LOADER: "the loader's next batch",
    Cause.STEP_TRACE: "the end of the `StepTrace`",
    Cause.RENDEZVOUS: "the rendezvous that follows",
    Cause.FRAMEWORK: "the step marker of the framework",
    Cause.READ: "the read that follows",
}


class LastCut(NamedTuple):
    """A cut since which nothing was recorded, as far as is assumed.

    Without a cause it stands for "whatever was last, before the present function was entered".
    """

    site: Site
    cause: Cause | None = None
    assumes: Assumptions = assumptions.NONE


class Marker(NamedTuple):
    """What is known of one of the present function's markers, on one way through it.

    Args:
        assumes: What must be so for nothing to have been recorded between it and other cuts.
        cuts: The cuts that make it redundant, those before it or the one that came next. Without any, and
            while it is not needed, nothing was recorded since and what comes next will tell.
        cause: What made the first of them.
        comes_next: Whether they came next.
        needed: It had work to run that no other cut ran before that was needed.
    """

    site: Site
    assumes: Assumptions = assumptions.NONE
    cuts: tuple[Site, ...] = ()
    cause: Cause | None = None
    comes_next: bool = False
    needed: bool = False

    @property
    def is_open(self) -> bool:
        """Whether what comes next tells if it was needed."""
        return not (self.cuts or self.needed)


AT_ENTRY: Final = (LastCut(ENTRY),)


OF_CALLERS: Final = Marker(ENTRY, needed=True)
"""Something in the present function needs the markers that stand before it in whoever calls."""


def needed(markers: frozenset[Marker]) -> frozenset[Marker]:
    """The markers after something has happened that needs those before it."""
    if not markers or not any(marker.is_open for marker in markers):
        return markers
    return frozenset(Marker(marker.site, needed=True) if marker.is_open else marker for marker in markers)
