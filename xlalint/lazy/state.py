"""The state of the lazy engine at one moment of the user's program.

It falls into sub-states: immutable records of what belongs together, each with its own join. Every
field of a sub-state says in one table how two of its values become one (`JOINS`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from enum import Enum
from typing import Any, NamedTuple, TypeVar

from xlalint.lazy import assumptions
from xlalint.lazy.assumptions import Assumptions, both, either, weight
from xlalint.lazy.site import ENTRY, Path, Site
from xlalint.lazy.values import BY_IDENTITY, NOTHING, Recorded, Weight

_T = TypeVar("_T")

MOST_PLACES = 3
"""Of the places where pending work was recorded, at most so many are remembered."""
MOST_MEETINGS = 8
"""Of the calls of one collective, at most so many are remembered."""


class ScopeKind(Enum):
    """A region of the program that the engine, or one of our rules, treats as a whole."""

    STEP = "torch_xla.step()"
    COMPILE = "torch_xla.compile"
    FULL_GRAPH = "torch_xla.compile(full_graph=True)"
    TRACE = "xp.Trace"
    STEP_TRACE = "xp.StepTrace"
    OPTIMIZER = "optimizer step"
    EAGER = "eager_mode_context"

    __hash__ = BY_IDENTITY

    @property
    def is_step(self) -> bool:
        """Whether a cut is made at its entry and exit, and none is wanted between."""
        return self in _STEP_SCOPES


_STEP_SCOPES = frozenset({ScopeKind.STEP, ScopeKind.COMPILE, ScopeKind.FULL_GRAPH})


class Scope(NamedTuple):
    """An open scope. `depth` counts, inside a summary, the caller's scope it stands for."""

    kind: ScopeKind
    site: Site
    depth: int = -1

    @property
    def inherited(self) -> bool:
        """Whether a caller of the present function opened it."""
        return self.depth >= 0


class Split(NamedTuple):
    """The replicas are not all here: those for which the test at `site` came out as `polarity` are.

    `master` says whether the master is among them, `assumes` what must be so for all of one sort to be.
    """

    site: Site
    polarity: bool
    assumes: Assumptions = assumptions.NONE
    master: bool = True
    depth: int = -1

    @property
    def certain(self) -> bool:
        """Whether all replicas of one sort are among them."""
        return not self.assumes

    @property
    def inherited(self) -> bool:
        """Whether a caller of the present function made the test."""
        return self.depth >= 0

    @property
    def is_rank_test(self) -> bool:
        """Whether the test is known to tell the master from the others.

        A test of a value that differs between replicas, such as a loss, splits them too, but into
        arms of which nobody knows who is in which.
        """
        return self.master or self.certain


class Gradient(Enum):
    """How far the gradients of the current step have come."""

    NONE = "none"
    LOCAL = "local"
    REDUCED = "reduced"
    USED = "used"

    __hash__ = BY_IDENTITY


class Cause(Enum):
    """What cut the graph."""

    MARKER = "marker"
    BARRIER = "optimizer_step(barrier=True)"
    SCOPE_ENTRY = "step scope entry"
    SCOPE_EXIT = "step scope exit"
    LOADER = "loader"
    STEP_TRACE = "StepTrace exit"
    RENDEZVOUS = "rendezvous"
    FRAMEWORK = "step marker of a framework"
    READ = "another read"

    __hash__ = BY_IDENTITY

    @property
    def explicit(self) -> bool:
        """Whether the programmer wrote this cut as such."""
        return self in (Cause.MARKER, Cause.BARRIER)


# Obligations ------------------------------------------------------------------------------------


class Owed(Enum):
    """What an obligation waits for; `TERMS` says how each is settled, dropped and carried."""

    READ = "host read; the next cut runs the step again"
    EXIT = "loop left before its last step has run"
    SPLIT_STEP = "cut between backward and the optimizer step"
    STEP_IN_TWO = "optimizer step after such a cut, unless gradients are accumulated over it"
    ACCUMULATION = "cut between two backwards of one optimizer step"
    CLIP = "gradients clipped before they were reduced"
    CLOSURE = "step closure that has not run yet"
    COLLECTIVE = "collective that other replicas have not reached"
    LONE_CUT = "cut that only some replicas made"
    STEPS = "steps of a loop that nothing in it ends or reads"

    __hash__ = BY_IDENTITY


