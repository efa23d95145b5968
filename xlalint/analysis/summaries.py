"""Summaries of functions: what one context is told apart by, and how places look from a caller."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

from xlalint.analysis.frame import Carried, Yielded
from xlalint.analysis.outline import Class, Function
from xlalint.analysis.payloads import (
    Bound,
    Loader,
    run,
    targets,
)
from xlalint.analysis.store import AttributeKey, Store
from xlalint.lazy.site import ENTRY, Path, Site
from xlalint.lazy.state import Obligation, Owed, Scope, Split, State
from xlalint.lazy.values import NONE, UNKNOWN, Kind, Recorded, Value, Weight, join_all
from xlalint.rule import Finding


@dataclass(slots=True)
class Summary:
    """What a call in one context does, with places relative to the called function."""

    store: Store | None
    value: Value
    findings: list[Finding]
    carried: list[Carried]
    yields: list[Yielded]
    entered: frozenset[Function] = field(default_factory=frozenset)
    cut_off: frozenset[Function] = field(default_factory=frozenset)
    """Functions that were not entered on the way because they were being entered already: only
    while they all still are does the summary say what the call does."""
    least_depth: int = 0
    """Calls on the way were too deep to be followed: from less deep than this, more is seen."""


def context_key(
    names: dict[str, Value], captured: dict[str, Value], attributes: dict[AttributeKey, Value], state: State
) -> Any:
    """What tells contexts of one function apart: all that a rule or an obligation may look at."""
    return (
        tuple(sorted(names.items(), key=lambda item: item[0])),
        tuple(sorted(captured.items(), key=lambda item: item[0])),
        frozenset(attributes.items()),
        state.key(),
    )


def widened(value: Value) -> Value:
    """The value without what only tells contexts apart: which number or text it is."""
    if value.kind is Kind.CONSTANT and value.payload and not isinstance(value.payload.value, bool):
        return Value(Kind.HOST)
    return value


def are_idle(values: dict[Any, Value]) -> bool:
    """Whether the engine has nothing to do with any of the values."""
    for value in values.values():
        if value.kind in _ENGINE_KINDS:
            return False
        if value.kind is Kind.CONTAINER and value.payload.element.kind is not Kind.HOST:
            return False
    return True


def classes_in(value: Value) -> list[Class]:
    """Classes of the project that a value is an instance of, or holds instances of."""
    if value.kind is Kind.INSTANCE:
        return [cls for cls in value.payload.of if not isinstance(cls, str)]
    if value.kind is Kind.MODULE:
        return [value.payload.cls] if value.payload.cls is not None else []
    if value.kind is Kind.CONTAINER:
        return [
            cls for item in (value.payload.element, *(value.payload.items or ())) for cls in classes_in(item)
        ]
    if value.kind is Kind.CALLABLE:
        found = []
        for target in targets(value):
            if isinstance(target, Bound):
                found += classes_in(target.receiver) if target.receiver is not None else []
                found += [cls for _, held in target.captured for cls in classes_in(held)]
        return found
    return []


def did_nothing(summary: Summary) -> bool:
    """Whether a summary leaves the engine, and everything a caller could see, as it was."""
    store = summary.store
    if store is None or summary.findings or summary.carried or store.attributes or store.moved or store.names:
        return False
    eager, store.state.eager = store.state.eager, _NEUTRAL.eager
    neutral = store.state == _NEUTRAL
    store.state.eager = eager
    return neutral


def entry_state(state: State, function: Function) -> State:
    """The caller's state as the called function sees it: places in the caller are all "before".

    A scope that stands at the function's own definition, such as that of a compiled function, is its own.
    """
    entry = state.copy()
    entry.since = (ENTRY,) if state.since else ()
    own = function.site
    entry.scopes = tuple(s if s.site == own else Scope(s.kind, ENTRY, i) for i, s in enumerate(state.scopes))
    entry.splits = tuple(
        Split(ENTRY, s.polarity, s.certain, s.master, i) for i, s in enumerate(state.splits)
    )  # fmt: skip
    entry.obligations = frozenset(
        Obligation(o.owed, (), 0, False, o.detail if o.owed is Owed.EXIT else "") for o in state.obligations
        if o.owed is not Owed.COLLECTIVE
    )  # fmt: skip
    entry.done = frozenset()
    entry.collectives = ()
    return entry


def exit_state(left: State, before: State, site: Site) -> State:
    """The state a called function left, as the caller sees it."""
    state = left.copy()
    state.scopes = before.scopes
    state.splits = before.splits
    since: list[Site] = []
    for place in left.since:
        since += before.since if place.is_entry else [site]
    state.since = tuple(dict.fromkeys(since))[:3]
    still = {(o.owed, o.detail if o.owed is Owed.EXIT else "") for o in left.obligations if o.inherited}
    kept = {
        o for o in before.obligations
        if o.owed is Owed.COLLECTIVE or (o.owed, o.detail if o.owed is Owed.EXIT else "") in still
    }  # fmt: skip
    made = {
        o._replace(
            path=(site, *o.path) if _is_placed_outside(o) else o.path,
            in_loop=o.in_loop or before.in_loop,
            split=_outer_split(o.split, before),
            since=_resolved(o.since, before),
        )
        for o in left.obligations if not o.inherited
    }  # fmt: skip
    state.obligations = frozenset(kept | made)
    state.done = before.done | {d._replace(site=site) if d.site is not None else d for d in left.done}
    met = ((name, (site, *path)) for name, path in left.collectives)
    state.collectives = tuple(dict.fromkeys((*before.collectives, *met)))
    state.in_loop = before.in_loop
    state.in_closure = before.in_closure
    state.in_forward = before.in_forward
    return state


def seen_from(finding: Finding, site: Site, state: State) -> Finding:
    """A finding of a called function, as its caller at `site` sees it."""
    owner = finding.owner
    since = finding.since
    if any(place.is_entry for place in since):
        since = _resolved(since, state)
    if owner is not None and owner.inherited:
        outer: tuple[Scope | Split, ...] = state.scopes if isinstance(owner, Scope) else state.splits
        mine = outer[owner.depth] if owner.depth < len(outer) else None
        return _replace_finding(finding, (site, *finding.path), mine, since)
    if since is finding.since:
        return finding
    return _replace_finding(finding, finding.path, owner, since)


def with_obligation(event: Any, obligation: Obligation) -> Any:
    doubts = event.doubts + obligation.doubts
    return replace(event, obligation=obligation, doubts=doubts)


def outlives(
    value: Value, store: Store, given: dict[str, Value], attributes: dict[AttributeKey, Value]
) -> bool:
    """Whether work that a function recorded is still on something when its own names are gone.

    Gradients, parameters, what it returns and what it changed of its caller's keep work alive.
    """
    if value.recorded.may or store.state.parameters.may or store.state.did("backward"):
        return True
    return any(
        held.recorded.may > before.recorded.may
        for name, before in given.items()
        if (held := store.names.get(name)) is not None
    ) or any(
        held.recorded.may > attributes.get(key, NONE).recorded.may for key, held in store.attributes.items()
    )


def differs_in_bound_only(state: State, other: State) -> bool:
    bounded, state.bounded = state.bounded, other.bounded
    same = state == other
    state.bounded = bounded
    return same


def let_die(state: State, before: Recorded) -> None:
    """Nobody holds any more what a function recorded: the engine drops it, and no cut runs it again.

    What was read of it ran once. Only several reads of the same work ran it several times.
    Args: before: What was recorded when the function was entered.
    """
    if not state.did("cut", "maybe cut"):
        # Light work in place is not told apart, and stays.
        must, may = (min(weight, Weight.LIGHT) for weight in state.recorded)
        state.recorded = Recorded(max(before.must, must), max(before.may, may))
    own = [
        o
        for o in state.owes(Owed.READ)
        if not o.inherited and (before.may is not Weight.HEAVY or not any(site.is_entry for site in o.since))
    ]
    for obligation in own:
        if not any(
            other.path != obligation.path and set(other.since) & set(obligation.since) for other in own
        ):
            state.obligations -= {obligation}


def generated(summary: Summary) -> Loader:
    """What a generator yields. Each `next` of it cuts when its one `yield` follows a cut."""
    element = join_all((given.value for given in summary.yields), UNKNOWN)
    cuts: bool | None = False
    if any(given.after_cut for given in summary.yields) or (summary.store and summary.store.state.did("cut")):
        places = {given.site for given in summary.yields}
        cuts = True if len(places) == 1 and all(given.after_cut for given in summary.yields) else None
    return Loader(element if cuts is False else run(element), cuts, endless=summary.store is None)


def _replace_finding(
    finding: Finding, path: Path, owner: Scope | Split | None, since: tuple[Site, ...]
) -> Finding:
    return replace(finding, path=path, owner=owner, since=since)


def _resolved(since: tuple[Site, ...], before: State) -> tuple[Site, ...]:
    """Places where work was recorded, with the caller's in the place of "before the call"."""
    places: list[Site] = []
    for place in since:
        places += before.since if place.is_entry else [place]
    return tuple(dict.fromkeys(places))[:3]


def _is_placed_outside(obligation: Obligation) -> bool:
    """Whether a caller, which holds the loop, cut or rank test, owns what is said of an obligation."""
    if obligation.owed is Owed.LONE_CUT:
        return obligation.split is not None and obligation.split.inherited
    return obligation.owed is Owed.READ


def _outer_split(split: Split | None, before: State) -> Split | None:
    if split is not None and split.inherited and split.depth < len(before.splits):
        return before.splits[split.depth]
    return split


_ENGINE_KINDS = frozenset({
    Kind.TENSOR, Kind.MODULE, Kind.PARAMETERS, Kind.OPTIMIZER, Kind.SCALER, Kind.LOADER,
    Kind.STATE_DICT, Kind.CALLABLE, Kind.SCOPE, Kind.DEVICE,
})  # fmt: skip


_NEUTRAL = State()
