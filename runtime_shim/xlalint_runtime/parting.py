"""Where replicas part: what each has done since all were last at a cut, compared with the others.

What is launched is compared by its graph, a collective by its name, never by their places: replicas may
reach the same by different ways.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

from xlalint_runtime.sites import Chain


class Progress(NamedTuple):
    """How far a replica has come in what all of them do: backward passes, batches, and where it is."""

    backwards: int
    batches: int
    chain: Chain

    def is_before(self, other: Progress) -> bool:
        """Whether the other replica has surely gone past this place."""
        return self.in_earlier_round(other) or (self[:2] == other[:2] and self._line_above(other))

    def in_earlier_round(self, other: Progress) -> bool:
        """Whether the other replica has begun another batch, or another step, since."""
        return self[:2] < other[:2]

    def _line_above(self, other: Progress) -> bool:
        """Whether it stands further up in the innermost function that both are in."""
        lines = (0, 0)
        for mine, theirs in zip(self.chain, other.chain, strict=False):
            if mine.code is not theirs.code:
                break
            lines = (mine.site.line, theirs.site.line)
        return lines[0] < lines[1]


@dataclass(eq=False)
class Deed:
    """Something that one replica does and the others must do too.

    Args:
        what: By this it is known again: the text of a graph, or the name of a collective.
        meets: Whether it waits for the others, also for those that have ended.
        holds: Whether what it launches holds a collective: the replica comes no further until they do it too.
        progress: How far the replica had come.
        shared: Called when the others have done it too, or when it is not this that they part by.
        alone: Called instead when others went on without it.
        apart: Called instead, with a replica and where that is, when it waits in something else that holds a
            collective.
    """

    what: str
    meets: bool
    holds: bool
    progress: Progress
    shared: Callable[[], None]
    alone: Callable[[], None]
    apart: Callable[[int, Chain], None]
    decided: bool = False


@dataclass(eq=False)
class Arrival:
    """A replica waits at a cut, or has come to its end: what it has not done, it does not do any more.

    Args:
        progress: How far it had come; None at its end.
        pending: Whether it has work to launch.
        alone: Called when others went on without this cut, with the first thing they did.
    """

    progress: Progress | None
    pending: bool
    alone: Callable[[Deed], None]
    decided: bool = False


class Parting:
    """What each replica did since all were last at a cut. May be used from several threads."""

    def __init__(self, size: int) -> None:
        self._deeds: dict[int, list[Deed]] = {replica: [] for replica in range(size)}
        self._arrivals: dict[int, Arrival] = {}
        self._lock = threading.Lock()
        self.lone_cuts: dict[int, Chain] = {}
        """Where replicas have launched by themselves since all were last at a cut."""

    def did(self, replica: int, deed: Deed) -> None:
        """A replica is about to do something by itself."""
        with self._lock:
            self._deeds[replica].append(deed)
            verdicts = self._verdicts()
        _call_all(verdicts)

    def arrived(self, replica: int, arrival: Arrival) -> None:
        """A replica has come to a cut with work to launch, or to its end."""
        with self._lock:
            self._arrivals[replica] = arrival
            verdicts = self._verdicts()
        _call_all(verdicts)

    def met(self) -> None:
        """All replicas that have not ended are at a cut: they begin anew."""
        with self._lock:
            verdicts = [deed.shared for deeds in self._deeds.values() for deed in deeds if not deed.decided]
            for deeds in self._deeds.values():
                deeds.clear()
            self._arrivals = {r: arrival for r, arrival in self._arrivals.items() if not arrival.progress}
            self.lone_cuts.clear()
        _call_all(verdicts)

    def go_on_alone(self) -> set[int]:
        """The replicas whose cut the others went on without: these launch, and come to the next one."""
        with self._lock:
            gone = {
                replica: arrival.progress.chain
                for replica, arrival in self._arrivals.items()
                if arrival.decided and arrival.progress is not None
            }
            for replica in gone:
                del self._arrivals[replica]
            self.lone_cuts |= gone
            return set(gone)

    def arrived_at(self) -> dict[int, Chain | None]:
        """Where replicas wait at a cut; None: they have ended."""
        return {
            replica: None if arrival.progress is None else arrival.progress.chain
            for replica, arrival in self._arrivals.items()
        }

    @property
    def is_over(self) -> bool:
        """Whether all replicas have come to their end."""
        return len(self._arrivals) == len(self._deeds)

    def _verdicts(self) -> list[Callable[[], None]]:
        found = []
        for replica, deeds in self._deeds.items():
            for deed in deeds:
                verdict = None if deed.decided else self._verdict(replica, deed)
                if verdict is not None:
                    deed.decided = True
                    found.append(verdict)
        return found

    def _verdict(self, replica: int, deed: Deed) -> Callable[[], None] | None:
        """What to call now that it is known whether `deed` is done by others too; None: it is not known."""
        without = [other for other in self._deeds if other != replica and self._lacks(other, replica, deed)]
        if not without:
            return deed.shared
        for other in without if deed.holds else ():
            for one in self._deeds[other]:
                if one.holds and not one.decided and self._lacks(replica, other, one):
                    return partial(deed.apart, other, one.progress.chain)
        for other in without:
            arrival = self._arrivals.get(other)
            if arrival is None or not (arrival.pending or deed.meets or deed.holds):
                continue  # It may still come to it, or need not.
            theirs = [one for one in self._deeds[other] if self._lacks(replica, other, one)]
            if theirs and replica not in self._arrivals and not deed.holds:
                continue  # This replica may still come to what only the other did.
            if theirs:
                # Each did something without the other. The one that is behind would come to the rest as well.
                first = all(deed.progress.is_before(one.progress) for one in theirs)
                return deed.alone if first else deed.shared
            if arrival.progress is not None and arrival.progress.in_earlier_round(deed.progress):
                return self._lone_cut(arrival, deed)
            return deed.alone
        return None

    def _lacks(self, other: int, replica: int, deed: Deed) -> bool:
        """Whether `other` has not done what `replica` did, as often."""
        own = self._deeds[replica]
        times = sum(one.what == deed.what for one in own[: own.index(deed) + 1])
        return sum(one.what == deed.what for one in self._deeds[other]) < times

    def _lone_cut(self, arrival: Arrival, deed: Deed) -> Callable[[], None]:
        def decide() -> None:
            if not arrival.decided:
                arrival.decided = True
                arrival.alone(deed)
            deed.shared()

        return decide


def _call_all(actions: list[Callable[[], None]]) -> None:
    for action in actions:
        action()
