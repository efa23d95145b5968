"""Transitions of the graph: work is recorded, read and cut, in scopes and between them."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable
from operator import itemgetter
from typing import Final

from xlalint.lazy import assumptions
from xlalint.lazy.assumptions import IS_A_TENSOR, Assumptions, both, either
from xlalint.lazy.cuts import AT_ENTRY, OF_CALLERS, Cause, LastCut, Marker, needed
from xlalint.lazy.events import (
    Cut,
    HistoryKept,
    HostRead,
    Leaving,
    LeftPending,
    MarkerRepeated,
    Reading,
    ReadThenCut,
    ScopeEntered,
    ScopeLeft,
    ShapeVaries,
    StepCut,
    StepsRun,
    UnmatchedCollective,
    WorkInAutocast,
    WorkTimed,
)
from xlalint.lazy.gradients import Gradient
from xlalint.lazy.obligations import Obligation, Owed, left_by_work
from xlalint.lazy.scopes import Scope, ScopeKind
from xlalint.lazy.site import ENTRY, Site
from xlalint.lazy.state import Engine, Fetch, State, places
from xlalint.lazy.transitions import Transitions, exchange, note
from xlalint.lazy.values import NOTHING, Form, Recorded, Value, Weight

_REDUCES: Final = assumptions.assume("the step sums its gradients over the replicas")

_MEETING: Final = frozenset({Cause.LOADER, Cause.RENDEZVOUS})
"""What waits for the other replicas by itself: a cut that only some make is told as that."""

_REPEATS: Final = frozenset({Cause.LOADER, Cause.SCOPE_ENTRY, Cause.RENDEZVOUS})
"""What makes a marker superfluous that comes directly before it."""

_RAISES: Final = "asked for what only a device of CUDA has"
"""The detail of an autocast for other devices that raises where there is none of them."""
_OWN_LOOP: Final = "of a loop that has cut before"
"""The detail of a cut before backward, which is told there; of another it is the end of a loop that tells."""

LOCAL: Final = frozenset({Gradient.LOCAL})


class RecordingTransitions(Transitions):
    """Work that is recorded, read and cut."""

    __slots__ = ()

    def record(self, state: State, weight: Weight, site: Site) -> Recorded:
        """Device work is recorded at `site`. Returns what its result has recorded."""
        engine = state.engine
        if weight is Weight.NONE or not self.records(state):
            return NOTHING
        if weight is Weight.HEAVY:
            self._settle_with_work(state, site)
            if not state.loop.own.works:
                note(state, works=True)
            if engine.unwaited is not (engine.clock is not None):
                engine = engine._replace(unwaited=not engine.unwaited)
        state.engine = engine.holds(engine.recorded.at_least(weight), site)
        self._work_in_forward(state)
        return Recorded(weight, weight)

    def record_perhaps(
        self, state: State, weight: Weight, site: Site, *, assumes: Assumptions | None = None
    ) -> None:
        """Device work of at most `weight` is perhaps recorded at `site`; it is, if what is assumed holds."""
        engine = state.engine
        if weight is Weight.NONE or not self.records(state):
            return
        recorded = engine.recorded
        if recorded.may < weight:
            recorded = Recorded(recorded.must, weight)
        state.engine = engine.holds(recorded, site)
        self._work_in_forward(state)
        if weight is Weight.HEAVY:
            if assumes is not None:
                self._work_in_autocast(state, site, assumes)
            state.obligations = left_by_work(state.obligations)
            if not state.loop.own.works:
                note(state, works=True)

    def work_unseen(self, state: State, spelling: Callable[[], str] | None = None) -> None:
        """Something unknown is done without device values, as far as is seen; `spelling` tells what.

        That it records and reads nothing is assumed, though not of what was cut by a caller. Without a
        `spelling` it may as well be work on the device.
        """
        engine = state.engine
        if spelling is None:
            state.engine = engine.works()
            self._work_in_forward(state)
            return
        if engine.idle_since == AT_ENTRY:
            engine = engine._replace(idle_since=())
        if engine.idle_since or engine.markers:
            engine = engine.trusts(assumptions.assume(f"`{spelling()}` does no work on the device"))
        state.engine = engine

    def _work_in_forward(self, state: State) -> None:
        if state.scopes.in_forward and not state.engine.of_forward:
            state.engine = state.engine._replace(of_forward=True)

    def enter_forward(self, state: State) -> bool:
        """The `forward` of a module begins. Returns whether it is the outermost, for `leave_forward`."""
        if state.scopes.in_forward:
            return False
        state.scopes = state.scopes._replace(in_forward=True)
        return True

    def leave_forward(self, state: State, *, outermost: bool) -> None:
        """The `forward` of a module ends."""
        if outermost:
            state.scopes = state.scopes._replace(in_forward=False)
            if state.engine.of_forward:
                state.engine = state.engine._replace(of_forward=False)

    def move_batch(self, state: State) -> None:
        """What a loader of the host has yielded is moved to the device."""
        note(state, moves=True)

    def vary_shape(
        self, state: State, value: Value, by: Form, spelling: str, site: Site, *,
        fills: bool = False, runs: bool = True, comes_again: bool = False, number: str = "",
    ) -> None:  # fmt: skip
        """The shape of what is computed of a device value depends on its numbers.

        `runs` says whether the engine runs what is recorded to know it; the host counts what is unique.
        `number` is the name of the one number that is another one each time, where there is one.
        """
        assumes = self.assumed(state, value)
        self._emit(ShapeVaries(site, assumes, by, spelling, fills, runs, comes_again, number), state)

    def keep_history(
        self, state: State, held: Value, added: Value, spelling: str, site: Site, *, grows: bool = False
    ) -> None:
        """A tensor is added to what is held: what rounds before have left there, if that has run.

        What one round gathers by itself, before the graph is cut, it may let go at its end. A loop inside
        `forward` goes over layers, whose results training keeps, too, until backward; what `grows` there
        from call to call is none of these. In eager mode all has run at once, and tells no rounds apart.
        """
        if (state.scopes.in_forward and not grows) or state.engine.eager:
            return
        kept = held.history and added.history and held.recorded.may is Weight.NONE
        if kept and state.hot and state.scopes.no_grad is False:
            assumes = both(self.assumed(state, added), held.assumes - IS_A_TENSOR)
            self._emit(HistoryKept(site, assumes, spelling), state)

    def vary_by_chance(
        self, state: State, spelling: str, site: Site, *, within: tuple[Site, ...] = ()
    ) -> None:  # fmt: skip
        """Work is recorded or not, as a test comes out that chance decides; a cut ends its graph.

        Of several in one graph the last is told, below which one cut is enough: unless the function returns
        from under the test, `within` says with which work.
        """
        scopes = state.scopes
        if scopes.in_forward or scopes.in_closure or not self.records(state):
            return  # inside a model no cut can part it from the rest of the step
        state.obligations -= set(state.owes(Owed.VARYING))
        self._owe(state, Owed.VARYING, site, self.assumed(state), spelling, since=within)

    def records(self, state: State) -> bool:
        """Whether the engine records what it is told to compute: in eager mode only inside a step."""
        return not state.engine.eager or state.scopes.step is not None

    def _work_in_autocast(self, state: State, site: Site, assumes: Assumptions) -> None:
        for obligation in state.owes(Owed.AUTOCAST):
            met = both(both(obligation.assumes, assumes), state.trust.bounded)
            event = WorkInAutocast(site, met, obligation, obligation.detail == _RAISES)
            if not met:
                self._settle(state, obligation, event)
            elif assumptions.weight(met) <= 1:  # of the work that follows more may be known
                self._emit(event, state)

    def _settle_with_work(self, state: State, site: Site) -> None:
        self._work_in_autocast(state, site, assumptions.NONE)
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
        closure_argument: bool = False, one_by_one: bool = False, unless: str = "",
    ) -> None:  # fmt: skip
        """A value is read on the host. The engine keeps nothing of it: the state stays as it is.

        `one_by_one` tells that it is a number of those that a comprehension reads, `unless` which parameter
        of the call would have spared it.
        """
        assumes = self.assumed_uncut(state, value)
        if value.recorded.must and value.is_device:
            self._run_first(state, spelling, site, assumes)
        each = state.in_every_round
        event = HostRead(
            site, assumes, value, reading, spelling, closure_argument, each, seldom=state.of_few_rounds,
            apart=one_by_one and state.hot, after_steps=state.after_steps, unless=unless,
        )  # fmt: skip
        self._emit(event, state)
        if event.runs_device:
            light = value.recorded.must is Weight.LIGHT and not event.apart
            outside = light and state.loop.own.opens_step and state.scopes.step is None
            note(state, fetches=state.loop.own.fetches | {Fetch(site, outside=outside)})
        self.wait(state)
        if value.recorded.may is Weight.HEAVY:
            note(state, reads=True)
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

    def read_perhaps(self, state: State) -> None:
        """One number of something unknown is asked for: where a loop trains, mostly of its loss."""
        if state.loop.own.backward and state.engine.recorded.must is Weight.HEAVY:
            note(state, reads=True)

    def let_die(self, state: State, before: Recorded, *, given: bool = False) -> None:
        """Nobody holds any more what a function recorded: the engine drops it, and no cut runs it again.

        What was read of it once ran once; what was read again ran again.
        Args:
            before: What was recorded when the function was entered.
            given: Whether it was given something of that, which its caller still holds.
        """
        if not (state.loop.cuts or state.loop.may_cut):
            # Light work in place is not told apart, and stays.
            must, may = [min(weight, Weight.LIGHT) for weight in state.engine.recorded]
            recorded = Recorded(max(before.must, must), max(before.may, may))
            if recorded != state.engine.recorded:
                state.engine = state.engine._replace(recorded=recorded)
        lasting = before.must is Weight.HEAVY or given
        own = [
            read
            for read in state.owes(Owed.READ)
            # In the rounds of a loop nothing is recorded since, if all is from before the loop.
            if not read.inherited
            and not (lasting and (not read.since or any(site.is_entry for site in read.since)))
        ]
        self._settle_repeated(state, own)
        state.obligations -= frozenset(own)

    def rest_on_autograd(self, state: State, reads: Iterable[Obligation]) -> None:
        """What these have read nobody holds but autograd, where it is on: its caller says so."""
        for read in reads:
            exchange(state, read, read._replace(if_autograd=True))

    def leave_rounds(self, state: State, before: frozenset[Obligation], names: frozenset[str]) -> None:
        """A loop has ended of which each round lets go of what the one before it recorded.

        A later cut runs the work of the last round again, unless `names`, which hold it, are bound anew
        before. In each round a read did what another had done.

        Args:
            before: What was owed when the loop began.
            names: Those that hold work of the last round.
        """
        own = [read for read in state.owes(Owed.READ) if read not in before and not read.inherited]
        self._settle_repeated(state, own)
        for read in own:
            if read in state.obligations:
                exchange(state, read, read._replace(of_last_round=True, held_by=names))

    def _settle_repeated(self, state: State, reads: list[Obligation]) -> None:
        """Tell of reads whose work another one of them runs once more; of the same work once."""
        reads.sort(key=_places)
        told: set[Site] = set()
        for number, read in enumerate(reads):
            again = next((other for other in reads[number + 1 :] if _reads_again(other, read)), None)
            if again is not None and told.isdisjoint(read.since):
                told.update(read.since)
                met = both(read.assumes, again.assumes)
                self._settle(state, read, ReadThenCut(again.path[0], met, read, Cause.READ))

    def read_again(self, state: State, first: Site, again: Site) -> None:
        """A read has run the work once more that the one at `first` has run."""
        for read in state.owes(Owed.READ):
            if not read.inherited and read.path[0] == first:
                met = both(read.assumes, self.assumed(state))
                self._settle(state, read, ReadThenCut(again, met, read, Cause.READ))

    def cut(
        self, state: State, cause: Cause, spelling: str, site: Site, *,
        sure: bool = True, resets_scope: bool = True, assumes: Assumptions = assumptions.NONE,
        waits: bool = False, ends_loop: bool = True,
    ) -> None:  # fmt: skip
        """The graph is cut: what is recorded runs. With `sure` False perhaps it is not.

        `assumes` is what must be so for it to be a cut, `waits` tells that it is asked to wait, and
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
            note(state, may_cut=True)
            return
        taken = both(self.assumed_uncut(state), assumes)
        if engine.recorded.must:
            self._run_first(state, spelling, site, taken)
        pending, of_forward = engine.recorded, engine.of_forward
        if pending.must:
            self._settle_cuts_in_step(state, site, last=False)
        self._emit(Cut(site, taken, cause, spelling, pending, engine.since, resets_scope, of_forward), state)
        surely = ends_loop and not assumes
        markers = self._markers_after(state, cause, site, taken, waits=waits, repeats=surely)
        for obligation in state.owes(Owed.READ):
            met = both(obligation.assumes, assumes)
            fetches = tuple(sorted(state.loop.all.fetches))
            self._settle(state, obligation, ReadThenCut(site, met, obligation, cause, fetches))
        self._settle_steps_of_loops(state, "the graph cut", site)
        closures = state.owes(Owed.CLOSURE)
        state.obligations = frozenset(o for o in state.obligations if not o.terms.dropped_by_cut)
        if cause is Cause.LOADER and Gradient.LOCAL in state.gradients.of(None):
            state.gradients = state.gradients._replace(accumulated=True)
        if cause.explicit and cause is not Cause.BARRIER and state.gradients.of(None) == LOCAL:
            self._owe(state, Owed.SPLIT_STEP, site, assumptions.NONE, spelling, when=state.rare)
        elif cause.explicit and cause is not Cause.BARRIER and self._cuts_one_step(state):
            # Of a caller's loop it is known at its end whether anything else cuts.
            self._owe(state, Owed.FORWARD_CUT, site, taken, _OWN_LOOP if state.loop.own.cuts else "")
        split = state.split
        if split is not None and state.pending and cause not in _MEETING:
            used = state.gradients.of(None) & {Gradient.REDUCED, Gradient.USED}
            assumes = split.assumes if used else both(split.assumes, _REDUCES)
            self._owe(state, Owed.LONE_CUT, site, assumes, spelling, split=split)
        if cause.explicit and pending.may and state.scopes.step is not None:
            self._owe(state, Owed.CUT_IN_STEP, site, taken, cause.value)
        idle_since = () if assumes else (LastCut(site, cause),)
        meets = cause in _MEETING or bool(closures)
        state.engine = Engine(
            eager=engine.eager, skip_cut=engine.skip_cut, idle_since=idle_since, markers=markers,
            unwaited=engine.unwaited and not meets, clock=engine.clock,
        )  # fmt: skip
        state.trust = state.trust._replace(opaque=assumptions.NONE)
        own = state.loop.own
        by = own.cut_by if state.scopes.profiler else own.cut_by | {(cause, site)}
        note(state, cuts=True, cuts_often=own.cuts_often or not state.of_few_rounds, cut_by=by)

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
            note(state, opens_step=True)
        state.scopes = state.scopes._replace(open=(*state.scopes.open, scope))
        if scope.kind is ScopeKind.STEP_TRACE:
            state.obligations -= set(state.owes(Owed.TRACED))
            state.engine = state.engine._replace(skip_cut=True)
        self._emit(ScopeEntered(scope.site, scope=scope), state)

    def enter_autocast(
        self, state: State, site: Site, *,
        assumes: Assumptions = assumptions.NONE, raises: bool = False, made: Site | None = None,
    ) -> None:  # fmt: skip
        """From here on operations are computed in lower precision, but on other devices than those of XLA.

        It `raises` where there is none of those, as it is asked for what only they can do. It may have been
        `made` before it is entered.
        """
        detail = _RAISES if raises else ""
        flag = min((fact.subject for fact in state.facts if fact.is_flag), default=None)
        if flag is not None:
            assumes = both(assumes, assumptions.assume(f"`{flag}` {assumptions.ON_FOR_XLA}"))
        since = (made,) if made is not None else ()
        self._owe(state, Owed.AUTOCAST, site, both(assumes, state.trust.bounded), detail, since=since)

    def refuse_autocast(self, state: State, site: Site) -> None:
        """An autocast for other devices raises, as it is asked for what only these can do."""
        refused = Obligation(Owed.AUTOCAST, (site,), state.trust.bounded)
        self._emit(WorkInAutocast(site, state.trust.bounded, refused, raises=True), state)

    def leave_autocast(self, state: State, site: Site) -> None:
        """The autocast that was entered there ends."""
        state.obligations -= {o for o in state.owes(Owed.AUTOCAST) if o.path == (site,)}

    def leave(self, state: State, scope: Scope, spelling: str, *, called_at: Site | None = None) -> None:
        """The innermost scope closes, in whatever way; step scopes and `StepTrace` cut.

        It is a function that was `called_at`, or None.
        """
        if scope.kind.is_step:
            last = not state.engine.recorded.must
            self._settle_cuts_in_step(state, scope.site, last=last, leaves=True, called_at=called_at)
        held = state.scopes.open
        if scope in held:
            state.scopes = state.scopes._replace(open=held[: held.index(scope)])
        self._emit(ScopeLeft(scope.site, scope=scope), state)
        if scope.kind.is_step:
            self.cut(state, Cause.SCOPE_EXIT, spelling, scope.site)
        elif scope.kind is ScopeKind.STEP_TRACE:
            self.cut(state, Cause.STEP_TRACE, spelling, scope.site)
            self._owe(state, Owed.TRACED, scope.site, self.assumed(state))

    def takes_batch(self, state: State) -> bool:
        """A loader gives its next batch. Returns whether it cuts first: not after a `StepTrace` has begun."""
        cuts = not state.engine.skip_cut
        state.engine = state.engine._replace(skip_cut=False)
        return cuts

    def read_clock(self, state: State, site: Site) -> Site | None:
        """The program asks for the time.

        Returns where it asked before, if heavy work has been recorded since that nothing waits for.
        """
        before, unwaited = state.engine.clock, state.engine.unwaited
        state.engine = state.engine._replace(clock=site, unwaited=False)
        if not unwaited or state.trust.opaque or state.engine.eager is not False:
            return None
        return before

    def wait(self, state: State) -> None:
        """The host waits for the device, and so for what the markers before have launched."""
        self._need_markers(state)
        if state.engine.unwaited:
            state.engine = state.engine._replace(unwaited=False)

    def time_work(self, state: State, begun: Site, read: Site, site: Site, *, launched: bool) -> None:
        """The time is taken from a clock's reading at `begun` to that at `read`, with work between that
        nothing waits for; `launched`: all of it runs already."""
        self._emit(WorkTimed(site, self.assumed_uncut(state), begun, read, launched), state)

    def begin_round(self, state: State, *, may_cut: bool = False, is_of_few: bool = False) -> None:
        """The next round of a loop begins.

        Args:
            state: The state when it begins.
            may_cut: What the loop goes over may cut the graph first.
            is_of_few: There are so few rounds that the device is behind for most of them.
        """
        if state.engine.clock is not None and not (is_of_few or state.scopes.in_forward):
            state.engine = state.engine._replace(clock=None)
        if state.obligations:
            state.obligations -= set(state.owes(Owed.TRACED))
            if may_cut:
                self.doubt_closures(state)

    @staticmethod
    def stop_clock(state: State) -> None:
        """A loop has ended: a step that changes parameters in place waits for the one before."""
        if state.engine.clock is not None and state.loop.all.steps:
            state.engine = state.engine._replace(clock=None)

    @staticmethod
    def doubt_closures(state: State) -> None:
        """The closures that wait may have run: nothing more is said of them."""
        for obligation in state.owes(Owed.CLOSURE):
            exchange(state, obligation, obligation._replace(assumes=assumptions.MANY))

    def _run_first(self, state: State, spelling: str, site: Site, assumes: Assumptions) -> None:
        """A graph runs: from then on the persistent cache is what it is."""
        if state.setup.caches and not state.owes(Owed.RUN):
            self._owe(state, Owed.RUN, site, assumes, spelling)

    def _cuts_one_step(self, state: State) -> bool:
        """Whether a cut here runs a forward pass alone, in a loop.

        Where nothing else cuts, it runs the update of the iteration before as well: each step is one graph.
        """
        engine, scopes = state.engine, state.scopes
        return (
            state.hot
            and engine.recorded.must is Weight.HEAVY and engine.parameters == NOTHING
            and Gradient.LOCAL not in state.gradients.of(None)
            and scopes.step is None and not scopes.in_forward and not engine.eager
        )  # fmt: skip

    def _settle_cuts_in_step(
        self, state: State, site: Site, *, last: bool, leaves: bool = False, called_at: Site | None = None
    ) -> None:
        """What follows a cut in the present step is known. It `leaves` that: a function that was `called_at`.

        One that splits the step in some round of a loop is not told as the last of another round.
        """
        cuts = state.owes(Owed.CUT_IN_STEP)
        told = {cut.path for cut in cuts if not cut.detail}
        for cut in cuts:
            state.obligations -= {cut}
            if cut.detail and not (last and cut.path in told):
                seen = cut._replace(path=cut.path[1:]) if cut.path[:1] == (called_at,) else cut
                self._emit(StepCut(site, cut.assumes, seen, Cause(cut.detail), last), state)
            if not leaves:
                state.obligations |= {cut._replace(detail="")}

    def _settle_steps_of_loops(self, state: State, by: str, site: Site) -> None:
        for obligation in state.owes(Owed.STEPS):
            self._settle(state, obligation, StepsRun(site, obligation.assumes, obligation, by))


def _places(obligation: Obligation) -> list[tuple[int, int]]:
    return [(site.line, site.column) for site in obligation.path]


def _reads_again(read: Obligation, earlier: Obligation) -> bool:
    """Whether a read runs work that an earlier one has run, in the same run of the program."""
    if read.path == earlier.path or set(read.since).isdisjoint(earlier.since):
        return False
    return not any(one.excludes(other) for one in read.when for other in earlier.when)
