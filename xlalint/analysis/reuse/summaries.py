"""Summaries of functions: what one context is told apart by, and how places look from a caller."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from operator import itemgetter
from typing import Any, Final, TypeVar

from xlalint.analysis.frame import Carried, Yielded
from xlalint.analysis.payloads import (
    Bound,
    Constant,
    Container,
    Fields,
    Iterated,
    Loader,
    Module,
    Optimizer,
    StateDict,
    Targets,
    classes_of,
    run,
)
from xlalint.analysis.reuse.trail import Trail
from xlalint.analysis.store import AttributeKey, Store
from xlalint.judging import Caller, Occurrence
from xlalint.knowledge import functions
from xlalint.lazy import assumptions
from xlalint.lazy.assumptions import both
from xlalint.lazy.cuts import AT_ENTRY, OF_CALLERS, LastCut, needed
from xlalint.lazy.events import Event, Settled
from xlalint.lazy.gradients import Gradient, Gradients
from xlalint.lazy.obligations import (
    MADE_OF,
    OF_ONE_MODEL,
    WAITING,
    Asked,
    Fact,
    Obligation,
    Owed,
    left_by_work,
)
from xlalint.lazy.scopes import Scope, Split
from xlalint.lazy.sharding import Setup
from xlalint.lazy.site import ENTRY, Path, Site
from xlalint.lazy.state import (
    NOTHING_DONE,
    Activity,
    Engine,
    Fetch,
    Loop,
    State,
    Training,
    Trust,
    View,
    join_activities,
    met,
    places,
    places_of_caller,
    stands_for_callers,
)
from xlalint.lazy.values import NONE, UNKNOWN, Kind, Recorded, Value, Weight, join_all, kinds_that
from xlalint.program.outline import Class, Function, FunctionNode, last_name, named, within
from xlalint.program.padding import fills_to_few_lengths
from xlalint.remembering import remembered
from xlalint.spelling import THE_FRAMEWORK

_Held = TypeVar("_Held", Scope, Split)

MOST_WAYS: Final = 2
"""Of the ways through a call to what opened an obligation, at most so many are told apart: two say
that the same work was read more than once."""


@dataclass(slots=True)
class Summary:
    """What a call in one context does, with places relative to the called function."""

    store: Store | None
    value: Value
    occurrences: tuple[Occurrence, ...]
    carried: tuple[Carried, ...]
    yields: list[Yielded]
    trail: Trail
    depth: int
    """How many calls deep the function was interpreted."""
    changed: tuple[tuple[str, Value], ...] = ()
    """Containers and state dicts that it was given and changed, by parameter."""
    acted: bool = False
    """Whether it has done something on the way, be it that nobody is left who could see it."""
    made: int = 1
    """How often a root has interpreted the function in this context, where it holds for that root alone."""
    ways: tuple[tuple[Occurrence, bool, bool], ...] | None = field(init=False, default=None)
    """What `telling` has found out."""
    did_nothing: bool = field(init=False)
    """Whether the engine, and everything a caller could see, is left as it was. Asked at every call."""

    def __post_init__(self) -> None:
        store = self.store
        self.did_nothing = (
            store is not None
            and not (self.carried or store.attributes or store.moved or store.names or self.occurrences)
            and not (self.changed or self.acted)
            and _is_neutral(store.state)
        )

    def does_as(self, other: Summary) -> bool:
        """Whether no caller can tell one from the other, by what it does or by how it came about."""
        return (
            self.store == other.store
            and self.value == other.value
            and self.occurrences == other.occurrences
            and self.carried == other.carried
            and self.yields == other.yields
            and dict(self.changed) == dict(other.changed)
            and self.acted == other.acted
            and self.height == other.height
            and _came_about(self.trail) == _came_about(other.trail)
        )

    def telling(self) -> tuple[tuple[Occurrence, bool, bool], ...]:
        """What happened, each with whether it is hidden, and whether it is open; asked by every caller."""
        if self.ways is None:
            self.ways = tuple((each, is_hidden(each), is_open(each)) for each in self.occurrences)
        return self.ways

    @property
    def height(self) -> int:
        """How many calls deep it tried to go from there."""
        return self.trail.deepest - self.depth


def _came_about(trail: Trail) -> tuple[object, ...]:
    """What a trail tells beside the facts that it rests on."""
    return (
        trail.entered, trail.tried, trail.contexts, trail.cut_off, trail.too_deep, trail.narrowed,
        trail.recursions, trail.touched, trail.asked,
    )  # fmt: skip


def context_key(names: dict[str, Value], captured: dict[str, Value], state: State) -> Any:
    """What tells contexts of one function apart, beside attributes that it touches and obligations that it
    asks for: all that a rule or an obligation may look at."""
    return (by_name(names), by_name(captured), state.context())


TRIED: Final = "tried"
"""What the key of a context begins with in which it was only asked whether anything happens, and it does."""


def by_name(values: dict[str, Value]) -> tuple[tuple[str, Value], ...]:
    """Names and their values in an order that does not depend on how they came about."""
    return tuple(values.items() if len(values) < 2 else sorted(values.items(), key=itemgetter(0)))


def widened(value: Value) -> Value:
    """The value without what only tells contexts apart: which number or text it is."""
    if isinstance(value.payload, Constant) and not isinstance(value.payload.value, bool):
        return Value(Kind.HOST)
    return value


def is_wide(key: Any) -> bool:
    """Whether `widened` leaves the key of a context as it is."""
    names, captured, _ = key if key[0] != TRIED else key[2]
    # Where only attributes are asked for, contexts are not counted.
    return names.__class__ is tuple and not any(
        widened(value) is not value for _, value in (*names, *captured)
    )


def are_idle(values: dict[Any, Value]) -> bool:
    """Whether the engine has nothing to do with any of the values."""
    return all(map(_is_idle, values.values()))


def _is_idle(value: Value) -> bool:
    if value.kind in _ENGINE_KINDS:
        return False
    held = value.payload
    if isinstance(held, Container):
        return all(map(_is_idle, (held.element, *(held.items or ()))))
    return True


def classes_in(value: Value) -> list[Class]:
    """Classes of the project that a value is an instance of, or holds instances of."""
    if value.payload is None:
        return []
    match value.payload:
        case Container(items, element):
            return [cls for item in (element, *(items or ())) for cls in classes_in(item)]
        case Module(parts=Value() as parts):
            return [*classes_in(parts), *(cls for cls in classes_of(value) if not isinstance(cls, str))]
        case Targets(of):
            found = []
            for target in of:
                if isinstance(target, Bound):
                    found += classes_in(target.receiver) if target.receiver is not None else []
                    found += [cls for _, held in target.captured for cls in classes_in(held)]
            return found
    return [cls for cls in classes_of(value) if not isinstance(cls, str)]


def neutral_state(state: State) -> State:
    """Nothing is recorded and nothing open, in a program that is set up as in `state`."""
    neutral = State()
    if state.engine.eager is not False:
        neutral.engine = neutral.engine._replace(eager=state.engine.eager)
    if state.setup.caches or state.setup.registered:
        neutral.setup = Setup(caches=state.setup.caches, registered=state.setup.registered)
    # The one process of a script: what uses a device in it is in the way of a launch, and of SPMD.
    if state.replicas.launched is False:
        neutral.replicas = neutral.replicas._replace(launched=False)
    if state.replicas.spmd is False:
        neutral.replicas = neutral.replicas._replace(spmd=False)
    return neutral


def _is_neutral(state: State) -> bool:
    neutral = neutral_state(state)
    # What it called without doing anything itself is told its caller all the same.
    if state.engine.idle_since != AT_ENTRY:
        neutral.engine = neutral.engine._replace(idle_since=state.engine.idle_since)
    return state == neutral


def entry_state(state: State, function: Function) -> State:
    """The caller's state as the called function sees it: places in the caller are all "before".

    A scope that stands at the function's own definition, such as that of a compiled function, is its own.
    """
    entry = state.copy()
    entry.asked = Asked()
    engine = state.engine
    if engine.since or engine.idle_since != AT_ENTRY or engine.markers or engine.clock:
        since = (ENTRY,) if engine.since else ()
        entry.engine = engine._replace(
            since=since, idle_since=AT_ENTRY, markers=frozenset(), clock=engine.clock and ENTRY
        )
    if state.of_few_rounds:
        entry.scopes = state.scopes._replace(seldom=True)
    if state.scopes.open:
        own = function.site
        scopes = (
            scope if scope.site == own else Scope(scope.kind, ENTRY, depth)
            for depth, scope in enumerate(state.scopes.open)
        )
        entry.scopes = entry.scopes._replace(open=tuple(scopes))
    if state.replicas.splits:
        splits = (
            split._replace(
                site=ENTRY, depth=depth, assumes=assumptions.TELLS_MASTER if split.assumes else split.assumes
            )
            for depth, split in enumerate(state.replicas.splits)
        )
        entry.replicas = state.replicas._replace(splits=tuple(splits))
    entry.obligations = frozenset(o.inside_call() for o in state.obligations if o.terms.enters_calls)
    trust = state.trust
    if trust.opaque or trust.summing:
        entry.trust = trust._replace(
            opaque=assumptions.STEPS_ELSEWHERE if trust.opaque else trust.opaque,
            summing=assumptions.SUMMED_ELSEWHERE if trust.summing else trust.summing,
        )
    entry.loop = NOTHING_DONE
    entry.facts = frozenset()
    entry.collectives = ()
    return entry


def entered_state(context: tuple[Any, ...], owed: int) -> State:
    """A state in which a function was entered, of what told its context apart, with obligations of the sorts
    that it asked for."""
    entry = State(*context)
    entry.obligations |= {Obligation(sort, ()) for sort, bit in WAITING.items() if bit & owed}
    return entry


def unknown_state() -> State:
    """The state in which a function is entered when nothing is known of its callers.

    Nothing is surely recorded or reduced and nothing owed, so that nothing is alarmed on but what the
    function surely does by itself.
    """
    perhaps = Recorded(Weight.NONE, Weight.HEAVY)
    state = State()
    state.engine = Engine(perhaps, (ENTRY,), perhaps, eager=None, idle_since=())
    state.gradients = Gradients(frozenset(Gradient))
    state.trust = Trust(assumptions.MANY, assumptions.MANY, assumptions.MANY)
    return state


def exit_state(
    left: State, asked: int, before: State, site: Site, function: Site,
    told: Callable[[frozenset[Fact]], frozenset[Fact]], reads: Callable[[Activity], tuple[str, ...]],
) -> State:  # fmt: skip
    """The state a called function left that has `asked` for some sorts of obligations, as the caller sees it;
    `told` gives facts in the caller's words, and `reads` the names from which comes what it reads."""
    state = left.copy()
    state.asked = before.asked
    # Most calls leave most of it as it was.
    state.scopes = before.scopes
    if left.scopes.no_grad != before.scopes.no_grad:
        state.scopes = before.scopes._replace(no_grad=left.scopes.no_grad)
    opened, around = left.scopes.open, before.scopes.open
    if len(opened) != len(around):  # by hand: it is for another function to leave what this one has entered
        own = (Scope(scope.kind, site) for scope in opened[len(around) :])
        state.scopes = state.scopes._replace(open=(*around[: len(opened)], *own))
    if left.replicas.splits != before.replicas.splits:
        state.replicas = left.replicas._replace(splits=before.replicas.splits)
    since = left.engine.since
    if since:
        since = places(*(before.engine.since if place.is_entry else (site,) for place in since))
    state.engine = left.engine._replace(
        since=since,
        idle_since=idle_after(left, before, site),
        # It did something, or there would be nothing to take over.
        markers=needed(before.engine.markers) | left.engine.markers & {OF_CALLERS},
        clock=_clock_after(left.engine, before.engine),
    )
    if left.obligations or before.obligations:
        state.obligations = _obligations_after(left, asked, before, site, told)
    state.facts = before.facts
    if left.loop == NOTHING_DONE:
        state.loop = before.loop
    else:
        done = left.loop.all
        alone = not (done.cuts or done.may_cut or done.reads or done.opens_step)
        training = Training(site, function, done.backward and done.steps, alone)
        works = any(not place.is_entry for place in left.engine.since)
        outside = bool(left.loop.own.read_outside)
        leaves = left.engine.recorded.must if works else Weight.NONE
        fetch = Fetch(site, leaves, reads(done) if before.scopes.in_loop else (), outside)
        state.loop = Loop(
            join_activities(before.loop.own, _at(left.loop.own, training, fetch)),
            join_activities(before.loop.nested, _at(left.loop.nested, training, fetch)),
            before.loop.finds_callers and not left.loop.all.works,
            left.loop.draws if before.loop.draws is None else before.loop.draws,
        )
    state.collectives = before.collectives
    if left.collectives:
        reached = [(name, (site, *path)) for name, path in left.collectives]
        state.collectives = met(before.collectives, reached)
    return state


