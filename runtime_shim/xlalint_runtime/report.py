"""What rules found on the engine: placed, counted, and with what it cost."""

from __future__ import annotations

import contextlib
import itertools
import linecache
import statistics
import threading
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path
from types import CodeType
from typing import Any

from xlalint.diagnostic import Diagnostic, Evidence, Observer, Position, Range
from xlalint.judging import Caller, Placed, diagnostic, place, settle
from xlalint.lazy.events import Event
from xlalint.lazy.obligations import Obligation
from xlalint.lazy.scopes import Scope, Split
from xlalint.lazy.site import Site
from xlalint.rule import Finding
from xlalint_runtime import replicas
from xlalint_runtime.choosing import Choice
from xlalint_runtime.sites import Chain
from xlalint_runtime.summary import Cost, Launch, Summary

MOST_TIMES = 512
"""Of what was done at one place, the time of so many is remembered."""


class _Costs:
    """What was done at one place has launched and compiled."""

    def __init__(self) -> None:
        self.launches = self.compiles = 0
        self.times: list[float] = []

    def add(self, cost: Cost) -> None:
        self.launches += cost.launches
        self.compiles += cost.compiles
        if cost.launches and len(self.times) < MOST_TIMES:
            self.times.append(1000 * cost.seconds)


class Report:
    """What was found so far. May be used from several replicas' threads."""

    def __init__(self, summary: Summary, choice: Choice | None = None) -> None:
        """Args:
        summary: What the run did as a whole.
        choice: What the user wants to see; None: everything.
        """
        self.summary = summary
        self._choice = choice
        self._found: set[Placed] = set()
        self._times: Counter[tuple[str, Site]] = Counter()
        self._replicas: dict[tuple[str, Site], set[int]] = defaultdict(set)
        self._chains: dict[Site, Chain] = {}
        self._latest: Chain = ()
        self._owners: dict[Scope | Split, CodeType] = {}
        self._costs: dict[Site, _Costs] = defaultdict(_Costs)
        self._settled: dict[tuple[tuple[str, Site], int], Obligation | None] = {}
        """What was settled last, by rule, place and replica."""
        self._sources = _Sources(Path.cwd())
        self._lock = threading.Lock()

    def chain(self, chain: Chain) -> None:
        """Remember by which calls the program came to the last frame of `chain`."""
        self._chains[chain[-1].site] = self._latest = chain

    def chain_at(self, site: Site) -> None:
        """Remember by which calls the program came to a place that it was at before, in a function that
        it is in now."""
        latest = self._latest
        depth = next((n for n, f in enumerate(latest) if f.site.path == site.path), len(latest) - 1)
        self._chains.setdefault(site, (*latest[:depth], latest[depth]._replace(site=site)))

    def own(self, owner: Scope | Split, code: CodeType) -> None:
        """Remember which function opened a scope or parted the replicas."""
        self._owners[owner] = code

    @contextlib.contextmanager
    def cost(self, site: Site, cause: Launch, waiting: bool) -> Iterator[None]:
        """Count what is launched and compiled meanwhile, as done at `site`.

        Args:
            cause: What launches.
            waiting: Whether work is recorded that it launches.
        """
        found: list[Cost] = []
        try:
            with self.summary.launching(cause, waiting) as found:
                yield
        finally:
            with self._lock:
                for cost in found:
                    self._costs[site].add(cost)

    def add(
        self, finding: Finding, settled_in: Chain | None = None, settles: Obligation | None = None
    ) -> Placed | None:
        """Count a finding. Returns it if there was none of its rule at its place before.

        It is placed in the function of its owner; without one, where its event happened, or in the
        innermost function that the calls `settled_in` are in as well. What it `settles` may be settled more
        than once, as a read whose work another read runs again, and then a cut: that counts once.
        """
        placed = self._placed(finding, settled_in)
        key = _key(placed)
        with self._lock:
            is_new = not self._times[key]
            self._found.add(placed)
            last = self._settled.get((key, replicas.rank()))
            self._times[key] += settles is None or settles is not last
            self._settled[key, replicas.rank()] = settles
            self._replicas[key].add(replicas.rank())
            return placed if is_new else None

    def again(self, site: Site, times: int, kind: type[Event]) -> None:
        """What was found at `site` by an event of this kind has happened so many times more."""
        with self._lock:
            for placed in self._found:
                if placed.path[-1] == site and kind in placed.finding.rule.events:
                    self._times[_key(placed)] += times

    def _placed(self, finding: Finding, settled_in: Chain | None) -> Placed:
        chain = self._chains.get(finding.path[-1], ())
        last = max(0, len(chain) - 1)
        owner = last
        if finding.owner is not None:
            code = self._owners.get(finding.owner)
            owner = next((number for number, frame in enumerate(chain) if frame.code is code), last)
        elif settled_in is not None:
            owner = max(0, _shared(chain, settled_in) - 1)
        callers = tuple(Caller(frame.site) for frame in reversed(chain[:-1]))
        return place(finding, callers, above=last - owner)

    def shown_path(self, site: Site) -> str:
        """The file of a place, as the user sees it."""
        return self._sources.shown(site)

    def shown(self, placed: Placed) -> Diagnostic | None:
        """What the user is to see of one finding now; None: nothing."""
        with self._lock:
            wanted = settle(each for each in self._found if self._is_wanted(each))
            if placed not in wanted or not self._is_selected(placed):
                return None
            made = self._diagnostic(placed)
        return None if self._is_suppressed(placed, made) else made

    def diagnostics(self) -> tuple[list[Diagnostic], int]:
        """All findings but those that yield to another one at the same place, in their order; and how
        many more comments silence."""
        with self._lock:
            wanted = settle(each for each in self._found if self._is_wanted(each))
            made = [(each, self._diagnostic(each)) for each in wanted if self._is_selected(each)]
        shown = [one for placed, one in made if not self._is_suppressed(placed, one)]
        return sorted(shown, key=lambda one: one.order), len(made) - len(shown)

    def _is_wanted(self, placed: Placed) -> bool:
        return self._choice is None or not self._choice.is_ignored(placed.code, placed.path[0].path)

    def _is_selected(self, placed: Placed) -> bool:
        return self._choice is None or self._choice.is_selected(placed.code, placed.path[0].path)

    def _is_suppressed(self, placed: Placed, made: Diagnostic) -> bool:
        if self._choice is None:
            return False
        return self._choice.is_suppressed(made, placed.finding.rule.aliases, placed.path[0].path)

    def _diagnostic(self, placed: Placed) -> Diagnostic:
        severities = self._choice.severities(placed.path[0].path) if self._choice is not None else None
        return diagnostic(
            placed, self._sources, observer=Observer.GUARD, severities=severities,
            evidence=self._evidence(placed),
        )  # fmt: skip

    def _evidence(self, placed: Placed) -> Evidence:
        costs = self._costs.get(placed.path[-1])
        times = costs.times if costs is not None else []
        count, steps = self._times[_key(placed)], self.summary.steps
        return Evidence(
            count,
            per_step=count / steps / len(self._replicas[_key(placed)]) if steps else None,
            ms_median=statistics.median(times) if times else None,
            launches=costs.launches if costs is not None else None,
            compiles=costs.compiles if costs is not None else None,
            replicas=len(self._replicas[_key(placed)]),
        )


