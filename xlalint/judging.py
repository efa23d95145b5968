"""From events to diagnostics, for both observers: who judges, what is shown, where, in which words.

An observer gathers *occurrences*: events with what rules may see of the state, and the calls that led
there. Rules judge them once, when the observer is done; what they find is placed in the function that
opened the scope or made the test that the finding is about.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final, NamedTuple, Protocol, TypeVar

from xlalint.cure import Cure, Where
from xlalint.cure import placed as placed_cure
from xlalint.diagnostic import (
    Certainty,
    Diagnostic,
    Evidence,
    Observer,
    Range,
    Related,
    Severity,
)
from xlalint.lazy.assumptions import is_guess, weight
from xlalint.lazy.events import BoundReached, Event
from xlalint.lazy.scopes import Scope, Split
from xlalint.lazy.site import Path, Site
from xlalint.lazy.state import Raised, View, places_of_caller
from xlalint.rule import Finding, Later, Rule

MOST_ASSUMED: Final = 1
"""A finding that takes more than this for granted stays silent."""

MOST_RELATED: Final = 8
"""A diagnostic shows at most so many places of its call chain."""


class Caller(NamedTuple):
    """One frame above a function: where it called, and what it held at that moment.

    What the called function knows only as "before the call" stands for these scopes, tests of the
    replicas and places of recorded work, by their number.
    """

    site: Site
    scopes: tuple[Scope, ...] = ()
    splits: tuple[Split, ...] = ()
    since: tuple[Site, ...] = ()


class Occurrence(NamedTuple):
    """An event, what rules may see of the state it happened in, and the calls that led there.

    `callers` are known as far out as the view speaks of something that they hold, the innermost first.
    """

    event: Event
    view: View
    callers: tuple[Caller, ...] = ()

    @property
    def sites(self) -> Path:
        """The call sites, from the outermost known caller inwards."""
        return tuple(caller.site for caller in reversed(self.callers))

    def behind(self, raised: Raised) -> Occurrence:
        """The same, where something raises before it happens."""
        return self._replace(view=self.view._replace(raised=self.view.raised or raised))


def at_own_call(occurrence: Occurrence) -> Occurrence:
    """What happens below a function that nobody was seen to call, as happening where that calls.

    What was recorded before stands nowhere.
    """
    callers = occurrence.callers
    splits = tuple(
        split
        for split in (_resolve(each, callers)[0] for each in occurrence.view.replicas.splits)
        if isinstance(split, Split)
    )
    view = occurrence.view._replace(replicas=occurrence.view.replicas._replace(splits=splits), since=())
    site = callers[-2].site if len(callers) > 1 else occurrence.event.site
    return Occurrence(replace(occurrence.event, site=site), view)


class Placed(NamedTuple):
    """A finding whose places are known.

    Args:
        path: Call sites from the function that the diagnostic stands in down to the event.
        since: Where the pending work was recorded.
        owner: Where the scope was opened, or the test made, that the finding is about.
        around: The calls that lead to the function that the diagnostic stands in, the innermost first, from
            where the pending work was recorded.
        also: Where else below the same call it happens as well.
        arm: How the test of the replicas comes out that is its owner; None where no test is.
    """

    finding: Finding
    path: Path
    since: tuple[Site, ...] = ()
    owner: Site | None = None
    around: Path = ()
    also: Path = ()
    arm: bool | None = None

    @property
    def code(self) -> str:
        """The code of the rule that found it."""
        return self.finding.rule.code


class Sources(Protocol):
    """What is known of the files that diagnostics speak of."""

    def shown(self, site: Site) -> str:
        """The path of the file as it is shown."""

    def range(self, site: Site) -> Range:
        """The stretch of text at a site."""


class Judge:
    """Rules, by the kinds of events that they judge."""

    def __init__(self, rules: Iterable[Rule[Any]]) -> None:
        self._rules: dict[type[Event], list[Rule[Any]]] = {}
        for rule in rules:
            for kind in rule.events:
                self._rules.setdefault(kind, []).append(rule)

    @property
    def kinds(self) -> frozenset[type[Event]]:
        """The kinds of events that some rule judges: others need not be kept."""
        return frozenset(self._rules)

    def findings(self, event: Event, view: View) -> Iterator[Finding]:
        """What the rules say of one event, as far as it is sure enough; on a guess, for information.

        So is what stands behind something that raises: it happens when that is mended. What a rule says of
        the very call that raises is not behind it.
        """
        raised = view.raised if not isinstance(event, BoundReached) else None
        if raised is not None and raised.site == event.site:
            raised = None
        for rule in self._rules.get(type(event), ()):
            for finding in rule.judge(event, view):
                if weight(finding.assumes) <= (0 if rule.only_definite else MOST_ASSUMED):
                    if raised is not None and (raised.since is None or raised.since <= rule.target.low):
                        finding = _behind(finding, raised)
                    guessed = finding.severity > Severity.INFO and is_guess(finding.assumes)
                    yield replace(finding, severity=Severity.INFO) if guessed else finding

    def judge(self, occurrences: Iterable[Occurrence]) -> Iterator[Placed]:
        """What the rules say of what happened, each in its place."""
        for occurrence in occurrences:
            for finding in self.findings(occurrence.event, occurrence.view):
                placed = place(finding, occurrence.callers)
                if placed.path:
                    yield placed


def _behind(finding: Finding, raised: Raised) -> Finding:
    """A finding of what comes after something that raises."""
    later, line = finding.later, "what raises before"
    if later is None:
        later, line = Later(raised.site, f"this raises: {raised.why}"), "{later}"
    return replace(
        finding, severity=min(finding.severity, Severity.INFO), later=later,
        assumes=finding.assumes | {f"{line} no longer raises: {raised.why}"},
    )  # fmt: skip


def place(finding: Finding, callers: tuple[Caller, ...] = (), above: int | None = None) -> Placed:
    """Put a finding into the function of its owner, with the calls that lead from there to the event.

    `above` says how many calls above the event that function is, for an observer that knows it.
    """
    owner, steps = _resolve(finding.owner, callers)
    inner = callers[: steps if above is None else above]
    path = (*(caller.site for caller in reversed(inner)), *finding.path)
    # What a framework does is told where the user calls it, or is called by it.
    outer = tuple(caller.site for caller in callers[len(inner) :] if not caller.site.in_framework)
    path = tuple(site for site in path if not site.in_framework) or outer[:1]
    since, around = finding.since, []
    for number, caller in enumerate(callers):
        if number >= len(inner) and any(site.is_entry for site in since):
            around.append(caller.site)
        since = places_of_caller(since, caller.since)
    since = tuple(site for site in since if not site.in_framework)

    def site_of(where: Where) -> Site:
        return where if isinstance(where, Site) else (_resolve(where, callers)[0] or where).site

    cures = tuple(cure for each in finding.cures if (cure := _placed_cure(each, site_of)) is not None)
    if cures != finding.cures:
        finding = replace(finding, cures=cures)
    place = owner.site if owner is not None else None
    if place is not None and place.in_framework and path:
        place = path[0]
    shown = tuple(site for site in around if not (site.in_framework or site in path))
    return Placed(
        finding, path, since, place, shown, arm=owner.polarity if isinstance(owner, Split) else None
    )


def _placed_cure(cure: Cure, site_of: Callable[[Where], Site]) -> Cure | None:
    """A cure with its places; None where one of them is in a framework, which nobody edits."""
    sites: list[Site] = []

    def noted(where: Where) -> Site:
        sites.append(site_of(where))
        return sites[-1]

    made = placed_cure(cure, noted)
    return None if any(site.in_framework for site in sites) else made


def _resolve(held: Scope | Split | None, callers: tuple[Caller, ...]) -> tuple[Scope | Split | None, int]:
    """The scope or test that is meant, and how many calls above the event its function is."""
    above = 0
    while held is not None and held.inherited and above < len(callers):
        caller = callers[above]
        outer: tuple[Scope | Split, ...] = caller.scopes if isinstance(held, Scope) else caller.splits
        held = outer[held.depth] if held.depth < len(outer) else None
        above += 1
    return held, above


def located(placed: Placed, where: Callable[[Site], Site]) -> Placed:
    """A finding with all its places told anew, such as in lines of the whole file."""

    def site_of(held: Where) -> Site:
        assert isinstance(held, Site)  # `place` has put sites in the place of scopes and tests
        return where(held)

    finding = placed.finding
    return Placed(
        replace(
            finding,
            cures=tuple(placed_cure(cure, site_of) for cure in finding.cures),
            later=None if finding.later is None else finding.later._replace(site=where(finding.later.site)),
        ),
        tuple(map(where, placed.path)),
        tuple(map(where, placed.since)),
        None if placed.owner is None else where(placed.owner),
        tuple(map(where, placed.around)),
        tuple(map(where, placed.also)),
        placed.arm,
    )


# Of several findings ----------------------------------------------------------------------------


def settle(found: Iterable[Placed]) -> list[Placed]:
    """One finding of each rule at each place, and only the one that says most.

    Several contexts of one function may come to the same place; the surest of them counts. A rule is
    silent where one it yields to speaks, and at a call where it speaks of the place that the call leads
    to. That must stand in the same file: what is said of a file does not depend on which others are
    asked for.
    """
    alike: dict[tuple[str, Site, Site], Placed] = {}
    for placed in found:
        _keep_surest(alike, (placed.code, placed.path[0], placed.path[-1]), placed)
    best: dict[tuple[str, Site], Placed] = {}
    below: dict[tuple[str, Site], set[Site]] = defaultdict(set)
    for placed in prevailing(alike.values(), elsewhere=False):
        key = placed.code, placed.path[0]
        _keep_surest(best, key, placed)
        below[key].add(placed.path[-1])
    return [
        placed._replace(also=tuple(sorted(below[key] - {placed.path[0], placed.path[-1]})))
        for key, placed in best.items()
        if not (placed.path[0].path == placed.path[-1].path and _is_told_below(placed, best))
    ]


def told_once(found: Sequence[Placed]) -> list[Placed]:
    """What was found from one root, without what is told of a call and of the place it leads to as well, be
    it by another rule, and without what some replicas are said to do that all of them do.

    They may stand in two files: both are found from this root, whatever files are asked for.
    """
    own: dict[tuple[str, Site], Placed] = {}
    for placed in found:
        if len(placed.path) == 1:
            _keep_surest(own, (placed.code, placed.path[0]), placed)
    arms: dict[tuple[str, Site | None, Site], set[bool]] = defaultdict(set)
    for placed in found:
        if placed.arm is not None:
            arms[placed.code, placed.owner, placed.path[-1]].add(placed.arm)
    told = [
        placed
        for placed in found
        if not _is_told_below(placed, own)
        # What both arms of a test of the replicas lead to, all replicas do.
        and (placed.arm is None or len(arms[placed.code, placed.owner, placed.path[-1]]) == 1)
    ]
    return prevailing(told, elsewhere=True)


_Key = TypeVar("_Key")


def _keep_surest(best: dict[_Key, Placed], key: _Key, placed: Placed) -> None:
    if key not in best or _rank(placed) < _rank(best[key]):
        best[key] = placed


def _is_told_below(placed: Placed, best: Mapping[tuple[str, Site], Placed]) -> bool:
    """Whether a rule says of a call what it says, no less surely, of the place that the call leads to."""
    inner = best.get((placed.code, placed.path[-1]))
    if inner is None or len(placed.path) == 1 or len(inner.path) > 1:
        return False
    finding, below = placed.finding, inner.finding
    return below.severity >= finding.severity and weight(below.assumes) <= weight(finding.assumes)


def prevailing(found: Iterable[Placed], *, elsewhere: bool) -> list[Placed]:
    """The findings that yield to no other at their place.

    Args:
        found: The findings.
        elsewhere: Whether to look at those that stand in other files, or in the same.
    """
    found = list(found)
    told_at: dict[Site, set[tuple[str, str]]] = defaultdict(set)
    for placed in found:
        # The same event may be told at a call that leads to it by one rule, and itself by another.
        for site in {placed.path[0], placed.path[-1]}:
            told_at[site].add((placed.code, placed.path[0].path))
    return [
        placed
        for placed in found
        if not any(
            code in placed.finding.rule.yields_to and (file != placed.path[0].path) is elsewhere
            for site in {placed.path[0], placed.path[-1]}
            for code, file in told_at[site]
        )
    ]


def _rank(placed: Placed) -> tuple[object, ...]:
    finding = placed.finding
    return (
        len(finding.assumes), -finding.severity, finding.later is None, finding.message,
        sorted(finding.assumes), len(placed.path), placed.path, placed.since, finding.later or (),
        placed.around,
    )  # fmt: skip


# To diagnostics ---------------------------------------------------------------------------------


def diagnostic(
    placed: Placed, sources: Sources, *, observer: Observer = Observer.ANALYZER,
    severities: Mapping[str, Severity] | None = None, evidence: Evidence | None = None,
) -> Diagnostic:  # fmt: skip
    """A finding in words, with its places as users know them.

    Args:
        placed: The finding.
        sources: What is known of the files it speaks of.
        observer: Who saw it.
        severities: By code, the severities that the user has set.
        evidence: What was counted on the engine.
    """
    finding, site = placed.finding, placed.path[0]
    rule = finding.rule
    return Diagnostic(
        code=rule.code,
        name=rule.name,
        message=_worded(finding.message, placed, sources),
        severity=(severities or {}).get(rule.code, finding.severity),
        certainty=Certainty.LIKELY if finding.assumes else Certainty.DEFINITE,
        path=sources.shown(site),
        range=sources.range(site),
        cell=site.cell,
        help=_worded(finding.help, placed, sources),
        related=tuple(_related(placed, sources)),
        url=rule.url(),
        observed_by=(observer,),
        assumes=_worded(" and ".join(sorted(finding.assumes)), placed, sources),
        evidence=evidence,
    )


def _related(placed: Placed, sources: Sources) -> Iterator[Related]:
    """The calls below the place of a finding, those above it, and the later place that it speaks of."""
    chain, later = placed.path[1:], placed.finding.later
    most = MOST_RELATED if later is None else MOST_RELATED - 1
    if len(chain) > most:
        chain = (*chain[: most - 1], chain[-1])
    places = [(site, "called from here") for site in chain[:-1]]
    places += [(site, "it happens here") for site in chain[-1:]]
    places += [(site, "it happens here, too") for site in placed.also if chain][: most - len(places)]
    places += [(site, "called from here") for site in placed.around][: most - len(places)]
    for site, message in places:
        yield Related(sources.shown(site), sources.range(site), message, site.cell)
    if later is not None:
        site, what = later
        yield Related(sources.shown(site), sources.range(site), what, site.cell, later=True)


def _worded(text: str, placed: Placed, sources: Sources) -> str:
    """The text of a finding with the places it speaks of."""
    if "{since}" in text:
        text = text.replace("{since}", _since(placed, sources))
    if "{owner}" in text and placed.owner is not None:
        text = text.replace("{owner}", _line(placed.owner, placed.path[0], sources))
    if placed.finding.later is not None:
        text = text.replace("{later}", _line(placed.finding.later.site, placed.path[0], sources))
    return text


def _since(placed: Placed, sources: Sources) -> str:
    """`line 12`, `lines 12 and 14`, `line 3 of other.py`: where pending work was recorded."""
    here = placed.path[0]
    lines: dict[tuple[str, int | None], set[int]] = defaultdict(set)
    for site in placed.since:
        if not site.is_entry:
            lines[site.path, site.cell].add(site.line)
    words = []
    for file in sorted(lines, key=lambda file: (file != (here.path, here.cell), file[0], file[1] or 0)):
        numbers = [str(number) for number in sorted(lines[file])]
        text = f"line {numbers[0]}" if len(numbers) == 1 else f"lines {_and(numbers)}"
        words.append(text + _elsewhere(Site(file[0], 1, cell=file[1]), here, sources))
    return _and(words) if words else "an earlier line"


def _line(site: Site, here: Site, sources: Sources) -> str:
    return f"line {site.line}{_elsewhere(site, here, sources)}"


def _elsewhere(site: Site, here: Site, sources: Sources) -> str:
    if site.path != here.path:
        return f" of {sources.shown(site)}"
    return f" of cell {site.cell}" if site.cell != here.cell else ""


def _and(words: list[str]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"