def _clock_after(left: Engine, before: Engine) -> Site | None:
    """The clock that was read last, after a call: the function's own is of no use outside of it."""
    return before.clock if left.clock is not None and left.clock.is_entry else None


def idle_after(left: State, before: State, site: Site) -> tuple[LastCut, ...]:
    """The cuts since which nothing was recorded, after a call: those of the function stand at the call."""
    if left.engine.idle_since == AT_ENTRY:
        return before.engine.idle_since
    cuts = left.engine.idle_since
    if any(cut.site.is_entry for cut in cuts):
        # On some way it did nothing: what counts is what was before, if anything.
        cuts = cuts if before.engine.idle_since else ()
    return tuple(
        dict.fromkeys(
            each
            for cut in cuts
            for each in (
                before.engine.idle_since if cut.site.is_entry else (LastCut(site, cut.cause, cut.assumes),)
            )
        )
    )


def _at(activity: Activity, call: Training, fetch: Fetch) -> Activity:
    """What a called function did, as done where it was called."""
    placed = activity.cut_by or activity.closures or activity.trained or activity.dynamo
    if not (placed or activity.fetches):
        return activity
    site = call.site
    return activity._replace(
        cut_by=frozenset((cause, site) for cause, _ in activity.cut_by),
        closures=frozenset(site for _ in activity.closures),
        trained=frozenset({call}) if activity.trained else frozenset(),
        fetches=frozenset({fetch}) if activity.fetches else frozenset(),
        dynamo=frozenset((site, assumes) for _, assumes in activity.dynamo),
    )


