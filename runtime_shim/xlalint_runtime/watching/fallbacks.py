"""What the host does, and no method of a tensor shows: operations that torch_xla cannot record, and reads.

The engine counts them by name and tells nobody where. So when the count has moved since the last cut, the
next steps are followed line by line.
"""

from __future__ import annotations

import threading
from collections.abc import Callable

from xlalint.lazy.events import Event, FellBack, HostRead, Reading
from xlalint.lazy.site import Site
from xlalint.lazy.state import State
from xlalint.lazy.values import NOTHING, Kind, Value
from xlalint_runtime import counters, replicas
from xlalint_runtime.hooks import Patches
from xlalint_runtime.lines import Lines
from xlalint_runtime.shield import Faults
from xlalint_runtime.sites import Chain, statement
from xlalint_runtime.stopping import Deliberate
from xlalint_runtime.watch import Transition, Watch

LOOKS = 6
"""So many cuts and optimizer steps long lines are followed, after one at which there was something new."""


def register(watch: Watch, patches: Patches, faults: Faults, *, from_the_start: bool) -> None:
    """Find them from now on.

    Args:
        from_the_start: Whether lines are followed before anything is known to fall back.
    """
    found = Fallbacks(watch, faults, from_the_start=from_the_start)
    watch.at_end_of_step = found.look
    patches.on_undo(found.end)


class Fallbacks:
    """Finds out where they are while a program runs."""

    def __init__(self, watch: Watch, faults: Faults, *, from_the_start: bool) -> None:
        """Args: from_the_start: whether lines are followed before anything is known to fall back."""
        self._watch = watch
        self._faults = faults
        self._places: dict[str, set[Site]] = {}
        """By operation, where it was seen."""
        self._thread = threading.get_ident()
        self._left = 0
        self._lines = Lines(self._passed)
        self._always = from_the_start
        self._known = counters.fallbacks()
        self._launches = counters.counts().launches
        self._has_launched = False
        """Whether the last line has launched anything."""
        if from_the_start:
            self._lines.follow()

    def look(self) -> None:
        """A step ends: see whether lines must be followed, or need be no longer."""
        if threading.get_ident() != self._thread or self._always:
            return
        if self._left:
            self._left -= not replicas.running()
            if not self._left:
                self._lines.end()
        elif (new := counters.fallbacks() - self._known) and not replicas.running():
            self._known += new
            for operation, count in new.items():
                sites = self._places.get(operation, ())
                for site in sites if len(sites) == 1 else ():  # Of several, nobody knows which it was.
                    self._watch.report.again(site, count, _event(operation))
            if not self._places.keys() >= new.keys() and self._lines.follow():
                self._left = LOOKS

    def end(self) -> None:
        """Follow no line any more."""
        self._lines.end()

    def _passed(self, chain_there: Callable[[], Chain]) -> None:
        """A line has been run."""
        try:
            launches = counters.counts().launches
            self._has_launched, self._launches = launches > self._launches, launches
            now = counters.fallbacks()
            new = now - self._known
            if not new:
                return
            self._known = now
            chain = chain_there()
            if chain and not replicas.running():
                for operation, count in new.items():
                    self._tell(operation, count, chain)
        except Deliberate:
            raise
        except Exception as error:
            self._lines.end()
            self._faults.note(error, "operations that fall back to the host")

    def _tell(self, operation: str, count: int, chain: Chain) -> None:
        self._places.setdefault(operation, set()).add(chain[-1].site)
        transition = self._read if operation == counters.READ else self._falling_back(operation)
        for _ in range(count):
            self._watch.tell(chain, transition)

    def _falling_back(self, operation: str) -> Transition:
        return lambda state, site: self._watch.model.fall_back(state, operation, site)

    def _read(self, state: State, site: Site) -> None:
        """An operation has asked for a value: which, nobody knows."""
        recorded = self._watch.replica.recorded if self._has_launched else NOTHING
        value = Value(Kind.TENSOR, recorded=recorded)
        self._watch.model.read(state, value, Reading.SCALAR, statement(site), site)


def _event(operation: str) -> type[Event]:
    return HostRead if operation == counters.READ else FellBack
