"""The state of the lazy engine at one moment of the user's program.

It falls into sub-states: immutable records of what belongs together, each with its own join. Every
field of a sub-state says in one table how two of its values become one (`JOINS`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from typing import Any, Final, NamedTuple, TypeVar

from xlalint.lazy import assumptions
from xlalint.lazy.assumptions import Assumptions, both, either, weight
from xlalint.lazy.cuts import AT_ENTRY, Cause, LastCut, Marker, needed
from xlalint.lazy.gradients import Gradients
from xlalint.lazy.obligations import ASKED, OF_FILES, WAITING, Asked, Fact, Obligation, Owed
from xlalint.lazy.scopes import Replicas, Scope, Scopes, Split
from xlalint.lazy.sharding import Setup
from xlalint.lazy.site import Path, Site
from xlalint.lazy.values import NOTHING, Recorded, Weight

_T = TypeVar("_T")

MOST_PLACES: Final = 3
"""Of the places where pending work was recorded, at most so many are remembered."""
MOST_MEETINGS: Final = 8
"""Of the calls of one collective, at most so many are remembered."""


# Sub-states -------------------------------------------------------------------------------------


class Engine(NamedTuple):
    """What is recorded on the device, and whether the engine records at all.

    Args:
        recorded: Work recorded and not yet run.
        since: Where that work was recorded.
        parameters: Work recorded on parameters: what a state dict or a module takes along.
        parameters_reduced: What is recorded on parameters surely depends on a collective.
        gradients: Work recorded on gradients: what backward recorded since the last cut.
        eager: Whether eager mode is on; None: not known.
        skip_cut: A `StepTrace` has begun since a loader gave a batch: its next cut is left out.
        idle_since: The cuts since which nothing was recorded, one for each way that leads here; () where on
            some way something was, or may have been.
        markers: The markers of the present function, on whatever way.
        unwaited: Heavy work was surely recorded since a clock was read or the device waited for.
        clock: The place of the clock that was read last; of another round of a loop only if these are few.
        of_forward: Some of it was recorded by the `forward` that is running, or may have been.
    """

    recorded: Recorded = NOTHING
    since: tuple[Site, ...] = ()
    parameters: Recorded = NOTHING
    parameters_reduced: bool = False
    gradients: Recorded = NOTHING
    eager: bool | None = False
    skip_cut: bool = False
    idle_since: tuple[LastCut, ...] = AT_ENTRY
    markers: frozenset[Marker] = frozenset()
    unwaited: bool = False
    clock: Site | None = None
    of_forward: bool = False

    def works(self) -> Engine:
        """The same after something was recorded, or may have been."""
        markers = needed(self.markers)
        if not self.idle_since and markers is self.markers:
            return self  # as mostly: not one operation in ten is the first after a cut
        return self._replace(idle_since=(), markers=markers)

    def holds(self, recorded: Recorded, site: Site) -> Engine:
        """The same after something was recorded at `site`, or may have been, so that this is recorded."""
        engine, since = self.works(), self.since
        if len(since) < MOST_PLACES and site not in since:
            since = (*since, site)
        if recorded == engine.recorded and since is engine.since:
            return engine
        return engine._replace(recorded=recorded, since=since)

    def trusts(self, assumes: Assumptions) -> Engine:
        """The same where it is assumed that nothing was recorded or read."""
        idle_since = tuple(cut._replace(assumes=both(cut.assumes, assumes)) for cut in self.idle_since)
        return self._replace(
            idle_since=() if any(weight(cut.assumes) > 1 for cut in idle_since) else idle_since,
            markers=frozenset(
                marker._replace(assumes=both(marker.assumes, assumes)) if marker.is_open else marker
                for marker in self.markers
            ),
        )


class Training(NamedTuple):
    """A place where gradients were computed or applied.

    Args:
        function: The one that is called there and does it; None: it is done there itself.
        whole: A call that does both, and so a whole step.
        alone: A call that neither cuts the graph nor reads.
    """

    site: Site
    function: Site | None = None
    whole: bool = False
    alone: bool = False


class Fetch(NamedTuple):
    """A place where the host reads what the device holds, or a function is called that does.

    Args:
        leaves: The work that this function surely leaves behind, where it has recorded some itself.
        of: The names of the caller from which comes what this function reads; none: those that stand there.
        outside: What is read there is light work of the loop, outside the step scope that it opens.
    """

    site: Site
    leaves: Weight = Weight.NONE
    of: tuple[str, ...] = ()
    outside: bool = False


class Activity(NamedTuple):
    """What a stretch of the program did.

    Args:
        works: It recorded heavy work.
        reads: It read on the host what may be a step's work.
        fetches: Where it read what would run the device in the middle of a step.
        backward: It computed gradients.
        clears: It dropped them, in each round of a loop.
        steps: It stepped an optimizer.
        steps_often: It did so elsewhere than below a test of a counter.
        cuts: It surely cut the graph.
        cuts_often: It did so elsewhere than below a test of a counter.
        may_cut: It perhaps did.
        cut_by: What cut it, and where, outside of profiler scopes.
        opens_step: It opened a step scope.
        saves: It wrote parameters to a file, which runs what is recorded on them.
        closures: Where it added step closures.
        trained: Where it computed gradients or applied them.
        meets: The collectives in which replicas wait for each other.
        asks: It asked whether the replica is about to be stopped.
        moves: It moved to the device what a loader of the host had yielded.
        dynamo: Where it ran models that `torch.compile` made, by the backend of torch_xla, in training, and
            what must be so for that.
    """

    works: bool = False
    reads: bool = False
    fetches: frozenset[Fetch] = frozenset()
    backward: bool = False
    clears: bool = False
    steps: bool = False
    steps_often: bool = False
    cuts: bool = False
    cuts_often: bool = False
    may_cut: bool = False
    cut_by: frozenset[tuple[Cause, Site]] = frozenset()
    opens_step: bool = False
    saves: bool = False
    closures: frozenset[Site] = frozenset()
    trained: frozenset[Training] = frozenset()
    meets: frozenset[str] = frozenset()
    asks: bool = False
    moves: bool = False
    dynamo: frozenset[tuple[Site, Assumptions]] = frozenset()

    @property
    def trains(self) -> bool:
        """Whether it computed gradients or applied them."""
        return self.backward or self.steps

    @property
    def trains_or_cuts(self) -> bool:
        """Whether it trained, or cut the graph, or perhaps did."""
        return self.trains or self.cuts or self.may_cut

    @property
    def read_outside(self) -> frozenset[Site]:
        """Where it read light work outside of its step scope."""
        return frozenset(fetch.site for fetch in self.fetches if fetch.outside)

    def cut_sites(self, cause: Cause) -> list[Site]:
        """Where `cause` cut it, in the order of the source."""
        return sorted(site for cut_by, site in self.cut_by if cut_by is cause)


class Loop(NamedTuple):
    """What happened since the innermost loop was entered: by itself, and in loops inside it."""

    own: Activity = Activity()
    nested: Activity = Activity()
    finds_callers: bool = False
    """Whatever heavy work is recorded on a value, the function's caller recorded it."""
    draws: Assumptions | None = None
    """What must be so for random numbers to have been drawn on the device, whichever way it went, of those
    drawn before; None: not every way has drawn some."""

    @property
    def all(self) -> Activity:
        """What happened in it, wherever."""
        return join_activities(self.own, self.nested)

    @property
    def did_anything(self) -> bool:
        """Whether anything happened in it that the engine has to do with."""
        return self.own != _NO_ACTIVITY or self.nested != _NO_ACTIVITY

    @property
    def cuts(self) -> bool:
        """Whether the graph was surely cut."""
        return self.own.cuts or self.nested.cuts

    @property
    def may_cut(self) -> bool:
        """Whether the graph was perhaps cut."""
        return self.own.may_cut or self.nested.may_cut

    @property
    def step_function(self) -> Training | None:
        """The call that is all of its training, if there is one."""
        trained = self.all.trained
        only = next(iter(trained)) if len(trained) == 1 else None
        return only if only is not None and only.whole and only.function is not None else None

    @property
    def markers(self) -> list[Site]:
        """Where markers of its own end its steps, in the order of the source.

        There are none where an optimizer step cuts by itself as well.
        """
        own = self.own
        return [] if own.cut_sites(Cause.BARRIER) else own.cut_sites(Cause.MARKER)

    @property
    def closures(self) -> list[Site]:
        """Where it adds step closures, not in loops inside it, in the order of the source."""
        return sorted(self.own.closures)

    def inside(self, outer: Loop, *, of_step: bool = False) -> Loop:
        """`outer` with this loop in it.

        Args:
            outer: What happened in the loop around it.
            of_step: Whether it goes over a few updates of one step. One without backward always does.
        """
        finds_callers = outer.finds_callers and self.finds_callers
        draws = self.draws if outer.draws is None else outer.draws
        if self.own.steps and (not self.all.backward or (of_step and not (self.cuts or self.may_cut))):
            own, nested = join_activities(outer.own, self.own), join_activities(outer.nested, self.nested)
            return Loop(own, nested, finds_callers, draws)
        return Loop(outer.own, join_activities(outer.nested, self.all), finds_callers, draws)