def _obligations_after(
    left: State, asked: int, before: State, site: Site, told: Callable[[frozenset[Fact]], frozenset[Fact]]
) -> frozenset[Obligation]:
    """What the caller still owes after a call, and what the called function has left to it."""
    inside = {o for o in left.obligations if o.inherited}
    held = left_by_work(before.obligations) if left.loop.all.works else before.obligations
    owed = {
        o
        for o in held
        if not o.terms.enters_calls or WAITING.get(o.owed, 0) & ~asked or o.inside_call() in inside
    }
    for changed in inside:
        if changed.owed not in MADE_OF:
            continue
        # A cut of the caller's met, inside the call, what makes something else of it.
        owed |= {
            o._replace(
                owed=Owed.ACCUMULATION if before.ends_micro_batches(o) else changed.owed,
                assumes=both(o.assumes, changed.assumes),
                before_barrier=changed.before_barrier,
            )
            for o in before.owes(MADE_OF[changed.owed])
        }
    for o in left.obligations - inside:
        if o.owed in OF_ONE_MODEL and left.loop.all.trains:
            continue
        owed.add(
            o._replace(
                path=_path_after(o, site),
                held_by=frozenset(),
                in_loop=o.in_loop or before.hot,
                split=_resolved(o.split, before.replicas.splits) if o.split is not None else None,
                since=places_of_caller(o.since, before.engine.since),
                when=told(o.when) | before.rare if o.owed is Owed.SPLIT_STEP else told(o.when),
            )
        )
    return _without_pairs(frozenset(owed))


