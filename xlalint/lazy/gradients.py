"""How far the gradients of the present step have come, for each optimizer."""

from __future__ import annotations

from enum import Enum
from typing import Final, NamedTuple

from xlalint.lazy.site import Site
from xlalint.lazy.values import BY_IDENTITY


class Gradient(Enum):
    """How far the gradients of the current step have come."""

    NONE = "none"
    LOCAL = "local"
    REDUCED = "reduced"
    USED = "used"

    __hash__ = BY_IDENTITY


_AT_REST: Final = frozenset({Gradient.NONE, Gradient.USED})
_LOCAL: Final = frozenset({Gradient.LOCAL})
_REDUCED: Final = frozenset({Gradient.REDUCED})


def _site_of(row: tuple[Site, frozenset[Gradient]]) -> Site:
    return row[0]


class Gradients(NamedTuple):
    """How far the gradients have come: those of the optimizers in `named`, and those of all others.

    An optimizer is known by where it was built. `met` tells that the replicas have met since backward, in a
    collective of which nobody knows whether it summed them; `accumulated` that they may be of several batches
    of a loader, which cuts the graph between these.
    """

    others: frozenset[Gradient] = frozenset({Gradient.NONE})
    named: tuple[tuple[Site, frozenset[Gradient]], ...] = ()
    met: bool = False
    accumulated: bool = False

    def of(self, optimizer: Site | None) -> frozenset[Gradient]:
        """The gradients of one optimizer; None: of whichever has been used since backward."""
        for site, gradients in self.named:
            if site == optimizer:
                return gradients
        if optimizer is None and self.named:
            return frozenset().union(*(gradients for _, gradients in self.named))
        return self.others

    def change(self, optimizer: Site | None, now: Gradient) -> Gradients:
        """The same after one optimizer's gradients became `now`; None: those of all.

        Gradients that were used or dropped wait for nothing: only while another optimizer's do is it
        told apart whose they are, or if those of one alone were summed and used.
        """
        if optimizer is None:
            return Gradients(frozenset({now}), accumulated=self.accumulated and now not in _AT_REST)
        waiting = [(site, held) for site, held in self.named if site != optimizer and not held <= _AT_REST]
        alone = now is Gradient.USED and self.others == _LOCAL and self.of(optimizer) == _REDUCED
        if now in _AT_REST and not waiting and not alone:
            return Gradients(frozenset({now}))
        named = tuple(sorted((*waiting, (optimizer, frozenset({now}))), key=_site_of))
        return Gradients(self.others, named, self.met, self.accumulated)

    def join(self, other: Gradients) -> Gradients:
        """What holds when either of the two does."""
        if self == other:
            return self
        sites = sorted({site for site, _ in (*self.named, *other.named)})
        return Gradients(
            self.others | other.others,
            tuple((site, self.of(site) | other.of(site)) for site in sites),
            self.met or other.met,
            self.accumulated or other.accumulated,
        )