NOTHING_DONE: Final = Loop()
_NO_ACTIVITY: Final = Activity()


class Raised(NamedTuple):
    """A statement that surely raises, on the way to all that comes after it.

    Args:
        site: Where it stands.
        why: What is wrong with it, as a sentence without its end.
        since: The first release of torch_xla in which it raises; None where it does in any.
    """

    site: Site
    why: str
    since: tuple[int, int] | None = None


class Trust(NamedTuple):
    """What makes the rest of the state less sure.

    Args:
        opaque: An unknown callee got the model, optimizer, loader or trainer since the last cut: that
            it does not cut is assumed.
        bounded: A bound of the analyzer was reached on the way here, or a guess was made: that it was
            right is assumed.
        summing: An unknown callee got the model or optimizer since the last backward: that it sums no
            gradients over the replicas is assumed.
        raised: What surely raises before: the program comes here when that is mended.
    """

    opaque: Assumptions = assumptions.NONE
    bounded: Assumptions = assumptions.NONE
    summing: Assumptions = assumptions.NONE
    raised: Raised | None = None


class View(NamedTuple):
    """What rules may see of the state in which an event happened."""

    scopes: Scopes = Scopes()
    replicas: Replicas = Replicas()
    since: tuple[Site, ...] = ()
    eager: bool | None = False
    opaque: bool = False
    opened_step: bool = False
    """Whether the innermost loop has opened a step scope of its own before."""
    raised: Raised | None = None
    read_outside: frozenset[Site] = frozenset()
    """Where it has read light work outside of that."""

    @property
    def is_local(self) -> bool:
        """Whether nothing in it stands for something of the function that calls."""
        return not stands_for_callers(self.scopes.open, self.replicas.splits, self.since)