def _without_pairs(owed: frozenset[Obligation]) -> frozenset[Obligation]:
    """What is left when a collective that some replicas reached is met by what the others reach later."""
    waiting = [o for o in owed if o.owed is Owed.COLLECTIVE and o.split is not None]
    met = {
        one
        for one in waiting
        for other in waiting
        if one.detail == other.detail and one.split and other.split
        and one.split.master is not other.split.master
    }  # fmt: skip
    return owed - met if met else owed


def _path_after(obligation: Obligation, site: Site) -> Path:
    """The way to where something came to be owed, as the caller sees it that called at `site`."""
    if all(place.in_framework for place in obligation.path):
        return (site,)  # a framework's call is where users see it
    return (site, *obligation.path) if _is_placed_outside(obligation) else obligation.path


def owed_by_few_ways(obligations: frozenset[Obligation]) -> frozenset[Obligation]:
    """What a function leaves to its caller; of what differs in the way to where it was opened, the nearest.

    A diagnostic stands no further in than at the first place of the way, and is about the last.
    """
    if len(obligations) <= MOST_WAYS:
        return obligations
    alike: dict[Obligation, list[Obligation]] = {}
    for obligation in obligations:
        ends = (*obligation.path[:1], *obligation.path[-1:])
        alike.setdefault(obligation._replace(path=ends, since=()), []).append(obligation)
    if all(len(ways) <= MOST_WAYS for ways in alike.values()):
        return obligations
    return frozenset(
        way for ways in alike.values() for way in sorted(ways, key=_length_and_order)[:MOST_WAYS]
    )