class Terms(NamedTuple):
    """The terms of one sort of obligation, read by the model, by summaries and by the guard.

    Args:
        dropped_by_cut: A cut settles it, silently.
        settled_by_one_arm: Settled in one arm of a branch, it is taken as settled after the branch.
        told_apart_by_detail: Two that differ in their detail are two, also inside a called function.
        enters_calls: A called function can settle it.
        placed_in_caller: The diagnostic belongs to the function that makes the settling cut or holds
            the rank test, and so its path starts there.
        needs_heavy_work: It is void once no heavy work is recorded any more.
    """

    dropped_by_cut: bool = False
    settled_by_one_arm: bool = False
    told_apart_by_detail: bool = False
    enters_calls: bool = True
    placed_in_caller: bool = False
    needs_heavy_work: bool = False


TERMS: dict[Owed, Terms] = {
    Owed.READ: Terms(placed_in_caller=True, needs_heavy_work=True),
    Owed.EXIT: Terms(
        dropped_by_cut=True, settled_by_one_arm=True, told_apart_by_detail=True, needs_heavy_work=True
    ),
    Owed.SPLIT_STEP: Terms(),
    Owed.STEP_IN_TWO: Terms(enters_calls=False),
    Owed.ACCUMULATION: Terms(enters_calls=False),
    Owed.CLIP: Terms(),
    Owed.CLOSURE: Terms(dropped_by_cut=True, settled_by_one_arm=True),
    Owed.COLLECTIVE: Terms(enters_calls=False),
    Owed.LONE_CUT: Terms(dropped_by_cut=True, settled_by_one_arm=True, placed_in_caller=True),
    Owed.STEPS: Terms(settled_by_one_arm=True, needs_heavy_work=True),
}


class Fact(NamedTuple):
    """How a test came out: whether `subject` is `value`, both as text."""

    subject: str
    value: str
    holds: bool

    def excludes(self, other: Fact) -> bool:
        """Whether the two cannot both be so."""
        if self.subject != other.subject:
            return False
        if self.value == other.value:
            return self.holds is not other.holds
        return self.holds and other.holds


class Obligation(NamedTuple):
    """Something one event opened and a later one settles.

    `path` leads to the opening event; it is empty when a caller's obligation is meant, which the
    caller puts in its place when it replays the summary. `detail` is what the rule's message and
    the settling need: the read's spelling, the way a loop was left, the collective's name and tag.
    """

    owed: Owed
    path: Path
    assumes: Assumptions = assumptions.NONE
    in_loop: bool = False
    detail: str = ""
    split: Split | None = None
    since: tuple[Site, ...] = ()
    """Where the work had been recorded that the opening event was about."""
    before_barrier: bool = False
    """Nothing was recorded between a cut and the optimizer step that cuts by itself."""
    when: frozenset[Fact] = frozenset()
    """How tests of this function came out where it was opened: it is owed where they still do."""

    @property
    def inherited(self) -> bool:
        """Whether a caller's obligation is meant."""
        return not self.path

    @property
    def terms(self) -> Terms:
        """How obligations of this sort are settled, dropped and carried."""
        return TERMS[self.owed]

    def inside_call(self) -> Obligation:
        """This obligation as a called function sees it: not where it was opened, only that it was."""
        return Obligation(
            self.owed, (), assumptions.NONE, False, self.detail if self.terms.told_apart_by_detail else ""
        )

    @property
    def order(self) -> tuple[object, ...]:
        """All that tells obligations of one sort apart, or they would come in the order of hashes."""
        return (
            self.path, sorted(self.assumes), self.in_loop, self.detail, _order_of(self.split), self.since,
            self.before_barrier, sorted(self.when),
        )  # fmt: skip


def _order_of(split: Split | None) -> tuple[object, ...]:
    if split is None:
        return ()
    return (split.site, split.polarity, sorted(split.assumes), split.master, split.depth)


# Sub-states -------------------------------------------------------------------------------------


