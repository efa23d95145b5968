"""The model of the lazy engine: how each thing a program does changes the state.

Both observers drive it: the analyzer from source, the guard from the running engine. It alone
decides what is remembered between two events (obligations); rules remember nothing.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from xlalint.lazy import assumptions
from xlalint.lazy.assumptions import Assumptions, both
from xlalint.lazy.events import (
    AnomaliesSought,
    BatchesPadded,
    Change,
    ClosureAdded,
    ClosureNeverRun,
    ClosureSeesLater,
    CompiledInVain,
    Fault,
    FellBack,
    GraphChanged,
    LastBatchSmaller,
    Leaving,
    LeftPending,
    LoaderAbandoned,
    LoaderSpent,
    LoopLeft,
    MethodMissed,
    ReadApart,
    SamplesRepeated,
    Validated,
)
from xlalint.lazy.obligations import REFINES, TRAINS, Fact, Obligation, Owed
from xlalint.lazy.setup import SetupTransitions
from xlalint.lazy.site import Site
from xlalint.lazy.state import NOTHING_DONE, Loop, State
from xlalint.lazy.transitions import note
from xlalint.lazy.values import NOTHING, Kind, Padded, Ragged, Recorded, Value, Weight, Whole

_UPDATES_PEND: Final = assumptions.assume("the parameters were updated")

FEW_UPDATES: Final = 8
"""So many updates, one after the other, may be one graph on purpose."""
_FEW: Final = 2
"""To fetch so many numbers from the device costs about what it costs to stack them first."""


class LazyModel(SetupTransitions):
    """Transitions of the state. Events go to `emit` with the state they happened in."""

    __slots__ = ()

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
        scopes, engine = state.scopes, state.engine
        if (scopes.in_closure, scopes.in_forward, scopes.in_loop) != (in_closure, in_forward, in_loop):
            state.scopes = scopes._replace(in_closure=in_closure, in_forward=in_forward, in_loop=in_loop)
        if state.replicas.launched is not launched:
            state.replicas = state.replicas._replace(launched=launched)
        seen = (eager, recorded, in_forward)  # whose work it is, the engine does not tell
        if seen != (engine.eager, engine.recorded, engine.of_forward):
            state.engine = engine._replace(eager=eager, recorded=recorded, of_forward=in_forward)
        if recorded == NOTHING:
            held = (state.engine.parameters, state.engine.gradients, state.engine.since)
            if held != (NOTHING, NOTHING, ()):
                state.engine = state.engine._replace(parameters=NOTHING, gradients=NOTHING, since=())
        else:
            state.engine = state.engine.works()
        if recorded.must is not Weight.HEAVY:
            self.hold_nothing(state)

    def hold_nothing(self, state: State) -> None:
        """No heavy work waits any more: what was read or left of it has gone, and no cut can run it again."""
        state.obligations = frozenset(o for o in state.obligations if not o.terms.needs_heavy_work)

    def read_apart(
        self, state: State, count: int, spelling: str, site: Site, *,
        runs: bool, again: bool, assumes: Assumptions, listed: bool = False,
    ) -> None:  # fmt: skip
        """Several numbers were read one by one.

        Two are told where each runs a graph. What has run before is only fetched: then more are, for every
        batch of a loader: a container may hold but one. Three or more that run a graph each are told where
        that happens once, too, as of all parameters when training has ended. That is a note, and so is what
        comes once an epoch.

        Args:
            count: How many; 0: as many as a container holds.
            runs: Whether at least two of them run a graph.
            again: Whether each runs the same heavy work: that counts even if all this happens once.
            listed: Whether they may stand in one list, tuple or tensor.
        """
        scopes = state.scopes
        if scopes.step is not None or scopes.in_closure or state.engine.eager:
            return
        often = again or state.hot
        many = not count or count > _FEW
        if (often or many) if runs else (state.in_every_round and count > _FEW):
            taken = both(self.assumed_uncut(state), assumes)
            once = runs and not again and (state.after_steps or not state.hot)
            self._emit(ReadApart(site, taken, count, spelling, runs, once=once, listed=listed), state)

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

    def fall_back(self, state: State, operation: str, site: Site) -> None:
        """The host runs an operation that the engine cannot record: what it needs is launched and read."""
        self._emit(FellBack(site, self.assumed(state), operation), state)

    def change_graph(self, state: State, change: Change, site: Site) -> None:
        """A loop that has warmed up records another graph than before: it is compiled."""
        self._emit(GraphChanged(site, self.assumed(state), change), state)

    def add_closure(
        self, state: State, site: Site, *, asynchronous: bool, captures: Iterable[str] = ()
    ) -> None:
        """A step closure waits for the next cut; `captures` are the names that it will look up then."""
        self._emit(ClosureAdded(site, asynchronous=asynchronous), state)
        self._owe(state, Owed.CLOSURE, site, self.assumed_uncut(state), " ".join(captures))
        note(state, closures=state.loop.own.closures | {site})

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
            assumes = self.assumed_uncut(state)
            if engine.parameters.must is not Weight.HEAVY:
                if state.loop.own.saves:
                    return  # On some way here they were written, which has run them: it may be the only one.
                # On some way here they were not updated.
                assumes = both(assumes, _UPDATES_PEND)
            self._owe(state, Owed.EXIT, site, assumes, how, since=engine.since)

    @staticmethod
    def forget_exits(state: State) -> None:
        """What loops were left with is gone with the models that they trained: nothing runs it any more."""
        state.obligations = frozenset(o for o in state.obligations if o.owed is not Owed.EXIT or o.inherited)

    def abandon_loader(
        self, state: State, loader: str, made: Site, site: Site, *, when: frozenset[Fact] = frozenset(),
        assumes: Assumptions = assumptions.NONE,
    ) -> None:  # fmt: skip
        """A loop over a loader of XLA, made in a loop by the call `loader` at `made`, is left early.

        `when` is what is known there of tests and flags: where it is otherwise, this was not so.
        """
        assumes = both(self.assumed(state), assumes)
        left = Obligation(Owed.LOADER, (site,), assumes, state.hot, loader, since=(made,), when=when)
        state.obligations |= {left}

    def make_loader(self, state: State, loader: str, site: Site) -> None:
        """A loader of XLA is made, by the call `loader`; one that was left early keeps its threads."""
        self._need_markers(state)
        for obligation in state.owes(Owed.LOADER):
            if obligation.detail == loader and (obligation.inherited or obligation.since == (site,)):
                self._settle(state, obligation, LoaderAbandoned(site, obligation.assumes, obligation))

    def make_parallel_loader(self, state: State, loader: str) -> None:
        """A loader that gives its batches once is made, by the call `loader`."""
        state.obligations -= {o for o in state.owes(Owed.SPENT) if o.detail == loader}

    def go_over_again(self, state: State, loader: str, assumes: Assumptions, site: Site) -> None:
        """A loop begins over such a loader: if it has run out before, there are no batches."""
        if any(obligation.detail == loader for obligation in state.owes(Owed.SPENT)):
            self._emit(LoaderSpent(site, both(self.assumed(state), assumes), loader), state)

    def run_out(self, state: State, loader: str, site: Site) -> None:
        """A loop has gone over all batches of such a loader."""
        self.make_parallel_loader(state, loader)
        self._owe(state, Owed.SPENT, site, assumptions.NONE, loader)

    def take_padded(self, state: State, padded: Padded, site: Site) -> None:
        """A loop computes at `site` on what is as long as its longest sequence."""
        if not state.engine.eager:
            taken = both(self.assumed(state), padded.assumes)
            self._emit(BatchesPadded(site, taken, padded.built, padded.by), state)

    def enter_loop(self, state: State) -> Loop:
        """A loop begins. Returns what happened before it, in the loop around it, for `end_loop`."""
        outside, state.loop = state.loop, NOTHING_DONE
        return outside

    def end_loop(
        self, state: State, outside: Loop, over: Value | None, recorded: Recorded, site: Site, *,
        since: tuple[Site, ...] = (), keeps: bool = False, ragged: Ragged | None = None, told: bool = True,
        padded: Padded | None = None, whole: Whole | None = None, in_batches: bool = False,
        goes_on: Assumptions | None = None, draws: Assumptions | None = None,
        of_parts: bool = False, refines: Assumptions | None = None, rounds: Loop | None = None,
        few: bool = False,
    ) -> None:  # fmt: skip
        """A loop has ended; `state.scopes` tells of the loops around it already.

        Args:
            outside: What happened before the loop, in the loop around it.
            over: What the loop ran over; None: a `while`.
            recorded: What every iteration leaves behind at its end.
            since: Where that was recorded.
            keeps: Whether a container or a sum gathers it over the iterations.
            ragged: Whether the last batch of what it ran over is smaller, and where that was made.
            padded: Whether its batches are as long as their longest sequence, and what fills them up.
            told: Whether this end is the one by which the loop is judged.
            whole: Whether what it ran over gives every replica all the samples, and where that was made.
            in_batches: Whether a loop around it may be the one over a loader.
            goes_on: What must be so for each round to go on with the work of the one before, and to read what
                comes of it; None: it does not.
            of_parts: Whether it went over several models or optimizers, of which each makes a part of a step.
            refines: What must be so for each round to make more of what those before have made, such as a
                text or a picture; None: it does not.
            draws: What must be so for each round to draw on the device, and to read; None: it does not.
            rounds: What happened in rounds that another one followed; None: in all of them.
            few: Whether it goes round a few times inside another loop: its updates may be one step on
                purpose, as those of the critic of a GAN.
        """
        # A function in which nothing happens does the same whatever is recorded, with a loop or without.
        if told and not of_parts and (recorded != NOTHING or state.loop.did_anything):
            asked = (each for each in (goes_on, refines, draws) if each is not None)
            taken = both(self.assumed_uncut(state), next(asked, assumptions.NONE))
            left = LoopLeft(
                site, taken, over, recorded, rounds or state.loop, since, keeps, goes_on is not None,
                in_batches or few, refines is not None, draws is not None,
            )  # fmt: skip
            self._emit(left, state)
            done = state.loop.all
            on_device = done.cuts or recorded.must is Weight.HEAVY
            if ragged is not None and done.steps and on_device and not state.engine.eager:
                # Where an unknown callee cuts the graph, too, the last batch is as small.
                lazy = assumptions.LAZY if state.engine.eager is None else assumptions.NONE
                taken = both(both(state.trust.bounded, lazy), ragged.assumes)
                self._emit(LastBatchSmaller(site, taken, ragged.built), state)
            if padded is not None and done.works and on_device:
                self.take_padded(state, padded, site)
            alone = not state.replicas.launched or state.replicas.spmd
            if whole is not None and done.steps and on_device and not alone:
                self._emit(SamplesRepeated(site, both(left.assumes, whole.assumes), whole.built), state)
            steps = left.loop.own.steps
            # What each round lets go is never run: no later cut has it.
            lasts = (steps or keeps or left.refines) and not (
                left.loop.all.reads or left.loop.closures or left.seldom_cuts
            )
            if lasts and left.lacks_cut(state.view()):
                how = TRAINS if steps else REFINES if left.refines else ""
                met = both(left.assumes, left.trains_now_and_then)
                self._owe(state, Owed.STEPS, site, met, how, since=state.engine.since)
        self.settle_forwards(state, recorded, told=told)
        over_loader = over is not None and over.kind is Kind.LOADER
        if over_loader or state.loop.all.cuts or state.loop.all.may_cut:
            # The last of its closures may wait for ever, but those of all rounds before have run.
            self.doubt_closures(state)
        of_step = of_parts or few or (state.scopes.in_batches and not over_loader)
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
            met = both(obligation.assumes, self.assumed_uncut(state))
            self._settle(state, obligation, ClosureNeverRun(site, met, obligation))
        self.settle_steps(state)
        self.settle_markers([state])