def _length_and_order(obligation: Obligation) -> tuple[int, tuple[object, ...]]:
    return len(obligation.path), obligation.order


def seen_from(view: View, before: State) -> View:
    """The view of a called function, with what its caller held in the place of what it inherited."""
    return view._replace(
        scopes=view.scopes._replace(open=_resolved_all(view.scopes.open, before.scopes.open)),
        replicas=view.replicas._replace(splits=_resolved_all(view.replicas.splits, before.replicas.splits)),
        since=places_of_caller(view.since, before.engine.since),
    )


def _resolved_all(held: tuple[_Held, ...], outer: tuple[_Held, ...]) -> tuple[_Held, ...]:
    return tuple(_resolved(one, outer) for one in held)


def _resolved(held: _Held, outer: tuple[_Held, ...]) -> _Held:
    """The scope or test of the caller that one stands for, where the caller's are known."""
    return outer[held.depth] if held.inherited and held.depth < len(outer) else held


def told_once(occurrences: list[Occurrence]) -> tuple[Occurrence, ...]:
    """What happened in a function, each event once for everything that rules may tell apart.

    Of several ways to one event, only those count that a diagnostic may be placed by: so what there
    is to tell does not grow with the number of call paths.
    """
    if len(occurrences) < 2:
        return tuple(occurrences)
    # Events that differ mostly stand at different places, which is quicker to see than that they are equal.
    places_of = [(occurrence.event.site.line, occurrence.event.site.column) for occurrence in occurrences]
    times = Counter(places_of)
    if len(times) == len(occurrences):
        return tuple(occurrences)
    alike: dict[object, list[Occurrence]] = {}
    for number, occurrence in enumerate(occurrences):
        alone = times[places_of[number]] == 1
        alike.setdefault(number if alone else (occurrence.event, occurrence.view), []).append(occurrence)
    return tuple(
        way for ways in alike.values() for way in (ways if len(ways) == 1 else _ways_that_count(ways))
    )


def carried_once(carried: list[Carried]) -> tuple[Carried, ...]:
    """Derived events that callers fill in, each once: it is told by the obligation, so where else
    work was recorded makes no difference."""
    if len(carried) < 2:
        return tuple(carried)
    return tuple({(c.event, c.view._replace(since=()), c.facts): c for c in carried}.values())


