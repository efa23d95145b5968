"""The model of the lazy engine: how each thing a program does changes the state.

Both observers drive it: the analyzer from source, the guard from the running engine. It alone
decides what is remembered between two events (obligations); rules remember nothing.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable
from operator import itemgetter
from typing import Any

from xlalint.lazy import assumptions
from xlalint.lazy.assumptions import Assumptions, both, either
from xlalint.lazy.cuts import AT_ENTRY, OF_CALLERS, Cause, LastCut, Marker, needed
from xlalint.lazy.events import (
    AnomaliesSought,
    BarrierFault,
    BarrierMisused,
    CacheShared,
    CacheTooLate,
    CaptureBlocks,
    Change,
    CheckpointedByTorch,
    CheckpointTaken,
    ClippedEarly,
    ClosureAdded,
    ClosureNeverRun,
    ClosureSeesLater,
    Collective,
    CompiledInVain,
    Cut,
    DynamoRan,
    Event,
    Fault,
    FellBack,
    Form,
    FullySharded,
    GradientUsed,
    GraphChanged,
    GroupJoined,
    HostRead,
    LastBatchSmaller,
    LaunchedTooLate,
    Leaving,
    LeftAlone,
    LeftPending,
    LoadedByAnother,
    LoaderAbandoned,
    LoopLeft,
    MarkerRepeated,
    MethodMissed,
    ObjectsShared,
    OptimizerStepped,
    ReadApart,
    Reading,
    ReadThenCut,
    ReadTooEarly,
    ReducedAgain,
    ReplicasLaunched,
    SamplesRepeated,
    Save,
    ScalerStepped,
    ScopeEntered,
    ScopeLeft,
    SeedMissed,
    ShapeVaries,
    Sharded,
    SpmdTooLate,
    SteppedAgain,
    StepSplit,
    StepsRun,
    TrainedApart,
    TrainedUntraced,
    UnmatchedCollective,
    Use,
    Validated,
    WorkInAutocast,
    WorkTimed,
)
from xlalint.lazy.gradients import Gradient
from xlalint.lazy.obligations import Fact, Obligation, Owed, left_by_work
from xlalint.lazy.scopes import Scope, ScopeKind, Split
from xlalint.lazy.sharding import Marked, Mesh, Misuse, Spec, mismatch
from xlalint.lazy.site import ENTRY, Path, Site
from xlalint.lazy.state import MOST_PLACES, NOTHING_DONE, Engine, Loop, State, Timing, Training, met, places
from xlalint.lazy.state import join as join_states
from xlalint.lazy.values import NOTHING, Kind, Ragged, Recorded, Value, Weight, Whole

Emit = Callable[[Event, State], None]

_REDUCES = assumptions.assume("the step sums its gradients over the replicas")

_UPDATES_PEND = assumptions.assume("the parameters were updated")

_MEETING = frozenset({Cause.LOADER, Cause.RENDEZVOUS})
"""What waits for the other replicas by itself: a cut that only some make is told as that."""

_REPEATS = frozenset({Cause.LOADER, Cause.SCOPE_ENTRY, Cause.RENDEZVOUS})
"""What makes a marker superfluous that comes directly before it."""

_HOLDING = frozenset({"barrier", "rendezvous", "mesh_reduce"})
"""Where replicas wait on their hosts: what one has written before, the others find."""

_FEW = 2
"""To fetch so many numbers from the device costs about what it costs to stack them first."""

REDUCING, PLAIN = "xm.optimizer_step", "step"
"""How an optimizer was asked to step: with its gradients summed over the replicas first, or as they are."""

_LOCAL = frozenset({Gradient.LOCAL})
_REDUCED = frozenset({Gradient.REDUCED})


class LazyModel:
    """Transitions of the state. Events go to `emit` with the state they happened in."""

    __slots__ = ("_emit",)

    def __init__(self, emit: Emit) -> None:
        self._emit = emit

    def assumed(self, state: State, value: Value | None = None) -> Assumptions:
        """What a diagnostic here would take for granted."""
        trust = state.trust
        assumes = both(trust.opaque, trust.bounded)
        if value is not None:
            assumes = both(assumes, value.assumes)
        return both(assumes, assumptions.LAZY) if state.engine.eager is None else assumes

    def observe(
        self, state: State, *, recorded: Recorded, eager: bool, launched: bool,
        in_closure: bool, in_forward: bool, in_loop: bool,
    ) -> None:  # fmt: skip
        """The engine itself tells what it holds and where the program is: so it is, from now on.

        Args:
            recorded: What is recorded; work may have run without a cut, as a save makes it.
            eager: Whether eager mode is on.
            launched: Whether there are several replicas.
            in_closure: Whether a step closure is running.
            in_forward: Whether a module's `forward` is running.
            in_loop: Whether the program is in a loop.
        """
        state.scopes = state.scopes._replace(in_closure=in_closure, in_forward=in_forward, in_loop=in_loop)
        state.replicas = state.replicas._replace(launched=launched)
        state.engine = state.engine._replace(eager=eager, recorded=recorded)
        if recorded == NOTHING:
            state.engine = state.engine._replace(parameters=NOTHING, gradients=NOTHING, since=())
        else:
            state.engine = state.engine.works()
        if recorded.must is not Weight.HEAVY:
            # What was read or left has gone meanwhile: no cut can run it again.
            state.obligations = frozenset(o for o in state.obligations if not o.terms.needs_heavy_work)

    # Work ------------------------------------------------------------------------------------

    def record(self, state: State, weight: Weight, site: Site) -> Recorded:
        """Device work is recorded at `site`. Returns what its result has recorded."""
        engine = state.engine
        if weight is Weight.NONE or not self.records(state):
            return NOTHING
        if weight is Weight.HEAVY:
            self._settle_with_work(state, site)
            if not state.loop.own.works:
                _note(state, works=True)
            engine = engine._replace(unwaited=engine.clock is not None)
        recorded = engine.recorded.at_least(weight)
        state.engine = engine.works()._replace(recorded=recorded, since=_noted(engine.since, site))
        return Recorded(weight, weight)

    def record_perhaps(self, state: State, weight: Weight, site: Site) -> None:
        """Device work of at most `weight` is perhaps recorded at `site`."""
        engine = state.engine
        if weight is Weight.NONE or not self.records(state):
            return
        recorded = Recorded(engine.recorded.must, max(engine.recorded.may, weight))
        state.engine = engine.works()._replace(recorded=recorded, since=_noted(engine.since, site))
        if weight is Weight.HEAVY:
            state.obligations = left_by_work(state.obligations)
            if not state.loop.own.works:
                _note(state, works=True)

    def work_unseen(self, state: State, spelling: Callable[[], str] | None = None) -> None:
        """Something unknown is done without device values, as far as is seen; `spelling` tells what.

        That it records and reads nothing is assumed, though not of what was cut by a caller. Without a
        `spelling` it may as well be work on the device.
        """
        engine = state.engine
        if spelling is None:
            state.engine = engine.works()
            return
        if engine.idle_since == AT_ENTRY:
            engine = engine._replace(idle_since=())
        if engine.idle_since or engine.markers:
            engine = engine.trusts(assumptions.assume(f"`{spelling()}` does no work on the device"))
        state.engine = engine

    def vary_shape(
        self, state: State, value: Value, by: Form, spelling: str, site: Site, *,
        fills: bool = False, runs: bool = True,
    ) -> None:  # fmt: skip
        """The shape of what is computed of a device value depends on its numbers.

        `runs` says whether the engine runs what is recorded to know it; the host counts what is unique.
        """
        self._emit(ShapeVaries(site, self.assumed(state, value), by, spelling, fills, runs), state)

    def records(self, state: State) -> bool:
        """Whether the engine records what it is told to compute: in eager mode only inside a step."""
        return not state.engine.eager or state.scopes.step is not None

    def _settle_with_work(self, state: State, site: Site) -> None:
        for obligation in state.owes(Owed.AUTOCAST):
            met = both(obligation.assumes, state.trust.bounded)
            self._settle(state, obligation, WorkInAutocast(site, met, obligation))
        state.obligations = left_by_work(state.obligations)
        for obligation in state.owes(Owed.EXIT):
            if obligation.detail == "raise" or state.scopes.open:
                continue
            self._settle(state, obligation, LeftPending(site, obligation.assumes, obligation, Leaving.WORK))
        for obligation in state.owes(Owed.LONE_CUT):
            if not state.replicas.splits:
                self._settle(state, obligation, UnmatchedCollective(site, obligation.assumes, obligation))

    def read(
        self, state: State, value: Value, reading: Reading, spelling: str, site: Site, *,
        closure_argument: bool = False,
    ) -> None:  # fmt: skip
        """A value is read on the host. The engine keeps nothing of it: the state stays as it is."""
        assumes = self.assumed(state, value)
        if value.recorded.must and value.is_device:
            self._run_first(state, spelling, site, assumes)
        each = state.in_every_round
        self._emit(HostRead(site, assumes, value, reading, spelling, closure_argument, each), state)
        self.wait(state)
        if value.recorded.may is Weight.HEAVY:
            _note(state, reads=True)
            self._settle_steps_of_loops(state, f"the read `{spelling}`", site)
        if (
            value.recorded.must is Weight.HEAVY
            and value.is_device
            and state.scopes.step is None
            and not state.engine.eager
            and not state.scopes.in_closure
        ):
            since = state.engine.since
            if state.loop.finds_callers:
                since = places((ENTRY,), since)
            self._owe(state, Owed.READ, site, assumes, spelling, since=since)

    def read_apart(
        self, state: State, count: int, spelling: str, site: Site, *, runs: bool, assumes: Assumptions
    ) -> None:
        """Several numbers were read one by one, of which none has heavy work recorded.

        Two are told where each runs a graph. What has run before is only fetched: then more are, for every
        batch of a loader: a container may hold but one.

        Args:
            count: How many; 0: as many as a container holds.
            runs: Whether at least two of them run a graph.
        """
        scopes = state.scopes
        if scopes.step is not None or scopes.in_closure or state.engine.eager:
            return
        if state.hot if runs else state.in_every_round and count > _FEW:
            taken = both(self.assumed(state), assumes)
            self._emit(ReadApart(site, taken, count, spelling, runs), state)

    def let_die(self, state: State, before: Recorded, *, given: bool = False) -> None:
        """Nobody holds any more what a function recorded: the engine drops it, and no cut runs it again.

        What was read of it once ran once; what was read again ran again.
        Args:
            before: What was recorded when the function was entered.
            given: Whether it was given something of that, which its caller still holds.
        """
        if not (state.loop.cuts or state.loop.may_cut):
            # Light work in place is not told apart, and stays.
            must, may = (min(weight, Weight.LIGHT) for weight in state.engine.recorded)
            recorded = Recorded(max(before.must, must), max(before.may, may))
            state.engine = state.engine._replace(recorded=recorded)
        lasting = before.must is Weight.HEAVY or given
        own = [
            read
            for read in state.owes(Owed.READ)
            if not read.inherited and not (lasting and any(site.is_entry for site in read.since))
        ]
        own.sort(key=_places)
        told: set[Site] = set()
        for number, read in enumerate(own):
            again = next((other for other in own[number + 1 :] if _reads_again(other, read)), None)
            if again is None or not told.isdisjoint(read.since):
                state.obligations -= {read}
            else:
                told.update(read.since)
                met = both(read.assumes, again.assumes)
                self._settle(state, read, ReadThenCut(again.path[0], met, read, Cause.READ))

    # Random numbers ----------------------------------------------------------------------------

    def seed_host(self, state: State, site: Site) -> None:
        """The random numbers of the host get a seed. Those of the device have one of their own."""
        if not state.owes(Owed.SEEDED):
            state.obligations -= set(state.owes(Owed.SEED))
            self._owe(state, Owed.SEED, site, state.trust.bounded)

    def seed_device(self, state: State, site: Site) -> None:
        """The random numbers of the device get a seed."""
        state.obligations -= {*state.owes(Owed.SEED), *state.owes(Owed.DRAWN), *state.owes(Owed.SEEDED)}
        self._owe(state, Owed.SEEDED, site, assumptions.NONE)

    def draw(
        self, state: State, site: Site, *, trains: bool, assumes: Assumptions = assumptions.NONE
    ) -> None:
        """Random numbers are drawn on the device: if it `trains`, they count once gradients are computed."""
        assumes = both(self.assumed(state), assumes)
        for obligation in state.owes(Owed.SEED):
            if trains:
                self._owe(state, Owed.DRAWN, site, assumes)
            else:
                met = both(obligation.assumes, assumes)
                self._settle(state, obligation, SeedMissed(site, met, obligation))

    def _train_with_drawn(self, state: State, site: Site) -> None:
        drawn = state.owes(Owed.DRAWN)
        for obligation in state.owes(Owed.SEED) if drawn else ():
            met = both(obligation.assumes, functools.reduce(either, (each.assumes for each in drawn)))
            self._settle(state, obligation, SeedMissed(site, met, obligation))
        state.obligations -= set(drawn)

    # Cuts and scopes ---------------------------------------------------------------------------

    def cut(
        self, state: State, cause: Cause, spelling: str, site: Site, *,
        sure: bool = True, resets_scope: bool = True, assumes: Assumptions = assumptions.NONE,
        waits: bool = False, ends_loop: bool = True,
    ) -> None:  # fmt: skip
        """The graph is cut: what is recorded runs. With `sure` False perhaps it is not.

        `assumes` is what must be so for it to be a cut, `waits` tells that it waits for the device, and
        `ends_loop` that the loader whose next batch it is cuts at its end, too.
        The observer must let its live values know (`Value.run`), which the model does not hold.
        """
        engine = state.engine
        if not sure:
            state.engine = engine._replace(
                recorded=engine.recorded.perhaps(),
                parameters=engine.parameters.perhaps(),
                gradients=engine.gradients.perhaps(),
            )
            _note(state, may_cut=True)
            return
        taken = both(self.assumed(state), assumes)
        if engine.recorded.must:
            self._run_first(state, spelling, site, taken)
        self._emit(Cut(site, taken, cause, spelling, engine.recorded, engine.since, resets_scope), state)
        surely = ends_loop and not assumes
        markers = self._markers_after(state, cause, site, taken, waits=waits, repeats=surely)
        for obligation in state.owes(Owed.READ):
            met = both(obligation.assumes, assumes)
            self._settle(state, obligation, ReadThenCut(site, met, obligation, cause))
        self._settle_steps_of_loops(state, "the graph cut", site)
        closures = state.owes(Owed.CLOSURE)
        state.obligations = frozenset(o for o in state.obligations if not o.terms.dropped_by_cut)
        if cause.explicit and cause is not Cause.BARRIER and state.gradients.of(None) == _LOCAL:
            self._owe(state, Owed.SPLIT_STEP, site, assumptions.NONE, spelling)
        split = state.split
        if split is not None and state.pending and cause not in _MEETING:
            used = state.gradients.of(None) & {Gradient.REDUCED, Gradient.USED}
            assumes = split.assumes if used else both(split.assumes, _REDUCES)
            self._owe(state, Owed.LONE_CUT, site, assumes, spelling, split=split)
        idle_since = () if assumes else (LastCut(site, cause),)
        waits = waits or cause in _MEETING or bool(closures)
        clock = engine.clock
        if clock is not None and cause is Cause.MARKER:
            clock = clock._replace(marker=site)
        state.engine = Engine(
            eager=engine.eager, idle_since=idle_since, markers=markers,
            unwaited=engine.unwaited and not waits, clock=clock,
        )  # fmt: skip
        state.trust = state.trust._replace(opaque=assumptions.NONE)
        own = state.loop.own
        by = own.cut_by if state.scopes.profiler else own.cut_by | {(cause, site)}
        _note(state, cuts=True, cut_by=by)

    def _markers_after(
        self, state: State, cause: Cause, site: Site, assumes: Assumptions, *, waits: bool, repeats: bool
    ) -> frozenset[Marker]:
        """What is known of the markers after this cut, which may be one of them.

        `repeats` tells that it surely makes one superfluous that comes directly before it.
        """
        engine, scopes = state.engine, state.scopes
        markers = engine.markers
        if repeats and cause in _REPEATS:
            markers = frozenset(
                marker._replace(cuts=(site,), cause=cause, comes_next=True) if marker.is_open else marker
                for marker in markers
            )
        markers = needed(markers)
        if cause is not Cause.MARKER:
            return markers
        in_scope = scopes.step is not None or scopes.profiler is not None or scopes.in_closure
        before = engine.idle_since
        if waits or in_scope or engine.eager or state.owes(Owed.CLOSURE):
            own = Marker(site, needed=True)
        elif before and all(last.cause is not None and last.site != site for last in before):
            rests_on = functools.reduce(either, (last.assumes for last in before))
            cuts = tuple(last.site for last in before)
            own = Marker(site, both(assumes, rests_on), cuts, before[0].cause)
        else:
            own = Marker(site, assumes)
        return markers | {own}

    def settle_markers(self, states: Iterable[State]) -> None:
        """A function ends, in one of these states: which markers no way through it needs is told now."""
        known: dict[Site, set[Marker]] = {}
        for state in states:
            for marker in state.engine.markers - {OF_CALLERS}:
                known.setdefault(marker.site, set()).add(marker)
        for site, markers in sorted(known.items(), key=itemgetter(0)):
            if all(marker.cuts for marker in markers):
                assumes = functools.reduce(both, (marker.assumes for marker in markers))
                cuts = tuple(sorted({cut for marker in markers for cut in marker.cuts}))
                cause = min((marker.cause for marker in markers if marker.cause), key=lambda each: each.value)
                comes_next = all(marker.comes_next for marker in markers)
                self._emit(MarkerRepeated(site, assumes, cuts, cause, comes_next), State())

    def _need_markers(self, state: State) -> None:
        markers = state.engine.markers
        state.engine = state.engine._replace(markers=needed(markers) | {OF_CALLERS})

    def enter(self, state: State, scope: Scope, spelling: str) -> None:
        """A scope opens; a step scope cuts first."""
        if scope.kind.is_step:
            self.cut(state, Cause.SCOPE_ENTRY, spelling, scope.site)
            _note(state, opens_step=True)
        state.scopes = state.scopes._replace(open=(*state.scopes.open, scope))
        if scope.kind is ScopeKind.STEP_TRACE:
            state.obligations -= set(state.owes(Owed.TRACED))
        self._emit(ScopeEntered(scope.site, scope=scope), state)

    def enter_autocast(self, state: State, site: Site, *, assumes: Assumptions = assumptions.NONE) -> None:
        """From here on operations are computed in lower precision, but on other devices than those of XLA."""
        self._owe(state, Owed.AUTOCAST, site, both(assumes, state.trust.bounded))

    def leave_autocast(self, state: State, site: Site) -> None:
        """The autocast that was entered there ends."""
        state.obligations -= {o for o in state.owes(Owed.AUTOCAST) if o.path == (site,)}

    def leave(self, state: State, scope: Scope, spelling: str) -> None:
        """The innermost scope closes, in whatever way; step scopes and `StepTrace` cut."""
        held = state.scopes.open
        if scope in held:
            state.scopes = state.scopes._replace(open=held[: held.index(scope)])
        self._emit(ScopeLeft(scope.site, scope=scope), state)
        if scope.kind.is_step:
            self.cut(state, Cause.SCOPE_EXIT, spelling, scope.site)
        elif scope.kind is ScopeKind.STEP_TRACE:
            self.cut(state, Cause.STEP_TRACE, spelling, scope.site)
            state.engine = state.engine._replace(skip_cut=True)
            self._owe(state, Owed.TRACED, scope.site, self.assumed(state))

    def run_dynamo(
        self, state: State, backend: str | None, site: Site, *,
        built: Site, plain: bool, trains: bool = False, learns: bool = False,
        assumes: Assumptions = assumptions.NONE,
    ) -> None:  # fmt: skip
        """What `torch.compile` made at `built` runs on a device of XLA, by `backend`.

        Args:
            plain: Whether nothing was asked for that only the default backend takes.
            trains: Whether it is a whole training step.
            learns: Whether gradients may be computed of what it returns.
        """
        assumes = both(self.assumed(state), assumes)
        self._emit(DynamoRan(site, assumes, backend, built, plain, trains), state)
        if learns:
            _note(state, dynamo=state.loop.own.dynamo | {(site, assumes)})

    def compile_in_vain(self, state: State, fault: Fault, site: Site) -> None:
        """A step function is compiled, and does not do what is meant."""
        self._emit(CompiledInVain(site, state.trust.bounded, fault), state)

    def validate(self, state: State, value: Value, spelling: str, site: Site) -> None:
        """A distribution is made of device tensors, and checks them on the host."""
        self._emit(Validated(site, self.assumed(state, value), spelling), state)

    def seek_anomalies(self, state: State, spelling: str, site: Site) -> None:
        """Autograd is told to ask of each gradient whether it is a number."""
        self._emit(AnomaliesSought(site, state.trust.bounded, spelling), state)

    def miss_method(
        self, state: State, name: str, site: Site, *, assumes: Assumptions = assumptions.NONE
    ) -> None:
        """A compiled module is asked for a method that only the module itself has."""
        self._emit(MethodMissed(site, both(self.assumed(state), assumes), name), state)

    # Gradients -----------------------------------------------------------------------------------

    def backward(self, state: State, site: Site, *, sure: bool = True) -> None:
        """Gradients are computed; a wrapped model (DDP, FSDP) reduces them on the way.

        `sure` is False where it is not known that they are computed on the device.
        """
        self._emit(GradientUsed(site, use=Use.BACKWARD), state)
        self._train_with_drawn(state, site)
        self._train_untraced(state, site)
        if sure:
            recorded = self.record(state, Weight.HEAVY, site)
        else:
            self.record_perhaps(state, Weight.HEAVY, site)
            recorded = Recorded(Weight.NONE, state.engine.recorded.may)
        state.engine = state.engine._replace(gradients=recorded)
        for obligation in state.owes(Owed.SPLIT_STEP):
            # The cut ends a micro-batch; an optimizer step after it is not split.
            _exchange(state, obligation, obligation._replace(owed=Owed.ACCUMULATION))
        state.obligations -= set(state.owes(Owed.CLIP))
        now = Gradient.REDUCED if state.replicas.wrapped else Gradient.LOCAL
        state.gradients = state.gradients.change(None, now)
        _note(state, backward=True, trained=state.loop.own.trained | {Training(site)})

    def zero_gradients(self, state: State, optimizer: Site | None = None) -> None:
        """Gradients are dropped: those of the optimizer built there, or (None) all."""
        state.gradients = state.gradients.change(optimizer, Gradient.NONE)
        state.obligations -= set(state.owes(Owed.STEPPED))

    def change_gradients(self, state: State, use: Use, spelling: str, site: Site) -> None:
        """Gradients are clipped or unscaled."""
        self._emit(GradientUsed(site, use=use), state)
        self.record(state, Weight.LIGHT, site)
        # Where a loop or a branch may have computed none, or none since the last step, clipping does no harm.
        gradients = state.gradients.of(None)
        waits = Gradient.LOCAL in gradients and Gradient.REDUCED not in gradients
        if waits and state.replicas.launched is not False:
            self._owe(state, Owed.CLIP, site, self.assumed(state), spelling)

    def reduce_gradients(
        self, state: State, site: Site, optimizer: Site | None = None, *,
        spelling: str = "", sharded: bool | None = None,
    ) -> None:  # fmt: skip
        """Gradients are summed over the replicas: those of the optimizer built there, or (None) all.

        `sharded` says whether each replica holds those of other parameters; None: the state knows.
        """
        self._emit(GradientUsed(site, use=Use.REDUCE), state)
        if sharded is None and state.gradients.of(optimizer) == _REDUCED and state.replicas.wrapped:
            sharded = state.replicas.sharded
        if sharded is not None:
            self._emit(ReducedAgain(site, self.assumed(state), spelling, sharded), state)
        for obligation in state.owes(Owed.CLIP):
            self._settle(state, obligation, ClippedEarly(site, obligation.assumes, obligation))
        self.record(state, Weight.LIGHT, site)
        state.gradients = state.gradients.change(optimizer, Gradient.REDUCED)

    def step_optimizer(
        self, state: State, site: Site, *,
        stale: Path = (), off_device: bool = False, built: Path = (),
        assumes: Assumptions = assumptions.NONE, barrier: bool = False,
        reducing: bool = False, plain: bool = False, closure: bool = False,
    ) -> None:  # fmt: skip
        """Parameters are updated, by an optimizer built at `built` whose model moved at `stale`,
        with `off_device` from the device to the host.

        Args:
            assumes: What must be so for it to be an optimizer.
            barrier: A cut by the same call follows.
            reducing: The same call has summed its gradients over the replicas.
            plain: It is one of torch's own, and its model is known.
            closure: It computes gradients itself, by a closure.
        """
        assumes = both(self.assumed(state), assumes)
        optimizer = built[-1] if built else None
        unreduced = plain and not state.gradients.met and state.gradients.of(optimizer) == _LOCAL
        event = OptimizerStepped(site, assumes, stale, built, off_device, unreduced, reducing and closure)
        self._emit(event, state)
        self._train_untraced(state, site)
        self._step_again(state, site, built, reducing=reducing)
        for obligation in state.owes(Owed.TIED):
            met = both(obligation.assumes, assumes)
            self._settle(state, obligation, TrainedApart(site, met, obligation))
        before_barrier = barrier and state.engine.recorded == NOTHING
        for obligation in state.owes(Owed.SPLIT_STEP):
            split = obligation._replace(
                owed=Owed.STEP_IN_TWO,
                assumes=both(obligation.assumes, assumes),
                before_barrier=before_barrier,
            )
            _exchange(state, obligation, split)
        self.record(state, Weight.HEAVY, site)
        state.obligations -= set(state.owes(Owed.CLIP))
        reduced = state.gradients.of(optimizer) == _REDUCED
        state.gradients = state.gradients.change(optimizer, Gradient.USED)
        engine = state.engine._replace(parameters_reduced=reduced)
        if not (engine.eager and state.scopes.step is None):
            engine = engine._replace(parameters=Recorded(Weight.HEAVY, Weight.HEAVY))
        state.engine = engine
        _note(state, steps=True, trained=state.loop.own.trained | {Training(site)})
        if built:
            how = REDUCING if reducing else PLAIN
            self._owe(state, Owed.STEPPED, site, state.trust.bounded, how, since=built)

    def come_apart(
        self, state: State, site: Site, names: str, *, assumes: Assumptions = assumptions.NONE
    ) -> None:
        """A module moves by which each of its parts gets parameters of its own.

        Args:
            names: Those of a parameter that it had under two, as `head.weight, embedding.weight`.
        """
        self._owe(state, Owed.TIED, site, both(self.assumed(state), assumes), names)

    def _train_untraced(self, state: State, site: Site) -> None:
        for obligation in state.owes(Owed.TRACED):
            self._settle(state, obligation, TrainedUntraced(site, obligation.assumes, obligation))

    def _step_again(self, state: State, site: Site, built: Path, *, reducing: bool) -> None:
        """Nothing was computed since the last step of the same optimizer: one of the two is too many.

        Two plain steps may be meant; nobody sums gradients over the replicas to apply them once more.
        """
        for obligation in state.owes(Owed.STEPPED):
            same = bool(built) and obligation.since == built and obligation.path[-1] != site
            if same and (reducing or obligation.detail == REDUCING):
                self._settle(state, obligation, SteppedAgain(site, obligation.assumes, obligation))

    def step_scaler(
        self, state: State, spelling: str, site: Site, *, assumes: Assumptions = assumptions.NONE
    ) -> None:
        """A gradient scaler, if it is one that is on, asks on the host whether the step may be taken."""
        self._emit(ScalerStepped(site, both(self.assumed(state), assumes), spelling), state)

    def settle_steps(self, state: State) -> None:
        """No further backward can show that a step cut in two accumulates gradients: it is told now."""
        accumulated = {obligation.path for obligation in state.owes(Owed.ACCUMULATION)}
        for obligation in state.owes(Owed.STEP_IN_TWO):
            if obligation.inherited:
                continue
            if obligation.path not in accumulated:
                event = StepSplit(
                    obligation.path[-1], obligation.assumes, obligation, obligation.before_barrier
                )
                self._emit(event, state)
            state.obligations -= {obligation}

    def fall_back(self, state: State, operation: str, site: Site) -> None:
        """The host runs an operation that the engine cannot record: what it needs is launched and read."""
        self._emit(FellBack(site, self.assumed(state), operation), state)

    def checkpoint(
        self, state: State, value: Value, spelling: str, site: Site, *, reentrant: bool | None
    ) -> None:
        """PyTorch's own activation checkpointing gets a tensor on the device, `value`."""
        assumes = self.assumed(state, value)
        self._emit(CheckpointedByTorch(site, assumes, spelling, reentrant), state)

    def change_graph(self, state: State, change: Change, site: Site) -> None:
        """A loop that has warmed up records another graph than before: it is compiled."""
        self._emit(GraphChanged(site, self.assumed(state), change), state)

    # Clocks ------------------------------------------------------------------------------------------

    def read_clock(self, state: State, site: Site) -> tuple[Site | None, Site | None]:
        """The program asks for the time.

        Returns where it asked before, where heavy work has been recorded since that nothing waits for, and
        the last marker between; None: there is no such place.
        """
        before, unwaited = state.engine.clock, state.engine.unwaited
        state.engine = state.engine._replace(clock=Timing(site), unwaited=False)
        if before is None or not unwaited or state.trust.opaque or state.engine.eager is not False:
            return None, None
        return before

    def wait(self, state: State) -> None:
        """The host waits for the device, and so for what the markers before have launched."""
        self._need_markers(state)
        if state.engine.unwaited:
            state.engine = state.engine._replace(unwaited=False)

    def time_work(self, state: State, begun: Site, marker: Site | None, site: Site) -> None:
        """The time is taken since a clock was read at `begun`, with work between that nothing waits for."""
        self._emit(WorkTimed(site, self.assumed(state), begun, marker), state)

    def begin_round(self, state: State, *, may_cut: bool = False) -> None:
        """The next round of a loop begins; `may_cut`: what it goes over may cut the graph first."""
        if state.engine.clock is not None:
            state.engine = state.engine._replace(clock=None)
        if state.obligations:
            state.obligations -= set(state.owes(Owed.TRACED))
            for obligation in state.owes(Owed.CLOSURE) if may_cut else ():
                _exchange(state, obligation, obligation._replace(assumes=assumptions.MANY))

    # Replicas ------------------------------------------------------------------------------------

    def collective(
        self, state: State, operation: str, tag: str, site: Site, *, every_round: bool | None = None
    ) -> None:
        """Replicas meet. Counted, so that the arms of a rank test can be compared.

        `every_round` says whether they do so for every batch of a loader; None: the state knows.
        """
        hot = state.in_every_round if every_round is None else every_round
        self._emit(Collective(site, self.assumed(state), operation, tag, hot), state)
        self.meet_in_part(state)
        if operation in _HOLDING:
            state.obligations -= set(state.owes(Owed.WRITTEN))
        _note(state, meets=state.loop.own.meets | {operation})
        self._need_markers(state)
        state.collectives = met(state.collectives, [(f"{operation} {tag}".strip(), (site,))])

    def misuse_barrier(self, state: State, spelling: str, fault: BarrierFault, site: Site) -> None:
        """A barrier that holds nobody."""
        self._emit(BarrierMisused(site, state.trust.bounded, spelling, fault), state)

    def share_objects(
        self, state: State, what: str, site: Site, *, assumes: Assumptions = assumptions.NONE
    ) -> None:
        """Replicas send each other what PyTorch refuses to load: `what` says it in words."""
        self._emit(ObjectsShared(site, both(state.trust.bounded, assumes), what), state)

    def use_device(self, state: State, spelling: str, site: Site, *, as_single: bool = True) -> None:
        """This process uses a device, and so starts the runtime, if it has not yet.

        `as_single` says that without SPMD it is then known to it as one of several.
        """
        if as_single and state.replicas.spmd is False and not state.owes(Owed.SINGLE):
            self._owe(state, Owed.SINGLE, site, state.trust.bounded, spelling)

        if state.replicas.launched is False and not state.owes(Owed.DEVICE):
            self._owe(state, Owed.DEVICE, site, state.trust.bounded, spelling)

    def launch(
        self, state: State, spelling: str, site: Site, *,
        processes: int | None = None, known: bool = True, accepted: bool = True,
    ) -> None:  # fmt: skip
        """Replicas are started: `processes` as asked for (None: one for each device), where that is known.

        `accepted` says whether the function takes such a number at all.
        """
        self._emit(ReplicasLaunched(site, state.trust.bounded, spelling, processes, accepted), state)
        self._need_markers(state)
        for obligation in state.owes(Owed.DEVICE) if known and processes is None else ():
            self._settle(state, obligation, LaunchedTooLate(site, obligation.assumes, obligation))

    # SPMD ----------------------------------------------------------------------------------------

    def use_spmd(self, state: State, site: Site) -> None:
        """From here on one program drives all devices, and shards its tensors over them."""
        for obligation in state.owes(Owed.SINGLE):
            self._settle(state, obligation, SpmdTooLate(site, obligation.assumes, obligation))
        state.replicas = state.replicas._replace(spmd=True)

    def set_mesh(self, state: State, mesh: Mesh | None) -> None:
        """The global mesh is set; None: to one of which nothing is known."""
        state.setup = state.setup._replace(mesh=mesh)

    def shard(
        self, state: State, site: Site, spelling: str, spec: Spec, mesh: Mesh, *,
        rank: int | None = None, written: Site | None = None, parameter: tuple[Site, str] | None = None,
        before: Spec = (),
    ) -> None:  # fmt: skip
        """A tensor is sharded, or a loader told how to shard what it yields.

        Args:
            spec: How; empty: not known.
            rank: How many dimensions the tensor has; None: not known.
            written: Where a list stands in the place of the spec.
            parameter: Of which module the tensor is a parameter, and under which name.
            before: How it is sharded already, where the engine has told.
        """
        marked = {(one.module, one.name): one.spec for one in state.setup.marked}
        known = before or (marked.get(parameter, ()) if parameter is not None else ())
        before = known if known != spec else ()
        fault = mismatch(spec, mesh, rank) if spec else ""
        self._emit(Sharded(site, self.assumed(state), spelling, fault, written, before), state)
        if parameter is not None and not before:
            marked[parameter] = spec
            self._mark(state, marked)

    def clear_sharding(self, state: State, parameter: tuple[Site, str] | None) -> None:
        """A tensor is no longer sharded; None: it is not known which."""
        left = {(one.module, one.name): one.spec for one in state.setup.marked}
        if parameter is None:
            left.clear()
        left.pop(parameter, None)  # type: ignore[arg-type]
        self._mark(state, left)

    def _mark(self, state: State, marked: dict[tuple[Site, str], Spec]) -> None:
        # What is sharded along axes that are not known may be replicated: that is changed without an error.
        known = frozenset(Marked(*one, spec) for one, spec in marked.items() if any(spec))
        state.setup = state.setup._replace(marked=known)

    def shard_fully(
        self, state: State, site: Site, wrapped: Site, misuse: Misuse | None, *,
        assumes: Assumptions = assumptions.NONE,
    ) -> None:  # fmt: skip
        """FSDPv2 wraps a module, at `wrapped`, or runs what it has wrapped there."""
        self._emit(FullySharded(site, both(self.assumed(state), assumes), wrapped, misuse), state)

    def join_group(self, state: State, backend: str, site: Site) -> None:
        """A process group of `torch.distributed` is joined: whoever does was started with others, be it by
        somebody else."""
        self._emit(GroupJoined(site, self.assumed(state), backend), state)
        state.replicas = state.replicas._replace(backend=backend or None)
        if not state.replicas.launched:
            state.replicas = state.replicas._replace(launched=None)

    def meet_in_part(self, state: State) -> None:
        """Some replicas meet at least, and may sum gradients."""
        if not state.gradients.met and Gradient.LOCAL in state.gradients.of(None):
            state.gradients = state.gradients._replace(met=True)

    def part(self, state: State, split: Split) -> State:
        """The state of the replicas for which a test came out as `split` says."""
        arm = state.copy()
        arm.replicas = state.replicas._replace(splits=(*state.replicas.splits, split))
        arm.collectives = ()
        return arm

    def meet(self, before: State, arms: Iterable[tuple[Split, State]]) -> State:
        """All arms of a rank test that go on, joined; what only one of them reached is owed."""
        (one_split, one), (other_split, other) = arms
        unmatched = [
            (name, path, split)
            for mine, theirs, split in (
                (one.collectives, other.collectives, one_split),
                (other.collectives, one.collectives, other_split),
            )
            for name, path in _surplus(mine, theirs)
        ]
        joined = join_states(one, other)
        joined.replicas = joined.replicas._replace(splits=before.replicas.splits)
        longer = one if len(one.collectives) >= len(other.collectives) else other
        joined.collectives = met(before.collectives, longer.collectives)
        for name, path, split in unmatched:
            self._owe_collective(joined, name, path, split)
        return joined

    def _owe_collective(self, state: State, name: str, path: Path, split: Split) -> None:
        for waiting in state.owes(Owed.COLLECTIVE):
            assert waiting.split is not None
            if waiting.detail == name and waiting.split.master is not split.master:
                state.obligations -= {waiting}
                return
        assumes = both(self.assumed(state), split.assumes)
        state.obligations |= {Obligation(Owed.COLLECTIVE, path, assumes, state.scopes.in_loop, name, split)}

    def settle_collectives(self, ends: list[State], site: Site, *, told: bool = True) -> None:
        """A function ends: what one arm of a test reached and no other replica did is unmatched.

        `ends` are the states in which the function may end; the replicas that left it early by a
        test inside the function are compared with those that went on. Without `told` it is left to the
        caller, where the others may still come to it.
        """
        arms: dict[Site, dict[bool, tuple[Split, State]]] = {}
        for state in ends:
            own = [split for split in state.replicas.splits if not split.inherited]
            if own:
                arms.setdefault(own[0].site, {})[own[0].polarity] = (own[0], state)
        for sides in arms.values():
            if len(sides) == 2:
                (one, a), (other, b) = sides.values()
                surplus = [(n, p, one, a) for n, p in _surplus(a.collectives, b.collectives)]
                surplus += [(n, p, other, b) for n, p in _surplus(b.collectives, a.collectives)]
            else:
                ((split, state),) = sides.values()
                surplus = [(n, p, split, state) for n, p in state.collectives]
            for name, path, split, state in surplus:
                self._owe_collective(state, name, path, split)
        for state in ends if told else ():
            for obligation in state.owes(Owed.COLLECTIVE):
                self._settle(state, obligation, UnmatchedCollective(site, obligation.assumes, obligation))

    # Files, closures, loops, ends ------------------------------------------------------------------

    def save(
        self, state: State, spelling: str, value: Value, recorded: Recorded, site: Site, *,
        by_xla: bool, on_device: bool = False, of_parameters: bool = False,
        to_every_replica: bool = False, opened: Path = (), file: str = "", as_references: bool = False,
    ) -> None:  # fmt: skip
        """Values are written to a file, and what is recorded on them runs.

        Args:
            on_device: Whether some of them surely are device tensors.
            of_parameters: Whether a module's parameters are among them.
            to_every_replica: Whether each one that comes here writes.
            opened: Where every replica opened what the master writes.
            file: What is known again when that file is read; empty where nothing is.
            as_references: Whether it gets references to the tensors, which stand in files of their own.
        """
        assumes = self.assumed(state, value)
        on_device = on_device or value.is_device
        self._emit(
            Save(site, assumes, spelling, value, recorded, by_xla, on_device, to_every_replica, opened), state
        )
        self.wait(state)
        if recorded.may is Weight.HEAVY:
            self._settle_steps_of_loops(state, f"the save `{spelling}`", site)
            for obligation in state.owes(Owed.EXIT):
                self._settle(
                    state, obligation, LeftPending(site, obligation.assumes, obligation, Leaving.SAVE)
                )
        if by_xla:
            self.collective(state, "xm.save", "", site)
        if file:
            self._write(state, file, site, to_every_replica=to_every_replica, as_references=as_references)
        if of_parameters:
            # What is written has run: nothing of it is recorded any more.
            state.engine = state.engine._replace(parameters=NOTHING)
            _note(state, saves=True)

    def _write(
        self, state: State, file: str, site: Site, *, to_every_replica: bool, as_references: bool
    ) -> None:
        state.obligations -= {
            o for o in (*state.owes(Owed.WRITTEN), *state.owes(Owed.REFERENCES)) if o.detail == file
        }
        split, replicas = state.split, state.replicas
        by_one = split.is_rank_test if split is not None else not to_every_replica
        if by_one and replicas.launched is not False and not replicas.spmd:
            self._owe(state, Owed.WRITTEN, site, state.trust.bounded, file, split=split)
        if as_references:
            self._owe(state, Owed.REFERENCES, site, state.trust.bounded, file)

    def take_checkpoint(
        self, state: State, spelling: str, site: Site, *, hidden: bool = False, asks: bool = True
    ) -> None:
        """A checkpoint manager saves, if it is time.

        Args:
            hidden: Whether nobody learns what came of it.
            asks: Whether it asks if this replica is about to be stopped.
        """
        seldom = asks and state.scopes.in_loop and state.of_few_rounds and not state.loop.all.asks
        self._emit(CheckpointTaken(site, state.trust.bounded, spelling, seldom, hidden), state)

    def ask_for_preemption(self, state: State) -> None:
        """A checkpoint manager is asked whether this replica is about to be stopped."""
        _note(state, asks=True)

    def load(
        self, state: State, file: str, spelling: str, site: Site, *, by_references: bool = False
    ) -> None:
        """A file is read; `by_references` says that what it refers to is loaded, too."""
        for obligation in state.owes(Owed.WRITTEN):
            # Who has written may read at once.
            if obligation.detail == file and state.split is None:
                self._settle(state, obligation, ReadTooEarly(site, obligation.assumes, obligation, spelling))
        for obligation in state.owes(Owed.REFERENCES) if not by_references else ():
            if obligation.detail == file:
                self._settle(
                    state, obligation, LoadedByAnother(site, obligation.assumes, obligation, spelling)
                )

    def add_closure(
        self, state: State, site: Site, *, asynchronous: bool, captures: Iterable[str] = ()
    ) -> None:
        """A step closure waits for the next cut; `captures` are the names that it will look up then."""
        self._emit(ClosureAdded(site, asynchronous=asynchronous), state)
        self._owe(state, Owed.CLOSURE, site, self.assumed(state), " ".join(captures))
        _note(state, closures=state.loop.own.closures | {site})

    def bind_anew(self, state: State, name: str, site: Site) -> None:
        """A name of the present function gets another value."""
        for obligation in state.owes(Owed.CLOSURE):
            if name in obligation.detail.split() and len(obligation.path) == 1:
                self._settle(state, obligation, ClosureSeesLater(site, obligation.assumes, obligation, name))

    def leave_loop(self, state: State, how: str, site: Site) -> None:
        """A loop whose end would have cut is left by `how`: break, return or raise.

        Only pending parameters are owed: leftovers of an evaluation are harmless.
        """
        engine = state.engine
        if state.pending and engine.parameters.may and state.scopes.step is None and not engine.eager:
            assumes = self.assumed(state)
            if engine.parameters.must is not Weight.HEAVY:
                if state.loop.own.saves:
                    return  # On some way here they were written, which has run them: it may be the only one.
                # On some way here they were not updated.
                assumes = both(assumes, _UPDATES_PEND)
            self._owe(state, Owed.EXIT, site, assumes, how, since=engine.since)

    def abandon_loader(
        self, state: State, loader: str, made: Site, site: Site, *, when: frozenset[Fact] = frozenset()
    ) -> None:
        """A loop over a loader of XLA, made in a loop by the call `loader` at `made`, is left early.

        `when` is what is known there of tests and flags: where it is otherwise, this was not so.
        """
        left = Obligation(
            Owed.LOADER, (site,), self.assumed(state), state.hot, loader, since=(made,), when=when
        )
        state.obligations |= {left}

    def make_loader(self, state: State, loader: str, site: Site) -> None:
        """A loader of XLA is made, by the call `loader`; one that was left early keeps its threads."""
        self._need_markers(state)
        for obligation in state.owes(Owed.LOADER):
            if obligation.detail == loader and (obligation.inherited or obligation.since == (site,)):
                self._settle(state, obligation, LoaderAbandoned(site, obligation.assumes, obligation))

    # What a process sets up ------------------------------------------------------------------------

    def _run_first(self, state: State, spelling: str, site: Site, assumes: Assumptions) -> None:
        """A graph runs: from then on the persistent cache is what it is."""
        if state.setup.caches and not state.owes(Owed.RUN):
            self._owe(state, Owed.RUN, site, assumes, spelling)

    def initialize_cache(self, state: State, site: Site, *, shared: bool = False) -> None:
        """The persistent cache is set up; `shared` says that all processes write to the same path."""
        self._need_markers(state)
        for obligation in state.owes(Owed.RUN):
            self._settle(state, obligation, CacheTooLate(site, obligation.assumes, obligation))
        if shared and state.replicas.launched:
            self._emit(CacheShared(site, self.assumed(state)), state)

    def start_server(self, state: State, site: Site) -> None:
        """This process serves whoever captures a profile of it."""
        self._owe(state, Owed.SERVER, site, self.assumed(state))

    def capture(self, state: State, site: Site) -> None:
        """A profile is captured, and waited for."""
        self._need_markers(state)
        for obligation in state.owes(Owed.SERVER):
            self._settle(state, obligation, CaptureBlocks(site, obligation.assumes, obligation))

    def leave_alone(self, state: State, split: Split, meets: frozenset[str], site: Site) -> None:
        """A loop is left by the replicas for which a test inside it came out as `split` says."""
        if meets:
            assumes = both(state.trust.bounded, split.assumes)
            self._emit(LeftAlone(site, assumes, split, tuple(sorted(meets))), state)

    def enter_loop(self, state: State) -> Loop:
        """A loop begins. Returns what happened before it, in the loop around it, for `end_loop`."""
        outside, state.loop = state.loop, NOTHING_DONE
        return outside

    def end_loop(
        self, state: State, outside: Loop, over: Value | None, recorded: Recorded, site: Site, *,
        since: tuple[Site, ...] = (), keeps: bool = False, ragged: Ragged | None = None, told: bool = True,
        whole: Whole | None = None,
    ) -> None:  # fmt: skip
        """A loop has ended; `state.scopes` tells of the loops around it already.

        Args:
            outside: What happened before the loop, in the loop around it.
            over: What the loop ran over; None: a `while`.
            recorded: What every iteration leaves behind at its end.
            since: Where that was recorded.
            keeps: Whether a container or a sum gathers it over the iterations.
            ragged: Whether the last batch of what it ran over is smaller, and where that was made.
            told: Whether this end is the one by which the loop is judged.
            whole: Whether what it ran over gives every replica all the samples, and where that was made.
        """
        if told:
            left = LoopLeft(site, self.assumed(state), over, recorded, state.loop, since, keeps)
            self._emit(left, state)
            done = state.loop.all
            on_device = done.cuts or recorded.must is Weight.HEAVY
            if ragged is not None and done.steps and on_device and not state.engine.eager:
                taken = both(left.assumes, ragged.assumes)
                self._emit(LastBatchSmaller(site, taken, ragged.built), state)
            alone = not state.replicas.launched or state.replicas.spmd
            if whole is not None and done.steps and on_device and not alone:
                self._emit(SamplesRepeated(site, both(left.assumes, whole.assumes), whole.built), state)
            steps = left.loop.own.steps
            # What each round lets go is never run: no later cut has it.
            lasts = (steps or keeps) and not (left.loop.all.reads or left.loop.closures)
            if lasts and left.lacks_cut(state.view()):
                how = "trains" if steps else ""
                self._owe(state, Owed.STEPS, site, left.assumes, how, since=state.engine.since)
        of_step = state.scopes.in_batches and not (over is not None and over.kind is Kind.LOADER)
        state.loop = state.loop.inside(outside, of_step=of_step)
        if not state.scopes.in_loop:
            self.settle_steps(state)

    def end(self, state: State, site: Site, *, whole: bool = True) -> None:
        """The program, as far as it can be seen, ends here; not `whole`: somebody unseen may go on."""
        for obligation in state.owes(Owed.EXIT):
            if obligation.detail != "raise":
                self._settle(
                    state, obligation, LeftPending(site, obligation.assumes, obligation, Leaving.END)
                )
        for obligation in state.owes(Owed.CLOSURE) if whole else ():
            met = both(obligation.assumes, self.assumed(state))
            self._settle(state, obligation, ClosureNeverRun(site, met, obligation))
        self.settle_steps(state)
        self.settle_markers([state])

    def _settle_steps_of_loops(self, state: State, by: str, site: Site) -> None:
        for obligation in state.owes(Owed.STEPS):
            self._settle(state, obligation, StepsRun(site, obligation.assumes, obligation, by))

    def _owe(
        self, state: State, owed: Owed, site: Site, assumes: Assumptions, detail: str = "", *,
        split: Split | None = None, since: tuple[Site, ...] = (),
    ) -> None:  # fmt: skip
        opened = Obligation(owed, (site,), assumes, state.hot, detail, split, since)
        state.obligations |= {opened}

    def _settle(self, state: State, obligation: Obligation, event: Event) -> None:
        self._emit(event, state)
        state.obligations -= {obligation}