class LastCut(NamedTuple):
    """A cut since which nothing was recorded, as far as is assumed.

    Without a cause it stands for "whatever was last, before the present function was entered".
    """

    site: Site
    cause: Cause | None = None
    assumes: Assumptions = assumptions.NONE


class Marker(NamedTuple):
    """What is known of one of the present function's markers, on one way through it.

    Args:
        assumes: What must be so for nothing to have been recorded between it and other cuts.
        cuts: The cuts that make it redundant, those before it or the one that came next. Without any, and
            while it is not needed, nothing was recorded since and what comes next will tell.
        cause: What made the first of them.
        comes_next: Whether they came next.
        needed: It had work to run that no other cut ran before that was needed.
    """

    site: Site
    assumes: Assumptions = assumptions.NONE
    cuts: tuple[Site, ...] = ()
    cause: Cause | None = None
    comes_next: bool = False
    needed: bool = False

    @property
    def is_open(self) -> bool:
        """Whether what comes next tells if it was needed."""
        return not (self.cuts or self.needed)


AT_ENTRY = (LastCut(ENTRY),)
OF_CALLERS = Marker(ENTRY, needed=True)
"""Something in the present function needs the markers that stand before it in whoever calls."""


class Engine(NamedTuple):
    """What is recorded on the device, and whether the engine records at all.

    Args:
        recorded: Work recorded and not yet run.
        since: Where that work was recorded.
        parameters: Work recorded on parameters: what a state dict or a module takes along.
        parameters_reduced: What is recorded on parameters surely depends on a collective.
        gradients: Work recorded on gradients: what backward recorded since the last cut.
        eager: Whether eager mode is on; None: not known.
        skip_cut: A `StepTrace` has just marked: the loader's next cut is left out.
        idle_since: The cuts since which nothing was recorded, one for each way that leads here; () where on
            some way something was, or may have been.
        markers: The markers of the present function, on whatever way.
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

    def works(self) -> Engine:
        """The same after something was recorded, or may have been."""
        return self._replace(idle_since=(), markers=needed(self.markers))

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


def needed(markers: frozenset[Marker]) -> frozenset[Marker]:
    """The markers after something has happened that needs those before it."""
    if not any(marker.is_open for marker in markers):
        return markers
    return frozenset(Marker(marker.site, needed=True) if marker.is_open else marker for marker in markers)


class Scopes(NamedTuple):
    """Where in the program we are: the open scopes, the outermost first, and what else surrounds us."""

    open: tuple[Scope, ...] = ()
    in_closure: bool = False
    """A step closure is running."""
    in_forward: bool = False
    """A module's `forward` is running."""
    in_loop: bool = False
    in_batches: bool = False
    """A loop over a loader, in this function or around a call of it, is going on."""

    def of(self, *kinds: ScopeKind) -> Scope | None:
        """The outermost open scope of one of `kinds`, or None."""
        for scope in self.open:
            if scope.kind in kinds:
                return scope
        return None

    @property
    def step(self) -> Scope | None:
        """The outermost open step scope (step, compile), or None."""
        return self.of(ScopeKind.STEP, ScopeKind.COMPILE, ScopeKind.FULL_GRAPH) if self.open else None

    @property
    def profiler(self) -> Scope | None:
        """The outermost open profiler scope, or None."""
        return self.of(ScopeKind.TRACE, ScopeKind.STEP_TRACE) if self.open else None


class Replicas(NamedTuple):
    """Which replicas are here, and how they work together; True, False or None for "not known".

    Args:
        splits: The tests that have sent other replicas elsewhere, the outermost first.
        launched: Whether several replicas were started.
        wrapped: Whether the model is wrapped by DDP or FSDP, so that backward reduces.
        spmd: Whether SPMD mode is on.
    """

    splits: tuple[Split, ...] = ()
    launched: bool | None = None
    wrapped: bool | None = None
    spmd: bool | None = None


_AT_REST = frozenset({Gradient.NONE, Gradient.USED})


def _site_of(row: tuple[Site, frozenset[Gradient]]) -> Site:
    return row[0]