def _ways_that_count(ways: list[Occurrence]) -> Iterable[Occurrence]:
    """Of several ways to one event, the shortest to each place where a diagnostic may stand.

    A diagnostic stands in the function that holds its owner, which may be any scope or test that the
    event speaks of: at the call that leads to the event from there, or at the event itself. Where only
    a caller holds the owner, it stands above all these ways alike.
    """
    kept: dict[tuple[int, Site | None], tuple[Any, Occurrence]] = {}
    for way in ways:
        for number, owner in enumerate((None, *_owners(way))):
            steps = _steps_to(owner, way.callers)
            inner = way.callers[:steps] if steps else way.callers
            place = inner[-1].site if steps else None
            known = kept.get((number, place))
            if known is not None and len(inner) > known[0][0]:
                continue  # mostly its length tells
            rank = (len(inner), [c.site for c in reversed(inner)], [c.since for c in way.callers])
            if known is None or rank < known[0]:
                kept[number, place] = (rank, way)
    return dict.fromkeys(way for _, way in kept.values())


def _owners(occurrence: Occurrence) -> list[Scope | Split]:
    """The scopes and tests that a diagnostic about an event may be placed by."""
    view = occurrence.view
    owners: list[Scope | Split] = [*view.scopes.open, *view.replicas.splits]
    event = occurrence.event
    if isinstance(event, Settled) and event.obligation.split is not None:
        owners.append(event.obligation.split)
    return owners


def _steps_to(owner: Scope | Split | None, callers: tuple[Caller, ...]) -> int:
    """How many calls above the event the function is that holds `owner`; 0: it, or none that is known."""
    for steps, caller in enumerate(callers, 1):
        if owner is None or not owner.inherited:
            return steps - 1
        held: tuple[Scope | Split, ...] = caller.scopes if isinstance(owner, Scope) else caller.splits
        owner = held[owner.depth] if owner.depth < len(held) else None
    return 0 if owner is None or owner.inherited else len(callers)


def is_open(occurrence: Occurrence) -> bool:
    """Whether a caller holds something that the occurrence speaks of."""
    if not occurrence.callers:
        event = occurrence.event
        if isinstance(event, Settled):
            if event.obligation.split is not None and event.obligation.split.inherited:
                return True
            if any(site.is_entry for site in event.obligation.since):
                return True
        return not occurrence.view.is_local
    caller = occurrence.callers[-1]
    return stands_for_callers(caller.scopes, caller.splits, caller.since)


def is_hidden(occurrence: Occurrence) -> bool:
    """Whether all that is known of the way to an occurrence stands in programs of frameworks."""
    return all(site.in_framework for site in occurrence.event.path) and all(
        caller.site.in_framework for caller in occurrence.callers
    )


def spelled(event: Event, spelling: str) -> Event:
    """An event in a framework's program, with the user's call in the place of what stands there."""
    if isinstance(event, Settled) and event.obligation.detail == THE_FRAMEWORK:
        event = replace(event, obligation=event.obligation._replace(detail=spelling))
    if getattr(event, "spelling", "") != THE_FRAMEWORK:
        return event
    return replace(event, spelling=spelling)  # type: ignore[call-arg]


def spell_obligations(state: State, spelling: str) -> None:
    """The same for what is owed."""
    if any(obligation.detail == THE_FRAMEWORK for obligation in state.obligations):
        state.obligations = frozenset(
            o._replace(detail=spelling) if o.detail == THE_FRAMEWORK else o for o in state.obligations
        )


def with_obligation(event: Any, obligation: Obligation) -> Any:
    return replace(event, obligation=obligation, assumes=both(event.assumes, obligation.assumes))


def changed_containers(
    function: Function, given: dict[str, Value], left: dict[str, Value]
) -> tuple[tuple[str, Value], ...]:
    """What a function was given to hold others, and has changed, as it leaves it, by parameter.

    That may also be something unknown which it has given what matters to the engine: `args.rank = ...`; and a
    tensor of which it has shown that it is one, as what computes its gradients does.
    """
    return tuple(
        (name, left[name])
        for name, before in given.items()
        if name in left and left[name] != before and _has_changed(function, name, before, left[name])
    )