class _Sources:
    """Files as the running program knows them."""

    def __init__(self, here: Path) -> None:
        """Args: here: the directory in which the program was started; it may change to another one."""
        self._here = here

    def shown(self, site: Site) -> str:
        """The path, from where the program was started if the file is below it."""
        whole = Path(site.path)
        return (whole.relative_to(self._here) if whole.is_relative_to(self._here) else whole).as_posix()

    def range(self, site: Site) -> Range:
        """The stretch of text at a site; its whole line where it names no columns."""
        if site.column == site.end_column == 0:
            text = linecache.getline(site.path, site.line).rstrip()
            start = len(text) - len(text.lstrip())
            return Range(Position(site.line, start + 1), Position(site.line, len(text) + 1))
        return Range(
            _position(site.path, site.line, site.column),
            _position(site.path, site.end_line, site.end_column),
        )


def plain(diagnostic: Diagnostic) -> dict[str, Any]:
    """A diagnostic as the harness passes it from process to process."""
    assert diagnostic.evidence is not None
    return {
        "code": diagnostic.code,
        "path": str(Path(diagnostic.path).resolve()),
        "line": diagnostic.range.start.line,
        "column": diagnostic.range.start.column,
        "related": [[str(Path(r.path).resolve()), r.range.start.line] for r in diagnostic.related],
        "message": diagnostic.message,
        "help": diagnostic.help,
        "certainty": diagnostic.certainty.value,
        "count": diagnostic.evidence.count,
        "launches": diagnostic.evidence.launches,
        "compiles": diagnostic.evidence.compiles,
    }


def _key(placed: Placed) -> tuple[str, Site]:
    return placed.code, placed.path[0]


def _shared(one: Chain, other: Chain) -> int:
    """How many frames, from the outside, two chains have in common."""
    pairs = itertools.takewhile(lambda pair: pair[0].code is pair[1].code, zip(one, other, strict=False))
    return sum(1 for _ in pairs)


def _position(path: str, line: int, column: int) -> Position:
    text = linecache.getline(path, line).encode()[:column].decode(errors="replace")
    return Position(line, len(text) + 1 if text else column + 1)