def _note(state: State, **what: Any) -> None:
    """Remember that something happened in the innermost loop."""
    loop = state.loop
    state.loop = loop._replace(own=loop.own._replace(**what))


def _noted(since: tuple[Site, ...], site: Site) -> tuple[Site, ...]:
    return since if len(since) >= MOST_PLACES or site in since else (*since, site)


def _places(obligation: Obligation) -> list[tuple[int, int]]:
    return [(site.line, site.column) for site in obligation.path]


def _reads_again(read: Obligation, earlier: Obligation) -> bool:
    """Whether a read runs work that an earlier one has run, in the same run of the program."""
    if read.path == earlier.path or set(read.since).isdisjoint(earlier.since):
        return False
    return not any(one.excludes(other) for one in read.when for other in earlier.when)


def _exchange(state: State, obligation: Obligation, other: Obligation) -> None:
    state.obligations = (state.obligations - {obligation}) | {other}


def _surplus(
    mine: tuple[tuple[str, Path], ...], theirs: tuple[tuple[str, Path], ...]
) -> list[tuple[str, Path]]:
    counts: dict[str, int] = {}
    for name, _ in theirs:
        counts[name] = counts.get(name, 0) + 1
    surplus = []
    for name, path in mine:
        if counts.get(name, 0) > 0:
            counts[name] -= 1
        else:
            surplus.append((name, path))
    return surplus