class Gradients(NamedTuple):
    """How far the gradients have come: those of the optimizers in `named`, and those of all others.

    An optimizer is known by where it was built.
    """

    others: frozenset[Gradient] = frozenset({Gradient.NONE})
    named: tuple[tuple[Site, frozenset[Gradient]], ...] = ()

    def of(self, optimizer: Site | None) -> frozenset[Gradient]:
        """The gradients of one optimizer; None: of whichever has been used since backward."""
        for site, gradients in self.named:
            if site == optimizer:
                return gradients
        if optimizer is None and self.named:
            return frozenset().union(*(gradients for _, gradients in self.named))
        return self.others

    def change(self, optimizer: Site | None, now: Gradient) -> Gradients:
        """The same after one optimizer's gradients became `now`; None: those of all.

        Gradients that were used or dropped wait for nothing: only while another optimizer's do is it
        told apart whose they are.
        """
        if optimizer is None:
            return Gradients(frozenset({now}))
        waiting = [(site, held) for site, held in self.named if site != optimizer and not held <= _AT_REST]
        if now in _AT_REST and not waiting:
            return Gradients(frozenset({now}))
        return Gradients(self.others, tuple(sorted((*waiting, (optimizer, frozenset({now}))), key=_site_of)))

    def join(self, other: Gradients) -> Gradients:
        """What holds when either of the two does."""
        if self == other:
            return self
        sites = sorted({site for site, _ in (*self.named, *other.named)})
        return Gradients(
            self.others | other.others,
            tuple((site, self.of(site) | other.of(site)) for site in sites),
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


class Activity(NamedTuple):
    """What a stretch of the program did.

    Args:
        works: It recorded heavy work.
        reads: It read on the host what may be a step's work.
        backward: It computed gradients.
        steps: It stepped an optimizer.
        cuts: It surely cut the graph.
        may_cut: It perhaps did.
        cut_by: What cut it, and where, outside of profiler scopes.
        opens_step: It opened a step scope.
        closures: Where it added step closures.
        trained: Where it computed gradients or applied them.
    """

    works: bool = False
    reads: bool = False
    backward: bool = False
    steps: bool = False
    cuts: bool = False
    may_cut: bool = False
    cut_by: frozenset[tuple[Cause, Site]] = frozenset()
    opens_step: bool = False
    closures: frozenset[Site] = frozenset()
    trained: frozenset[Training] = frozenset()

    @property
    def trains(self) -> bool:
        """Whether it computed gradients or applied them."""
        return self.backward or self.steps

    def cut_sites(self, cause: Cause) -> list[Site]:
        """Where `cause` cut it, in the order of the source."""
        return sorted(site for cut_by, site in self.cut_by if cut_by is cause)


class Loop(NamedTuple):
    """What happened since the innermost loop was entered: by itself, and in loops inside it."""

    own: Activity = Activity()
    nested: Activity = Activity()
    finds_callers: bool = False
    """Whatever heavy work is recorded on a value, the function's caller recorded it."""

    @property
    def all(self) -> Activity:
        """What happened in it, wherever."""
        return join_activities(self.own, self.nested)

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
            of_step: Whether it goes over a few updates of one step. One over several optimizers always does.
        """
        finds_callers = outer.finds_callers and self.finds_callers
        if self.own.steps and (not self.all.backward or (of_step and not (self.cuts or self.may_cut))):
            own, nested = join_activities(outer.own, self.own), join_activities(outer.nested, self.nested)
            return Loop(own, nested, finds_callers)
        return Loop(outer.own, join_activities(outer.nested, self.all), finds_callers)


NOTHING_DONE = Loop()


class Trust(NamedTuple):
    """What makes the rest of the state less sure.

    Args:
        opaque: An unknown callee got the model, optimizer, loader or trainer since the last cut: that
            it does not cut is assumed.
        bounded: A bound of the analyzer was reached on the way here, or a guess was made: that it was
            right is assumed.
    """

    opaque: Assumptions = assumptions.NONE
    bounded: Assumptions = assumptions.NONE


class View(NamedTuple):
    """What rules may see of the state in which an event happened."""

    scopes: Scopes = Scopes()
    replicas: Replicas = Replicas()
    since: tuple[Site, ...] = ()
    eager: bool | None = False
    opaque: bool = False
    opened_step: bool = False
    """Whether the innermost loop has opened a step scope of its own before."""

    @property
    def is_local(self) -> bool:
        """Whether nothing in it stands for something of the function that calls."""
        return not stands_for_callers(self.scopes.open, self.replicas.splits, self.since)


class State:
    """What the lazy engine holds, as exactly as the observer knows it."""

    __slots__ = (
        "collectives", "engine", "facts", "gradients", "loop", "obligations", "replicas", "scopes", "trust",
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
        facts: frozenset[Fact] = frozenset(),
    ) -> None:
        """
        Args:
            collectives: Collectives reached since the innermost split, by operation and tag.
            facts: How tests of the present function came out. They say what is met, and tell no states apart.
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

    def copy(self) -> State:
        """An independent state that holds the same."""
        return State(
            self.engine, self.scopes, self.replicas, self.gradients, self.loop, self.trust,
            self.obligations, self.collectives, self.facts,
        )  # fmt: skip

    def map(self, how: Callable[[Any], Any]) -> State:
        """The state with each part as `how` makes it."""
        return State(
            how(self.engine), how(self.scopes), how(self.replicas), how(self.gradients), how(self.loop),
            how(self.trust), how(self.obligations), how(self.collectives), how(self.facts),
        )  # fmt: skip

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, State):
            return NotImplemented
        return self.key() == other.key()

    __hash__ = None  # type: ignore[assignment]

    def key(self) -> tuple[object, ...]:
        """All that the state holds, to look a summary up by."""
        return (
            self.engine, self.scopes, self.replicas, self.gradients, self.loop, self.trust,
            self.obligations, self.collectives,
        )  # fmt: skip

    def view(self) -> View:
        """What rules may see of it now."""
        engine = self.engine
        return View(
            self.scopes, self.replicas, engine.since, engine.eager, bool(self.trust.opaque),
            self.loop.own.opens_step,
        )  # fmt: skip

    @property
    def seldom(self) -> bool:
        """Whether a test of a step counter, such as `step % 100 == 0`, has led here."""
        return any(
            "%" in fact.subject and (fact.value == "0" if fact.holds else fact.value == "True")
            for fact in self.facts
        )

    @property
    def hot(self) -> bool:
        """Whether what happens here happens in every iteration of a loop, as far as can be seen."""
        return self.scopes.in_loop and not self.seldom

    @property
    def split(self) -> Split | None:
        """The outermost replica split, or None when all replicas are here."""
        return self.replicas.splits[0] if self.replicas.splits else None

    @property
    def pending(self) -> bool:
        """Whether heavy work is surely recorded."""
        return self.engine.recorded.must is Weight.HEAVY

    def owes(self, owed: Owed) -> list[Obligation]:
        """The open obligations of one sort, in a stable order."""
        if not self.obligations:
            return []
        return sorted((o for o in self.obligations if o.owed is owed), key=lambda o: o.order)


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
        a.facts & b.facts,
    )


def join_loops(a: Loop, b: Loop) -> Loop:
    """What happened in a loop in one of two ways."""
    if a is b:
        return a
    return Loop(
        join_activities(a.own, b.own),
        join_activities(a.nested, b.nested),
        a.finds_callers and b.finds_callers,
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


def _agreed(a: bool | None, b: bool | None) -> bool | None:
    return a if a == b else None


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


JOINS: dict[type, dict[str, Callable[[Any, Any], Any]]] = {
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
    },
    Scopes: {
        "open": _common_prefix,
        "in_closure": _both,
        "in_forward": _both,
        "in_loop": _either,
        "in_batches": _either,
    },
    Replicas: {
        "splits": _common_prefix,
        "launched": _agreed,
        "wrapped": _agreed,
        "spmd": _agreed,
    },
    Activity: {
        "works": _either,
        "reads": _either,
        "backward": _either,
        "steps": _either,
        "cuts": _either,
        "may_cut": _either,
        "cut_by": _united,
        "opens_step": _either,
        "closures": _united,
        "trained": _united,
    },
    Trust: {"opaque": either, "bounded": either},
}
"""How two values of each field become one, in the order of the fields."""