class State:
    """What the lazy engine holds, as exactly as the observer knows it."""

    __slots__ = (
        "asked", "collectives", "engine", "facts", "gradients", "loop", "obligations", "replicas", "scopes",
        "setup", "trust",
    )  # fmt: skip

    # Many states are made at the start, and parts that are one object are quickly found to be equal.
    def __init__(
        self,
        engine: Engine = Engine(),  # noqa: B008 - immutable, as are all these parts
        scopes: Scopes = Scopes(),  # noqa: B008
        replicas: Replicas = Replicas(),  # noqa: B008
        gradients: Gradients = Gradients(),  # noqa: B008
        loop: Loop = NOTHING_DONE,
        trust: Trust = Trust(),  # noqa: B008
        obligations: frozenset[Obligation] = frozenset(),
        collectives: tuple[tuple[str, Path], ...] = (),
        setup: Setup = Setup(),  # noqa: B008
        facts: frozenset[Fact] = frozenset(),
        asked: Asked | None = None,
    ) -> None:
        """The parts of `key`, in its order, and the facts.

        Args:
            collectives: Collectives reached since the innermost split, by operation and tag.
            facts: How tests of the present function came out. They say what is met, and tell no states apart.
            asked: What the present function has asked for; all its states share it.
        """
        self.engine = engine
        self.scopes = scopes
        self.replicas = replicas
        self.gradients = gradients
        self.loop = loop
        self.trust = trust
        self.obligations = obligations
        self.collectives = collectives
        self.facts = facts
        self.setup = setup
        self.asked = Asked() if asked is None else asked

    def copy(self) -> State:
        """An independent state that holds the same."""
        return State(
            self.engine, self.scopes, self.replicas, self.gradients, self.loop, self.trust,
            self.obligations, self.collectives, self.setup, self.facts, self.asked,
        )  # fmt: skip

    def map(self, how: Callable[[Any], Any]) -> State:
        """The state with each part as `how` makes it."""
        return State(
            how(self.engine), how(self.scopes), how(self.replicas), how(self.gradients), how(self.loop),
            how(self.trust), how(self.obligations), how(self.collectives), how(self.setup), how(self.facts),
            self.asked,
        )  # fmt: skip

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, State):
            return NotImplemented
        return self.key() == other.key()

    __hash__ = None  # type: ignore[assignment]

    def key(self) -> tuple[object, ...]:
        """All that the state holds but for facts: what makes two of them equal."""
        return (
            self.engine, self.scopes, self.replicas, self.gradients, self.loop, self.trust,
            self.obligations, self.collectives, self.setup,
        )  # fmt: skip

    def context(self) -> tuple[object, ...]:
        """What tells it from others for a function that is entered in it: the same without obligations that
        only make a difference where they are asked for."""
        owed = self.obligations
        if self.waiting:
            owed = frozenset(o for o in owed if o.owed not in WAITING)
        return (
            self.engine, self.scopes, self.replicas, self.gradients, self.loop, self.trust,
            owed, self.collectives, self.setup,
        )  # fmt: skip

    @property
    def waiting(self) -> int:
        """The sorts of such obligations that are owed, as bits of `WAITING`."""
        bits = 0
        for o in self.obligations:
            bits |= WAITING.get(o.owed, 0)
        return bits

    def raises(self, raised: Raised) -> None:
        """A statement surely raises: what comes after is behind the first that does."""
        if self.trust.raised is None:
            self.trust = self.trust._replace(raised=raised)

    def view(self) -> View:
        """What rules may see of it now."""
        engine, done = self.engine, self.loop.own
        return View(
            self.scopes, self.replicas, engine.since, engine.eager, bool(self.trust.opaque),
            done.opens_step, self.trust.raised, done.read_outside if done.opens_step else frozenset(),
        )  # fmt: skip

    @property
    def seldom(self) -> bool:
        """Whether a test of a step counter, such as `step % 100 == 0`, has led here."""
        return any(fact.is_of_few_rounds for fact in self.facts)

    @property
    def rare(self) -> frozenset[Fact]:
        """The tests of a step counter that have led here."""
        return frozenset(fact for fact in self.facts if fact.is_of_few_rounds)

    def ends_micro_batches(self, cut: Obligation) -> bool:
        """Whether a cut between backward and an optimizer step here ends the last of several micro-batches,
        as the loader or this very cut ends the others."""
        return self.gradients.accumulated or bool(self.rare - cut.when)

    @property
    def hot(self) -> bool:
        """Whether what happens here happens in every iteration of a loop, as far as can be seen."""
        return self.scopes.in_loop and not (self.seldom or self.scopes.seldom)

    @property
    def in_every_round(self) -> bool:
        """Whether what happens here happens for every batch of a loader, as far as can be seen."""
        return self.scopes.in_batches and not self.of_few_rounds

    @property
    def of_few_rounds(self) -> bool:
        """Whether a test of a counter, here or in a caller, has led here."""
        return self.scopes.seldom or self.seldom or any(fact.is_of_one_round for fact in self.facts)

    @property
    def after_steps(self) -> bool:
        """Whether a loop inside the innermost one has gone over steps: what happens here comes once for all
        of them, as at the end of an epoch."""
        own, nested = self.loop.own, self.loop.nested
        if self.scopes.in_batches or own.trains:
            return False
        return nested.steps or (nested.works and nested.cuts and not nested.backward)

    @property
    def split(self) -> Split | None:
        """The outermost replica split, or None when all replicas are here."""
        return self.replicas.splits[0] if self.replicas.splits else None

    @property
    def pending(self) -> bool:
        """Whether heavy work is surely recorded."""
        return self.engine.recorded.must is Weight.HEAVY

    @property
    def awaits_a_reader(self) -> bool:
        """Whether it matters who reads files now: one was written for others, or for another function."""
        return any(ASKED.get(o.owed) == OF_FILES for o in self.obligations)

    def is_owed(self, owed: Owed) -> bool:
        """Whether there is any open obligation of one sort."""
        self.asked.sorts |= ASKED.get(owed, 0)
        return any(o.owed is owed for o in self.obligations)

    def owes(self, owed: Owed) -> list[Obligation]:
        """The open obligations of one sort, in a stable order."""
        self.asked.sorts |= ASKED.get(owed, 0)
        if not self.obligations:
            return []
        found = [o for o in self.obligations if o.owed is owed]
        return found if len(found) < 2 else sorted(found, key=lambda o: o.order)


