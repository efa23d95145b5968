"""What rules found on the engine: placed, counted, and with what it cost."""

from __future__ import annotations

import contextlib
import itertools
import linecache
import threading
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from types import CodeType
from typing import Any

from xlalint.diagnostic import Diagnostic, Evidence, Observer, Position, Range
from xlalint.judging import Caller, Placed, diagnostic, place, settle
from xlalint.lazy.site import Site
from xlalint.lazy.state import Scope, Split
from xlalint.rule import Finding
from xlalint_runtime import counters
from xlalint_runtime.sites import Chain


class Report:
    """What was found so far. May be used from several replicas' threads."""

    def __init__(self) -> None:
        self._found: set[Placed] = set()
        self._times: Counter[tuple[str, Site]] = Counter()
        self._chains: dict[Site, Chain] = {}
        self._owners: dict[Scope | Split, CodeType] = {}
        self._costs: dict[Site, counters.Counts] = {}
        self._lock = threading.Lock()

    def chain(self, chain: Chain) -> None:
        """Remember by which calls the program came to the last frame of `chain`."""
        self._chains[chain[-1].site] = chain

    def own(self, owner: Scope | Split, code: CodeType) -> None:
        """Remember which function opened a scope or parted the replicas."""
        self._owners[owner] = code

    @contextlib.contextmanager
    def cost(self, site: Site) -> Iterator[None]:
        """Count what is launched and compiled meanwhile, as done at `site`."""
        before = counters.counts()
        try:
            yield
        finally:
            added = counters.counts().since(before)
            with self._lock:
                earlier = self._costs.get(site, counters.Counts(0, 0))
                self._costs[site] = counters.Counts(
                    earlier.launches + added.launches, earlier.compiles + added.compiles
                )

    def add(self, finding: Finding, settled_in: Chain | None = None) -> bool:
        """Count a finding. Returns whether there was none of its rule at its place before.

        It is placed in the function of its owner; without one, where its event happened, or in the
        innermost function that the calls `settled_in` are in as well.
        """
        placed = self._placed(finding, settled_in)
        with self._lock:
            self._found.add(placed)
            self._times[_key(placed)] += 1
            return self._times[_key(placed)] == 1

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

    def diagnostics(self) -> list[Diagnostic]:
        """All findings but those that yield to another one at the same place, in their order."""
        with self._lock:
            shown = [
                diagnostic(placed, _SOURCES, observer=Observer.GUARD, evidence=self._evidence(placed))
                for placed in settle(self._found)
            ]
        return sorted(shown, key=lambda one: one.order)

    def _evidence(self, placed: Placed) -> Evidence:
        cost = self._costs.get(placed.path[-1])
        return Evidence(
            self._times[_key(placed)],
            launches=cost.launches if cost else None,
            compiles=cost.compiles if cost else None,
        )


class _Sources:
    """Files as the running program knows them."""

    def shown(self, site: Site) -> str:
        """The path, from the working directory if the file is below it."""
        here = Path.cwd()
        whole = Path(site.path)
        return (whole.relative_to(here) if whole.is_relative_to(here) else whole).as_posix()

    def range(self, site: Site) -> Range:
        """The stretch of text at a site."""
        return Range(
            _position(site.path, site.line, site.column),
            _position(site.path, site.end_line, site.end_column),
        )


_SOURCES = _Sources()


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
