"""What a run did as a whole: its steps, its launches by what caused them, and where the time went."""

from __future__ import annotations

import contextlib
import threading
import time
from collections import Counter, defaultdict
from collections.abc import Iterator
from enum import Enum
from typing import NamedTuple

from xlalint.lazy.site import Site
from xlalint.runs import Milliseconds
from xlalint_runtime import counters, replicas
from xlalint_runtime.models import Models

MOST_UNATTRIBUTED = 8
"""Of the places where graphs were launched by nothing known, so many are told."""

MOST_RECOMPILED = 16
"""So many places are told by which graphs differ."""


class Launch(Enum):
    """What causes launches."""

    CUT = "cuts"
    READ = "reads"
    SAVE = "saves"
    SCALER = "gradient scaler"
    DYNAMO = "dynamo"


class Unit(Enum):
    """What may count as a step, the best first."""

    OPTIMIZER = "optimizer steps"
    SCOPE = "step scopes"
    CUT = "cuts"


class Cost(NamedTuple):
    """What one thing that was done has launched, compiled, and how long it took."""

    launches: int
    compiles: int
    seconds: float


class LateGraph(NamedTuple):
    """What was compiled again after the warm-up of a loop.

    Args:
        step: The first step in which it was.
        times: In how many.
        why: By what it differed at first.
        diff: All by which it did, where that was asked for.
    """

    step: int
    times: int
    why: str
    diff: tuple[str, ...]


class _Moment(NamedTuple):
    seconds: float
    launches: int
    compiles: int
    waited: float
    compiling: float
    windows: int