def places(*sites: Iterable[Site]) -> tuple[Site, ...]:
    """Places where work was recorded, each once, and no more than are remembered."""
    return tuple(dict.fromkeys(site for some in sites for site in some))[:MOST_PLACES]


def places_of_caller(since: tuple[Site, ...], outer: tuple[Site, ...]) -> tuple[Site, ...]:
    """Places where work was recorded, with the caller's `outer` in the place of "before the call"."""
    if not any(site.is_entry for site in since):
        return since
    return places(*(outer if site.is_entry else (site,) for site in since))


def met(
    before: tuple[tuple[str, Path], ...], more: Iterable[tuple[str, Path]]
) -> tuple[tuple[str, Path], ...]:
    """Collectives reached in order, each once: once more round a loop is no further collective.

    Of one name at most so many are remembered. Two arms of a test are compared by their numbers, and
    the one that has more of what is remembered has more indeed.
    """
    reached = dict.fromkeys(before)
    counts = Counter(name for name, _ in before)
    for one in more:
        if one not in reached and counts[one[0]] < MOST_MEETINGS:
            counts[one[0]] += 1
            reached[one] = None
    return tuple(reached)


def stands_for_callers(scopes: tuple[Scope, ...], splits: tuple[Split, ...], since: tuple[Site, ...]) -> bool:
    """Whether any of what a function holds is something that a caller of it held."""
    return (
        any(scope.inherited for scope in scopes)
        or any(split.inherited for split in splits)
        or any(site.is_entry for site in since)
    )


