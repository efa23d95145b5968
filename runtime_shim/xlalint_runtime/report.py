"""Turns what rules find on the engine into diagnostics, with what was counted."""

from __future__ import annotations

import contextlib
import itertools
import linecache
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import CodeType
from typing import Any

from xlalint.diagnostic import (
    Certainty,
    Diagnostic,
    Evidence,
    Observer,
    Position,
    Range,
    Related,
)
from xlalint.lazy.site import Site
from xlalint.lazy.state import Scope, Split
from xlalint.rule import Finding
from xlalint_runtime import counters
from xlalint_runtime.sites import Chain

_MOST_RELATED = 8


@dataclass
class _Found:
    finding: Finding
    place: Site
    below: tuple[Site, ...]
    count: int = 0


class Report:
    """What was found so far. May be used from several replicas' threads."""

    def __init__(self) -> None:
        self._found: dict[tuple[str, str, int, int], _Found] = {}
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

    def seen(self, site: Site) -> bool:
        """Whether anything was launched at `site` before: then it is in some loop."""
        return site in self._costs

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

    def add(self, finding: Finding, within: Chain | None = None) -> bool:
        """Count a finding. Returns whether there was none of its rule at its place before.

        It is placed in the function of its owner, or in the innermost one that runs in the calls
        `within` too, or else where its event happened.
        """
        if finding.doubts > 1:
            return False
        event = finding.path[-1]
        chain = self._chains.get(event, ())
        if within is not None:
            start = max(0, _shared(chain, within) - 1)
        else:
            code = self._owners.get(finding.owner) if finding.owner is not None else None
            start = next((i for i, frame in enumerate(chain) if frame.code is code), len(chain) - 1)
        sites = tuple(frame.site for frame in chain[start:]) or (event,)
        place = sites[0]
        with self._lock:
            key = (finding.rule.code, place.path, place.line, place.column)
            found = self._found.get(key)
            if found is None:
                found = self._found[key] = _Found(finding, place, sites[1:])
            found.count += 1
            return found.count == 1

    def diagnostics(self) -> list[Diagnostic]:
        """All findings but those that yield to another one at the same place, in their order."""
        with self._lock:
            codes: dict[Site, set[str]] = {}
            for found in self._found.values():
                # One rule may tell an event at a call that leads to it, another one at itself.
                for site in (found.place, found.finding.path[-1]):
                    codes.setdefault(site, set()).add(found.finding.rule.code)
            shown = [
                self._diagnostic(found)
                for found in self._found.values()
                if not (codes[found.place] | codes[found.finding.path[-1]])
                & set(found.finding.rule.yields_to)
            ]
        return sorted(shown, key=lambda diagnostic: diagnostic.order)

    def _diagnostic(self, found: _Found) -> Diagnostic:
        finding = found.finding
        cost = self._costs.get(finding.path[-1])
        return Diagnostic(
            code=finding.rule.code,
            name=finding.rule.name,
            message=_filled(finding.message, finding, found.place.path),
            severity=finding.severity,
            certainty=Certainty.LIKELY if finding.doubts else Certainty.DEFINITE,
            path=_shown_path(found.place.path),
            range=_range(found.place),
            help=_filled(finding.help, finding, found.place.path),
            related=tuple(
                Related(_shown_path(site.path), _range(site), "called from here" if below else "here")
                for below, site in _related(found.below)
            ),
            url=finding.rule.url(),
            observed_by=(Observer.GUARD,),
            evidence=Evidence(
                found.count,
                launches=cost.launches if cost else None,
                compiles=cost.compiles if cost else None,
            ),
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
        "certainty": diagnostic.certainty.value,
        "count": diagnostic.evidence.count,
        "launches": diagnostic.evidence.launches,
        "compiles": diagnostic.evidence.compiles,
    }


def _related(below: tuple[Site, ...]) -> Iterator[tuple[bool, Site]]:
    for index, site in enumerate(below[:_MOST_RELATED]):
        yield index < len(below) - 1, site


def _filled(text: str, finding: Finding, path: str) -> str:
    """The text of a finding with the places it speaks of, as seen from the file at `path`."""
    since = ", ".join(_line(site, path) for site in finding.since) or "the last cut"
    owner = _line(finding.owner.site, path) if finding.owner is not None else ""
    return text.replace("{since}", since).replace("{owner}", owner)


def _line(site: Site, path: str) -> str:
    return f"line {site.line}" + ("" if site.path == path else f" of {Path(site.path).name}")


def _shared(one: Chain, other: Chain) -> int:
    """How many frames, from the outside, two chains have in common."""
    pairs = itertools.takewhile(lambda pair: pair[0].code is pair[1].code, zip(one, other, strict=False))
    return sum(1 for _ in pairs)


def _range(site: Site) -> Range:
    return Range(
        _position(site.path, site.line, site.column), _position(site.path, site.end_line, site.end_column)
    )


def _position(path: str, line: int, column: int) -> Position:
    text = linecache.getline(path, line).encode()[:column].decode(errors="replace")
    return Position(line, len(text) + 1 if text else column + 1)


def _shown_path(path: str) -> str:
    here = Path.cwd()
    whole = Path(path)
    return (whole.relative_to(here) if whole.is_relative_to(here) else whole).as_posix()