class Summary:
    """Counts while a program runs. May be used from several replicas' threads."""

    def __init__(self, warmup: int, last: int | None = None) -> None:
        """Args:
        warmup: How many steps are left out of what is told of each step, the first one always.
        last: How many steps are counted: of one more the program does not see the end.
        """
        self.warmup = max(1, warmup)
        self._last_step = last
        self.began = time.monotonic()
        self.models = Models()
        self.causes: Counter[Launch] = Counter()
        self.unattributed: Counter[tuple[Site | None, Site]] = Counter()
        self.late_graphs: dict[Site, LateGraph] = {}
        """Where what was compiled again differs."""
        self._lock = threading.Lock()
        self._steps: Counter[tuple[Unit, int]] = Counter()
        self._unit = Unit.OPTIMIZER
        self._stepped: dict[int, set[int]] = defaultdict(set)
        """By replica, the optimizers that have stepped since it cut the graph last."""
        self._at_cut: Counter[int] = Counter()
        """By replica, how many steps it had made when it cut the graph last."""
        self._begins_more: set[int] = set()
        """Replicas that have begun a step after the last one."""
        self._marks: dict[Unit, _Moment] = {}
        self._latest: dict[Unit, _Moment] = {}
        self._at_start = counters.counts()
        self._fallbacks_at_start = counters.fallbacks()
        self._dynamo_at_start = counters.dynamo_launches()
        self._windows: Counter[int] = Counter()
        """By replica, how often there was a backward between two cuts."""
        self._backwards: Counter[int] = Counter()
        self._elsewhere = 0
        """Launches between cuts with neither a backward nor an optimizer's step, such as an evaluation's."""
        self._elsewhere_last = 0
        """Those of the last such interval."""
        self._is_heavy_elsewhere = False
        """Whether that ran a model."""
        self._launches_at_cut = 0
        self._placed = 0
        self._waited = 0.0
        self._open = 0
        """How much is going on that launches: it counts at its end."""
        self._last: Site | None = None

    # Launches --------------------------------------------------------------------------------

    @contextlib.contextmanager
    def launching(self, cause: Launch, waiting: bool) -> Iterator[list[Cost]]:
        """Count what is launched meanwhile, and hand it out.

        Args:
            cause: What launches.
            waiting: Whether work is recorded that it launches; asked where several replicas count together.
        """
        found: list[Cost] = []
        before, began = counters.counts(), time.monotonic()
        dynamo = counters.dynamo_launches()
        self._open += 1
        try:
            yield found
        finally:
            self._open -= 1
            seconds = time.monotonic() - began
            added = counters.counts().since(before)
            launches, compiles = added.launches - (counters.dynamo_launches() - dynamo), added.compiles
            if replicas.running():
                # Others launch at the same time: what this one does is known, and the first one compiles.
                launches, compiles = int(waiting), compiles if replicas.rank() == 0 else 0
            with self._lock:
                self.causes[cause] += launches
                self._waited += seconds
            found.append(Cost(launches, compiles, seconds))

    def seen(self, site: Site) -> None:
        """The program is at `site`: what was launched since it was seen last is nobody's."""
        if replicas.running() or self._open:
            return
        missing = self.launches - self._known()
        if missing > self._placed:
            self.unattributed[self._last, site] += missing - self._placed
        self._placed = missing
        self._last = site

    @property
    def launches(self) -> int:
        """All launches so far."""
        return counters.counts().since(self._at_start).launches

    @property
    def compiles(self) -> int:
        """All compiled graphs so far."""
        return counters.counts().since(self._at_start).compiles

    def recompiled(self, site: Site, why: str, diff: tuple[str, ...] = (), step: int | None = None) -> None:
        """After its warm-up a loop was compiled again, in this step; None: in the one that was made last."""
        with self._lock:
            known = self.late_graphs.get(site, LateGraph(step or self.steps, 0, why, diff))
            if known.times or len(self.late_graphs) < MOST_RECOMPILED:
                self.late_graphs[site] = known._replace(times=known.times + 1)

    def explained(self, cut: Site) -> int | None:
        """Why the graph of this cut was compiled again was not known at first, and is now.

        Returns the step, where there was one alone.
        """
        with self._lock:
            known = self.late_graphs.pop(cut)
            if known.times > 1:
                self.late_graphs[cut] = known._replace(times=known.times - 1)
            return known.step if known.times == 1 else None

    def prepared(self, site: Site) -> None:
        """What was compiled again there was compiled on purpose, for what comes after it."""
        with self._lock:
            self.late_graphs.pop(site, None)

    def fallbacks(self) -> dict[str, int]:
        """By operation, how often the host has run it."""
        since = counters.fallbacks() - self._fallbacks_at_start
        return {name.removeprefix("aten::"): count for name, count in since.items() if name != counters.READ}

    def by_cause(self) -> dict[str, int]:
        """All launches by what caused them; what nothing is known to cause is `unattributed`."""
        known = {cause.value: self.causes[cause] for cause in Launch if self.causes[cause]}
        dynamo = counters.dynamo_launches() - self._dynamo_at_start
        if dynamo:
            known[Launch.DYNAMO.value] = known.get(Launch.DYNAMO.value, 0) + dynamo
        return {**known, "unattributed": max(0, self.launches - sum(known.values()))}

    def _known(self) -> int:
        return self.causes.total() + counters.dynamo_launches() - self._dynamo_at_start

    # Steps -------------------------------------------------------------------------------------

    def step(self, optimizer: int) -> None:
        """An optimizer, by its identity, begins a step. Several that step between two cuts make one."""
        stepped = self._stepped[replicas.rank()]
        if not stepped or optimizer in stepped:
            stepped.clear()
            self._count_one(Unit.OPTIMIZER)
        stepped.add(optimizer)

    def cut(self, *, ends_scope: bool, heavy: bool, backwards: int) -> None:
        """The graph was cut.

        Args:
            ends_scope: Whether by the end of a step scope.
            heavy: Whether with a model's worth of work.
            backwards: How often this replica has computed gradients so far.
        """
        self._end_window(backwards, heavy=heavy)
        if heavy:
            if ends_scope:
                self._count_one(Unit.SCOPE)
            self._count_one(Unit.CUT)
        self._stepped[replicas.rank()].clear()
        self._at_cut[replicas.rank()] = self._of_this_replica()

    def _end_window(self, backwards: int, *, heavy: bool) -> None:
        rank = replicas.rank()
        computes, steps = backwards > self._backwards[rank], bool(self._stepped[rank])
        self._backwards[rank] = backwards
        with self._lock:
            self._windows[rank] += computes
            launched = self.launches
            if (computes or steps) and not self._is_heavy_elsewhere:
                self._elsewhere -= self._elsewhere_last  # What prepared this step is a part of it.
            self._elsewhere_last, self._is_heavy_elsewhere = 0, heavy
            if self.unit is Unit.OPTIMIZER and not (computes or steps or replicas.running()):
                self._elsewhere_last = launched - self._launches_at_cut
                self._elsewhere += self._elsewhere_last
            self._launches_at_cut = launched

    def backward(self) -> None:
        """Gradients are computed of what was cut before: that was no evaluation, but part of a step."""
        with self._lock:
            self._elsewhere -= self._elsewhere_last
            self._elsewhere_last = 0

    def has_made_the_last(self) -> bool:
        """Whether this thread's replica has made its last step, and launched it, or begins one more."""
        rank = replicas.rank()
        return self._last_step is not None and (
            self._at_cut[rank] >= self._last_step or rank in self._begins_more
        )

    def _of_this_replica(self) -> int:
        return self._steps[self.unit, replicas.rank()]

    def _count_one(self, unit: Unit) -> None:
        if unit is self.unit and self._of_this_replica() == self._last_step:
            self._begins_more.add(replicas.rank())
            return
        with self._lock:
            self._steps[unit, replicas.rank()] += 1
            if unit is not self._unit:
                self._unit = next(each for each in Unit if self._has(each))
            count = self._count(unit)
        moment = self._moment(asks=count == self.warmup)
        if count == self.warmup:
            self._marks[unit] = moment
        self._latest[unit] = moment

    @property
    def unit(self) -> Unit:
        """What counts as a step of this program, as far as it has come."""
        return self._unit

    @property
    def steps(self) -> int:
        """How many steps there were so far."""
        return self._count(self.unit)

    @property
    def late(self) -> tuple[int, int, int] | None:
        """Steps, launches of one replica and compiles after the warm-up; None: there was no such step."""
        mark, latest = self._marks.get(self.unit), self._latest.get(self.unit)
        steps = self.steps - self.warmup
        if mark is None or latest is None or steps <= 0:
            return None
        return steps, (latest.launches - mark.launches) // self.replicas, latest.compiles - mark.compiles

    @property
    def expected(self) -> float:
        """Launches of a step that need be: one for each backward with a cut after it."""
        mark, latest = self._marks.get(self.unit), self._latest.get(self.unit)
        if mark is None or latest is None or self.steps <= self.warmup:
            return 1.0
        return max(1.0, (latest.windows - mark.windows) / (self.steps - self.warmup))

    @property
    def replicas(self) -> int:
        """How many replicas have stepped here."""
        return max(1, len({rank for _, rank in tuple(self._steps)}))

    def milliseconds(self) -> Milliseconds | None:
        """Where the time of a step after the warm-up went; None: there was none."""
        mark, latest = self._marks.get(self.unit), self._latest.get(self.unit)
        steps = self.steps - self.warmup
        if mark is None or latest is None or steps <= 0:
            return None
        compiling = min(self._compiling(), latest.waited) - mark.compiling
        compiling = max(0.0, compiling)
        waiting = max(0.0, latest.waited - mark.waited - compiling)
        whole = latest.seconds - mark.seconds
        tracing = max(0.0, whole - waiting - compiling)
        return Milliseconds(*(1000 * each / steps for each in (tracing, waiting, compiling)))

    def _has(self, unit: Unit) -> bool:
        return any(kind is unit for kind, _ in tuple(self._steps))

    def _count(self, unit: Unit) -> int:
        return max((count for (kind, _), count in tuple(self._steps.items()) if kind is unit), default=0)

    def _moment(self, asks: bool) -> _Moment:
        compiling = self._compiling() if asks else 0.0
        return _Moment(
            time.monotonic(), self.launches - self._elsewhere, self.compiles, self._waited, compiling,
            self._windows[replicas.rank()],
        )  # fmt: skip

    def _compiling(self) -> float:
        return counters.seconds_compiling()
