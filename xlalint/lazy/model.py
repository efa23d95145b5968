"""The model of the lazy engine: how each thing a program does changes the state.

Both observers drive it: the analyzer from source, the guard from the running engine. It alone
decides what is remembered between two events (obligations); rules remember nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from xlalint.lazy.events import (
    Cause,
    ClippedEarly,
    ClosureAdded,
    ClosureNeverRun,
    Collective,
    Cut,
    CutAccumulated,
    Event,
    GradientUsed,
    HostRead,
    Leaving,
    LeftPending,
    LoopLeft,
    OptimizerStepped,
    Reading,
    ReadThenCut,
    Save,
    ScalerStepped,
    ScopeEntered,
    ScopeLeft,
    StepSplit,
    UnmatchedCollective,
    Use,
)
from xlalint.lazy.site import Path, Site
from xlalint.lazy.state import Deed, Gradient, Obligation, Owed, Scope, ScopeKind, Split, State
from xlalint.lazy.state import join as join_states
from xlalint.lazy.values import NOTHING, Recorded, Value, Weight

Emit = Callable[[Event, State], None]

_LOCAL = frozenset({Gradient.LOCAL})
_REDUCED = frozenset({Gradient.REDUCED})
_USED = frozenset({Gradient.USED})


class LazyModel:
    """Transitions of the state. Events go to `emit` with the state they happened in."""

    def __init__(self, emit: Emit) -> None:
        self._emit = emit

    def doubts(self, state: State, value: Value | None = None) -> int:
        """How many of the facts that a diagnostic here would rest on are not sure."""
        unsure = value is not None and not value.sure
        return unsure + state.opaque + state.bounded + (state.eager is None)

    # Work ------------------------------------------------------------------------------------

    def record(self, state: State, weight: Weight, site: Site) -> Recorded:
        """Device work is recorded at `site`. Returns what its result has recorded."""
        if weight is Weight.NONE or (state.eager and state.step is None):
            return NOTHING
        if weight is Weight.HEAVY:
            self._settle_with_work(state, site)
            state.done |= {Deed("heavy work")}
        state.recorded = state.recorded.at_least(weight)
        if len(state.since) < 3 and site not in state.since:
            state.since = (*state.since, site)
        return Recorded(weight, weight)

    def _settle_with_work(self, state: State, site: Site) -> None:
        for obligation in state.owes(Owed.EXIT):
            if obligation.detail == "raise" or state.scopes:
                continue
            self._settle(state, obligation, LeftPending(site, obligation.doubts, obligation, Leaving.WORK))
        for obligation in state.owes(Owed.LONE_CUT):
            if not state.splits:
                self._settle(state, obligation, UnmatchedCollective(site, obligation.doubts, obligation))

    def read(
        self, state: State, value: Value, reading: Reading, spelling: str, site: Site, *,
        closure_argument: bool = False, repeats: bool = True,
    ) -> None:  # fmt: skip
        """A value is read on the host. The engine keeps nothing of it: the state stays as it is.

        `repeats` is False where the read itself leaves nothing to run again.
        """
        doubts = self.doubts(state, value)
        self._emit(HostRead(site, doubts, value, reading, spelling, closure_argument), state)
        state.done |= {Deed("read")}
        if (
            repeats
            and value.recorded.must is Weight.HEAVY
            and value.is_device
            and state.step is None
            and not state.eager
            and not state.in_closure
        ):
            opened = Obligation(Owed.READ, (site,), doubts, state.in_loop, spelling, since=state.since)
            state.obligations |= {opened}

    # Cuts and scopes ---------------------------------------------------------------------------

    def cut(
        self, state: State, cause: Cause, spelling: str, site: Site, *,
        sure: bool = True, resets_scope: bool = True,
    ) -> None:  # fmt: skip
        """The graph is cut: what is recorded runs. With `sure` False perhaps it is not.

        The observer must let its live values know (`Value.run`), which the model does not hold.
        """
        if not sure:
            state.recorded = Recorded(Weight.NONE, state.recorded.may)
            state.parameters = Recorded(Weight.NONE, state.parameters.may)
            state.done |= {Deed("maybe cut")}
            return
        self._emit(
            Cut(site, self.doubts(state), cause, spelling, state.recorded, state.since, resets_scope), state
        )
        for obligation in state.owes(Owed.READ):
            self._settle(state, obligation, ReadThenCut(site, obligation.doubts, obligation, cause))
        for owed in (Owed.EXIT, Owed.CLOSURE, Owed.LONE_CUT):
            state.obligations -= set(state.owes(owed))
        if cause.explicit and cause is not Cause.BARRIER and state.gradients == _LOCAL:
            opened = Obligation(Owed.SPLIT_STEP, (site,), 0, state.in_loop, spelling)
            state.obligations |= {opened}
        split = state.split
        if split is not None and state.pending and cause is not Cause.LOADER:
            doubts = (not split.certain) + (not state.gradients & {Gradient.REDUCED, Gradient.USED})
            lone = Obligation(Owed.LONE_CUT, (site,), doubts, state.in_loop, spelling, split)
            state.obligations |= {lone}
        state.recorded = state.parameters = NOTHING
        state.parameters_reduced = False
        state.since = ()
        state.opaque = False
        state.skip_cut = False
        state.done |= {Deed("cut")} if state.profiler else {Deed("cut"), Deed(cause.value, site)}

    def enter(self, state: State, scope: Scope, spelling: str) -> None:
        """A scope opens; a step scope cuts first."""
        if scope.kind.is_step:
            self.cut(state, Cause.SCOPE_ENTRY, spelling, scope.site)
            state.done |= {Deed("step scope", scope.site)}
        state.scopes = (*state.scopes, scope)
        self._emit(ScopeEntered(scope.site, 0, scope), state)

    def leave(self, state: State, scope: Scope, spelling: str) -> None:
        """The innermost scope closes, in whatever way; step scopes and `StepTrace` cut."""
        if scope in state.scopes:
            state.scopes = state.scopes[: state.scopes.index(scope)]
        self._emit(ScopeLeft(scope.site, 0, scope), state)
        if scope.kind.is_step:
            self.cut(state, Cause.SCOPE_EXIT, spelling, scope.site)
        elif scope.kind is ScopeKind.STEP_TRACE:
            self.cut(state, Cause.STEP_TRACE, spelling, scope.site)
            state.skip_cut = True

    # Gradients -----------------------------------------------------------------------------------

    def backward(self, state: State, site: Site, *, sure: bool = True) -> None:
        """Gradients are computed; a wrapped model (DDP, FSDP) reduces them on the way.

        `sure` is False where it is not known that they are computed on the device.
        """
        self._emit(GradientUsed(site, 0, Use.BACKWARD), state)
        if sure:
            self.record(state, Weight.HEAVY, site)
        else:
            state.recorded = state.recorded._replace(may=Weight.HEAVY)
        for obligation in state.owes(Owed.SPLIT_STEP):
            self._settle(state, obligation, CutAccumulated(site, obligation.doubts, obligation))
        state.obligations -= set(state.owes(Owed.CLIP))
        state.gradients = _REDUCED if state.wrapped else _LOCAL
        state.done |= {Deed("backward")}

    def zero_gradients(self, state: State) -> None:
        """Gradients are dropped."""
        state.gradients = frozenset({Gradient.NONE})

    def change_gradients(self, state: State, use: Use, spelling: str, site: Site) -> None:
        """Gradients are clipped or unscaled."""
        self._emit(GradientUsed(site, 0, use), state)
        self.record(state, Weight.LIGHT, site)
        if state.gradients == _LOCAL and state.launched is not False:
            opened = Obligation(Owed.CLIP, (site,), self.doubts(state), state.in_loop, spelling)
            state.obligations |= {opened}

    def reduce_gradients(self, state: State, site: Site) -> None:
        """Gradients are summed over the replicas."""
        self._emit(GradientUsed(site, 0, Use.REDUCE), state)
        for obligation in state.owes(Owed.CLIP):
            self._settle(state, obligation, ClippedEarly(site, obligation.doubts, obligation))
        self.record(state, Weight.LIGHT, site)
        state.gradients = _REDUCED

    def step_optimizer(
        self, state: State, site: Site, *,
        stale: Path = (), built: Path = (), sure: bool = True, barrier: bool = False,
    ) -> None:  # fmt: skip
        """Parameters are updated, by an optimizer built at `built` whose model moved at `stale`.

        `barrier` tells that a cut by the same call follows.
        """
        doubts = self.doubts(state) + (not sure)
        self._emit(OptimizerStepped(site, doubts, stale, built), state)
        before_barrier = barrier and state.recorded == NOTHING
        for obligation in state.owes(Owed.SPLIT_STEP):
            split = StepSplit(site, obligation.doubts + doubts, obligation, before_barrier)
            self._settle(state, obligation, split)
        self.record(state, Weight.HEAVY, site)
        state.obligations -= set(state.owes(Owed.CLIP))
        state.parameters_reduced = state.gradients == _REDUCED
        state.gradients = _USED
        if not (state.eager and state.step is None):
            state.parameters = Recorded(Weight.HEAVY, Weight.HEAVY)
        state.done |= {Deed("optimizer step")}

    def step_scaler(self, state: State, spelling: str, site: Site, *, sure: bool) -> None:
        """A gradient scaler asks on the host whether the step may be taken."""
        self._emit(ScalerStepped(site, self.doubts(state) + (not sure), spelling), state)

    # Replicas ------------------------------------------------------------------------------------

    def collective(self, state: State, operation: str, tag: str, site: Site) -> None:
        """Replicas meet. Counted, so that the arms of a rank test can be compared."""
        self._emit(Collective(site, self.doubts(state), operation, tag), state)
        met = (f"{operation} {tag}".strip(), (site,))
        if met not in state.collectives:  # once more round a loop is no further collective
            state.collectives = (*state.collectives, met)
        state.done |= {Deed("collective")}

    def part(self, state: State, split: Split) -> State:
        """The state of the replicas for which a test came out as `split` says."""
        arm = state.copy()
        arm.splits = (*state.splits, split)
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
        joined.splits = before.splits
        met = max(one.collectives, other.collectives, key=len)
        joined.collectives = tuple(dict.fromkeys((*before.collectives, *met)))
        for name, path, split in unmatched:
            self._owe_collective(joined, name, path, split)
        return joined

    def _owe_collective(self, state: State, name: str, path: Path, split: Split) -> None:
        for waiting in state.owes(Owed.COLLECTIVE):
            assert waiting.split is not None
            if waiting.detail == name and waiting.split.master is not split.master:
                state.obligations -= {waiting}
                return
        opened = Obligation(
            Owed.COLLECTIVE, path, self.doubts(state) + (not split.certain), state.in_loop, name, split
        )
        state.obligations |= {opened}

    def settle_collectives(self, ends: list[State], site: Site) -> None:
        """A function ends: what one arm of a test reached and no other replica did is unmatched.

        `ends` are the states in which the function may end; the replicas that left it early by a
        test inside the function are compared with those that went on.
        """
        arms: dict[Site, dict[bool, tuple[Split, State]]] = {}
        for state in ends:
            own = [split for split in state.splits if not split.inherited]
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
        for state in ends:
            for obligation in state.owes(Owed.COLLECTIVE):
                self._settle(state, obligation, UnmatchedCollective(site, obligation.doubts, obligation))

    # Files, closures, loops, ends ------------------------------------------------------------------

    def save(
        self, state: State, spelling: str, value: Value, recorded: Recorded, site: Site, *,
        by_xla: bool, on_device: bool = False,
    ) -> None:  # fmt: skip
        """Values are written to a file; `on_device` when some of them surely are device tensors."""
        doubts = self.doubts(state, value)
        on_device = on_device or value.is_device
        self._emit(Save(site, doubts, spelling, value, recorded, by_xla, on_device), state)
        if recorded.may is Weight.HEAVY:
            for obligation in state.owes(Owed.EXIT):
                self._settle(
                    state, obligation, LeftPending(site, obligation.doubts, obligation, Leaving.SAVE)
                )
        if by_xla:
            self.collective(state, "xm.save", "", site)

    def add_closure(self, state: State, site: Site, *, asynchronous: bool) -> None:
        """A step closure waits for the next cut."""
        self._emit(ClosureAdded(site, 0, asynchronous), state)
        opened = Obligation(Owed.CLOSURE, (site,), self.doubts(state), state.in_loop)
        state.obligations |= {opened}
        state.done |= {Deed("closure", site)}

    def leave_loop(self, state: State, how: str, site: Site) -> None:
        """A loop whose end would have cut is left by `how`: break, return or raise.

        Only pending parameters are owed: what an evaluation left behind nobody misses.
        """
        if state.pending and state.parameters.must and state.step is None and not state.eager:
            opened = Obligation(Owed.EXIT, (site,), self.doubts(state), state.in_loop, how, since=state.since)
            state.obligations |= {opened}

    def end_loop(
        self, state: State, outside: frozenset[Deed], over: Value | None, recorded: Recorded, site: Site, *,
        since: tuple[Site, ...] = (),
    ) -> None:  # fmt: skip
        """A loop has ended; `state.in_loop` tells of the loops around it already.

        Args:
            outside: The deeds done before the loop, in the loop around it.
            over: What the loop ran over; None: a `while`.
            recorded: What every iteration leaves behind at its end.
            since: Where that was recorded.
        """
        self._emit(LoopLeft(site, self.doubts(state), over, recorded, state.done, since), state)
        state.done = outside | {deed._replace(nested=True) for deed in state.done}

    def end(self, state: State, site: Site) -> None:
        """The program, as far as it can be seen, ends here."""
        for obligation in state.owes(Owed.EXIT):
            if obligation.detail != "raise":
                self._settle(state, obligation, LeftPending(site, obligation.doubts, obligation, Leaving.END))
        for obligation in state.owes(Owed.CLOSURE):
            self._settle(state, obligation, ClosureNeverRun(site, obligation.doubts, obligation))

    def _settle(self, state: State, obligation: Obligation, event: Event) -> None:
        self._emit(event, state)
        state.obligations -= {obligation}


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