def _has_changed(function: Function, name: str, before: Value, now: Value) -> bool:
    if isinstance(before.payload, Container | StateDict):
        return isinstance(now.payload, type(before.payload))
    if before.kind is Kind.TENSOR:
        shown = now.kind is Kind.TENSOR and now.assumes < before.assumes
        return shown and name not in _bound_anew(function)
    given = isinstance(now.payload, Fields) and before.kind in (Kind.UNKNOWN, Kind.HOST)
    return given and name not in _bound_anew(function)


@remembered(1024)
def _bound_anew(function: Function) -> frozenset[str]:
    """The names to which a function itself gives other objects."""
    return named(function.node, ast.Store)


def outlives(
    value: Value, store: Store, given: dict[str, Value], captured: dict[str, Value],
    attributes: dict[AttributeKey, Value],
    within_reach: Callable[[dict[str, Value]], Iterable[AttributeKey]],
) -> bool:  # fmt: skip
    """Whether work that a function recorded is still on something when its own names are gone.

    Gradients, parameters, what it returns and what it changed of its caller's keep work alive.

    Args:
        given: What it was given.
        captured: What it sees of the functions around it: it may have given such a name something else.
        attributes: What objects held when it was entered.
        within_reach: The attributes of objects that values lead to.
    """
    heavy = Weight.HEAVY  # light work stays in any case
    if value.recorded.may is heavy or store.state.engine.parameters.may or store.state.loop.all.backward:
        return True
    if any(_may_gain(store.names.get(name, before), before) for name, before in given.items()):
        return True
    if any(
        held is not before and held.recorded.may is heavy
        for name, before in captured.items()
        if (held := store.names.get(name)) is not None
    ):
        return True
    changed = {key for key, held in store.attributes.items() if _may_gain(held, attributes.get(key, NONE))}
    # An object of its own is gone with its names, unless it is returned.
    return bool(changed) and not changed.isdisjoint(within_reach({**captured, **given, "": value}))


def lets_go_of_trained(
    value: Value, store: Store, function: Function, given: dict[str, Value], captured: dict[str, Value]
) -> bool:
    """Whether all that a function may have trained is gone when it returns: it has made the models itself.

    An object may hold an optimizer that it steps, and a tensor that is returned holds, by its history, what
    has been trained.

    Args:
        given: What it was given.
        captured: What it sees of the functions around it.
    """
    section, shared = function.site.section, {*function.free_names(), *captured, *given}
    own = {name: held for name, held in store.names.items() if name not in shared}
    made = {
        held.payload.identity
        for held in own.values()
        if isinstance(held.payload, Module)
        and not (held.payload.or_other and not held.payload.of)  # which was met here, and made by others
        and any(site.section == section for site in held.payload.identity)
    }
    over = {held.payload.over for held in own.values() if isinstance(held.payload, Optimizer)}
    if not over or not over <= made or store.state.trust.opaque or value.kind not in _OF_HOST:
        return False
    around = (*given.values(), *captured.values(), *store.attributes.values())
    names = frozenset(name for name, held in own.items() if _is_of(held, made))
    return not any(_is_of(held, made) for held in around) and not _puts_away(function.node, names)


@remembered(256)
def _puts_away(function: FunctionNode, names: frozenset[str]) -> bool:
    """Whether a function may put what some names hold where that outlives it, as into a caller's list."""
    plain: set[ast.AST] = set()
    for node in within(function):
        match node:
            case ast.Attribute(value=ast.Name() as used) | ast.Call(func=ast.Name() as used):
                plain.add(used)
        if isinstance(node, ast.Call) and (
            isinstance(node.func, ast.Name) or last_name(node.func) in functions.SUMMING
        ):
            plain.update(node.args)
            plain.update([keyword.value for keyword in node.keywords])
    return any(
        isinstance(node, ast.Name)
        and isinstance(node.ctx, ast.Load)
        and node.id in names
        and node not in plain
        for node in within(function)
    )