# Joins ------------------------------------------------------------------------------------------


def join(a: State, b: State) -> State:
    """The state that stands for "either `a` or `b`"."""
    return State(
        _join(a.engine, b.engine),
        _join(a.scopes, b.scopes),
        _join(a.replicas, b.replicas),
        a.gradients.join(b.gradients),
        join_loops(a.loop, b.loop),
        _join(a.trust, b.trust),
        a.obligations | b.obligations,
        _longer(a.collectives, b.collectives),
        _join(a.setup, b.setup),
        a.facts & b.facts,
        a.asked,
    )


def join_loops(a: Loop, b: Loop) -> Loop:
    """What happened in a loop in one of two ways."""
    if a is b:
        return a
    return Loop(
        join_activities(a.own, b.own),
        join_activities(a.nested, b.nested),
        a.finds_callers and b.finds_callers,
        None if a.draws is None or b.draws is None else either(a.draws, b.draws),
    )


def join_activities(a: Activity, b: Activity) -> Activity:
    """What was done when both were done, or either."""
    return _join(a, b)


def _join(a: _T, b: _T) -> _T:
    if a is b or a == b:
        return a
    fields = zip(JOINS[type(a)].values(), a, b, strict=True)  # type: ignore[call-overload]
    joined: _T = type(a)(*[how(one, other) for how, one, other in fields])
    return joined