def _is_of(held: Value, made: set[Path]) -> bool:
    """Whether a value is an optimizer, or one of some models."""
    match held.payload:
        case Optimizer():
            return True
        case Module(identity):
            return identity in made
        case Container(items, element):
            return any(_is_of(item, made) for item in (element, *(items or ())))
    return False


_OF_HOST: Final = frozenset({Kind.NONE, Kind.HOST, Kind.CONSTANT})


def _may_gain(held: Value, before: Value) -> bool:
    """Whether something that outlives a function may hold heavy work that it did not hold before it.

    A container to which the function has added some is none the heavier for it.
    """
    if held.recorded.may is not Weight.HEAVY:
        return False
    return before.recorded.may is not Weight.HEAVY or (
        held is not before and isinstance(held.payload, Container)
    )


def differs_in_bound_only(state: State, other: State) -> bool:
    """Whether two states are equal but for a bound that was reached on the way to one of them.

    Since when nothing was recorded, as far as is assumed, makes no difference to what is; nor does it that
    batches were moved.
    """
    same = state.copy()
    same.trust = same.trust._replace(bounded=other.trust.bounded)
    same.engine = same.engine._replace(idle_since=other.engine.idle_since, markers=other.engine.markers)
    moves = other.loop.own.moves
    same.loop = same.loop._replace(own=same.loop.own._replace(moves=moves))
    return same == other


def generated(summary: Summary, function: FunctionNode) -> Value:
    """What a generator yields. Each `next` of it cuts when its one `yield` follows a cut, and running out of
    it does when that is what its loop does. Its batches are as large as those that it passes on."""
    element = join_all((given.value for given in summary.yields), UNKNOWN)
    cuts: bool | None = False
    if any(given.after_cut for given in summary.yields) or (summary.store and summary.store.state.loop.cuts):
        places = {given.site for given in summary.yields}
        cuts = True if len(places) == 1 and all(given.after_cut for given in summary.yields) else None
    if cuts is not False:
        at_end = cuts is True and all(map(_is_over_cutting, summary.yields))
        return _passing_on(Loader(run(element), cuts, at_end), summary, function)
    perhaps = (given.over for given in summary.yields if given.over and given.over.kind in _MAY_BE_LOADER)
    over = next(perhaps, None)
    if over is not None:
        return UNKNOWN._replace(recorded=element.recorded, payload=Iterated(element, over))
    return _passing_on(Loader(element), summary, function)


def _passing_on(loader: Loader, summary: Summary, function: FunctionNode) -> Value:
    """What a generator gives, with what is known of the batches of the one loader that it goes over.

    One that asks anything, or fills up, may leave out or change those of another shape.
    """
    over = {given.over.payload if given.over is not None else None for given in summary.yields}
    (inner,) = over if len(over) == 1 else (None,)
    if isinstance(inner, Loader) and not (_asks(function) or fills_to_few_lengths(function)):
        loader = loader._replace(ragged=inner.ragged, whole=inner.whole, padded=inner.padded)
    return Value(Kind.LOADER, payload=loader)


def _asks(function: FunctionNode) -> bool:
    return any(isinstance(node, ast.If | ast.IfExp | ast.Match | ast.Try) for node in within(function))


def _is_over_cutting(given: Yielded) -> bool:
    """Whether the loop around a `yield` goes over a loader that cuts, also where it runs out."""
    loader = given.over.payload if given.over is not None else None
    return isinstance(loader, Loader) and loader.cuts is True and loader.cuts_at_end


def _is_placed_outside(obligation: Obligation) -> bool:
    """Whether a caller, which holds the loop, cut or rank test, owns what is said of an obligation."""
    if not obligation.terms.placed_in_caller:
        return False
    return obligation.split is None or obligation.split.inherited


_ENGINE_KINDS: Final = kinds_that("concerns_engine")


_MAY_BE_LOADER: Final = kinds_that("may_be_loader")