def _both(a: bool, b: bool) -> bool:
    return a and b


def _either(a: bool, b: bool) -> bool:
    return a or b


def _agreed(a: _T | None, b: _T | None) -> _T | None:
    return a if a == b else None


def _on_both_ways(a: Raised | None, b: Raised | None) -> Raised | None:
    """What raises on either way; nothing where one of them is free."""
    return None if a is None or b is None else min(a, b, key=lambda raised: (raised.site, raised.why))


def _agreed_on(a: _T | None, b: _T | None) -> _T | None:
    return a if a == b else None


def _common(a: frozenset[_T], b: frozenset[_T]) -> frozenset[_T]:
    return a & b


def _united(a: frozenset[_T], b: frozenset[_T]) -> frozenset[_T]:
    return a | b


def _longer(a: tuple[_T, ...], b: tuple[_T, ...]) -> tuple[_T, ...]:
    return a if len(a) >= len(b) else b


def _merged(a: tuple[Site, ...], b: tuple[Site, ...]) -> tuple[Site, ...]:
    return tuple(sorted({*a, *b})[:MOST_PLACES])


def _idle(a: tuple[LastCut, ...], b: tuple[LastCut, ...]) -> tuple[LastCut, ...]:
    return tuple(sorted({*a, *b}, key=_order_of_cut)[:MOST_PLACES]) if a and b else ()


def _order_of_cut(cut: LastCut) -> tuple[Site, str, list[str]]:
    return cut.site, cut.cause.value if cut.cause else "", sorted(cut.assumes)


def _common_prefix(a: tuple[_T, ...], b: tuple[_T, ...]) -> tuple[_T, ...]:
    length = 0
    for one, other in zip(a, b, strict=False):
        if one != other:
            break
        length += 1
    return a[:length]


JOINS: Final[dict[type, dict[str, Callable[[Any, Any], Any]]]] = {
    Engine: {
        "recorded": Recorded.join,
        "since": _merged,
        "parameters": Recorded.join,
        "parameters_reduced": _both,
        "gradients": Recorded.join,
        "eager": _agreed,
        "skip_cut": _either,
        "idle_since": _idle,
        "markers": _united,
        "unwaited": _both,
        "clock": _agreed,
        "of_forward": _either,
    },
    Scopes: {
        "open": _common_prefix,
        "in_closure": _both,
        "in_forward": _both,
        "in_loop": _either,
        "in_batches": _either,
        "seldom": _either,
        "no_grad": _agreed,
        "between": _agreed,
    },
    Replicas: {
        "splits": _common_prefix,
        "launched": _agreed,
        "wrapped": _agreed,
        "spmd": _agreed,
        "sharded": _agreed,
        "backend": _agreed,
    },
    Activity: {
        "works": _either,
        "reads": _either,
        "fetches": _united,
        "backward": _either,
        "clears": _either,
        "steps": _either,
        "steps_often": _either,
        "cuts": _either,
        "cuts_often": _either,
        "may_cut": _either,
        "cut_by": _united,
        "opens_step": _either,
        "saves": _either,
        "closures": _united,
        "trained": _united,
        "meets": _united,
        "asks": _either,
        "moves": _either,
        "dynamo": _united,
    },
    Trust: {"opaque": either, "bounded": either, "summing": either, "raised": _on_both_ways},
    Setup: {"mesh": _agreed_on, "marked": _common, "caches": _either, "registered": _either},
}
"""How two values of each field become one, in the order of the fields."""
