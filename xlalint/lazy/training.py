"""Transitions of what is trained: random numbers, gradients, optimizers and scalers."""

from __future__ import annotations

import functools
from typing import Final

from xlalint.lazy import assumptions
from xlalint.lazy.assumptions import UNSEEDED, Assumptions, both, either
from xlalint.lazy.cuts import Cause
from xlalint.lazy.events import (
    BackwardLowered,
    CheckpointedByTorch,
    ClippedEarly,
    DynamoRan,
    GeneratorRefused,
    GradientUsed,
    InferenceRefused,
    OptimizerRefused,
    OptimizerStepped,
    ReducedAgain,
    RestoredUnprimed,
    ScalerStepped,
    SeedMissed,
    SteppedAgain,
    StepSplit,
    TrainedApart,
    TrainedUntraced,
    Use,
    WeightsDiffer,
    WorkLeaked,
)
from xlalint.lazy.gradients import Gradient
from xlalint.lazy.obligations import Owed
from xlalint.lazy.recording import LOCAL, RecordingTransitions
from xlalint.lazy.site import Path, Site
from xlalint.lazy.state import State, Training
from xlalint.lazy.transitions import exchange, note, show_autograd
from xlalint.lazy.values import NOTHING, Recorded, Value, Weight

REDUCING, PLAIN = "xm.optimizer_step", "step"
"""How an optimizer was asked to step: with its gradients summed over the replicas first, or as they are."""

REDUCED: Final = frozenset({Gradient.REDUCED})


OFF: Final = "switched off for a while"
"""The detail of an autocast within which another one, that is not enabled, is open."""


class TrainingTransitions(RecordingTransitions):
    """What trains a model, on top of what is recorded."""

    __slots__ = ()

    def lower(self, state: State, site: Site, *, assumes: Assumptions = assumptions.NONE) -> None:
        """From here on an autocast for XLA computes products in lower precision."""
        self._owe(state, Owed.LOWERED, site, both(self.assumed(state), assumes))

    def end_lowering(self, state: State, site: Site) -> None:
        """The autocast that was entered there ends."""
        state.obligations -= {o for o in state.owes(Owed.LOWERED) if o.path == (site,)}

    def switch_lowering(self, state: State, *, off: bool) -> None:
        """All autocasts around are switched off for a while, or are on again."""
        for obligation in state.owes(Owed.LOWERED):
            exchange(state, obligation, obligation._replace(detail=OFF if off else ""))

    def multiply(self, state: State, site: Site) -> None:
        """A product is recorded, of which an autocast would change the precision: what backward makes of it
        are products, too."""
        if any(obligation.detail == OFF for obligation in state.owes(Owed.LOWERED)):
            self._owe(state, Owed.PRECISE, site, self.assumed(state))

    def _lower_gradients(self, state: State, site: Site) -> None:
        precise = state.owes(Owed.PRECISE)
        for obligation in state.owes(Owed.LOWERED) if precise else ():
            if obligation.detail != OFF:
                known = functools.reduce(either, (each.assumes for each in precise))
                met = both(both(obligation.assumes, known), self.assumed(state))
                self._emit(BackwardLowered(site, met, obligation), state)
        state.obligations -= set(precise)

    def seed_host(
        self, state: State, site: Site, *, differs: bool = False, assumes: Assumptions = assumptions.NONE
    ) -> None:
        """The random numbers of the host get a seed, which `differs` between replicas or not. Those of the
        device have one of their own."""
        if not state.owes(Owed.OWN_WEIGHTS):
            # A later seed changes no weights that are there.
            state.obligations -= set(state.owes(Owed.OWN_SEED))
            if differs and state.replicas.launched is not False:
                self._owe(state, Owed.OWN_SEED, site, both(state.trust.bounded, assumes))
        if not state.owes(Owed.SEEDED):
            state.obligations -= set(state.owes(Owed.SEED))
            self._owe(state, Owed.SEED, site, state.trust.bounded)

    def begin_unseeded(self, state: State, site: Site) -> None:
        """Replicas begin, each with random numbers of its own on the host, unless they have got a seed."""
        if not (state.owes(Owed.SEED) or state.owes(Owed.SEEDED)):
            assumes = both(state.trust.bounded, UNSEEDED)
            self._owe(state, Owed.OWN_SEED, site, assumes, WeightsDiffer.NO_SEED)

    def may_seed_host(self, state: State) -> None:
        """Somebody unseen may give the random numbers of the host a seed."""
        if not state.owes(Owed.OWN_WEIGHTS):
            state.obligations -= set(state.owes(Owed.OWN_SEED))

    def draw_weights(self, state: State, site: Site) -> None:
        """A module is made, and the host draws its weights."""
        if state.owes(Owed.OWN_SEED) and not state.owes(Owed.OWN_WEIGHTS):
            self._owe(state, Owed.OWN_WEIGHTS, site, state.trust.bounded)

    def load_weights(self, state: State) -> None:
        """A module gets weights from elsewhere, as from a file."""
        state.obligations -= set(state.owes(Owed.OWN_WEIGHTS))

    def share_weights(self, state: State) -> None:
        """All replicas get the same weights, or may get them."""
        state.obligations -= {*state.owes(Owed.OWN_SEED), *state.owes(Owed.OWN_WEIGHTS)}

    def _train_own_weights(self, state: State, site: Site, *, by_hand: bool) -> None:
        drawn = state.owes(Owed.OWN_WEIGHTS)
        for obligation in state.owes(Owed.OWN_SEED) if drawn else ():
            known = functools.reduce(either, (each.assumes for each in drawn))
            met = both(both(obligation.assumes, known), self.assumed(state))
            self._settle(state, obligation, WeightsDiffer(site, met, obligation, by_hand))

    def seed_device(self, state: State, site: Site) -> None:
        """The random numbers of the device get a seed."""
        state.obligations -= {*state.owes(Owed.SEED), *state.owes(Owed.DRAWN), *state.owes(Owed.SEEDED)}
        self._owe(state, Owed.SEEDED, site, assumptions.NONE)

    def hand_seed(self, state: State, launched: State) -> None:
        """Replicas are launched: their devices follow the seed of the process that launches them no more than
        its own does."""
        seeds = (seed._replace(detail=SeedMissed.LAUNCHED) for seed in state.owes(Owed.SEED))
        launched.obligations = launched.obligations.union(seeds)

    def draw(
        self, state: State, site: Site, *,
        trains: bool, goes_on: bool = False, assumes: Assumptions = assumptions.NONE,
    ) -> None:  # fmt: skip
        """Random numbers are drawn on the device: if it `trains`, they count once gradients are computed.

        `goes_on` says that the engine computes them from those that were drawn before, since its last cut.
        """
        assumes = both(self.assumed(state), assumes)
        if goes_on and state.loop.draws is None:
            state.loop = state.loop._replace(draws=assumes)
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

    def run_dynamo(
        self, state: State, backend: str | None, site: Site, *,
        built: Site, plain: bool, trains: bool = False, learns: bool = False,
        assumes: Assumptions = assumptions.NONE,
    ) -> None:  # fmt: skip
        """What `torch.compile` made at `built` runs on a device of XLA, by `backend`.

        Args:
            plain: Whether nothing was asked for that only the default backend takes.
            trains: Whether it is a training step, or is known to be a part of one.
            learns: Whether gradients may be computed of what it returns.
        """
        assumes = both(self.assumed(state), assumes)
        self._emit(DynamoRan(site, assumes, backend, built, plain, trains), state)
        if learns:
            note(state, dynamo=state.loop.own.dynamo | {(site, assumes)})

    def backward(self, state: State, site: Site, *, sure: bool = True) -> None:
        """Gradients are computed; a wrapped model (DDP, FSDP) reduces them on the way.

        `sure` is False where it is not known that they are computed on the device.
        """
        self._emit(GradientUsed(site, use=Use.BACKWARD), state)
        self._train_with_drawn(state, site)
        self._train_untraced(state, site)
        self._lower_gradients(state, site)
        for obligation in state.owes(Owed.VARYING):
            met = both(obligation.assumes, self.assumed(state))
            self._settle(state, obligation, WorkLeaked(site, met, obligation))
        for obligation in state.owes(Owed.FORWARD_CUT):
            if state.engine.recorded.may is not Weight.HEAVY:  # Else it is another forward pass that counts.
                met = both(obligation.assumes, self.assumed(state))
                if obligation.detail:
                    self._settle(state, obligation, StepSplit(site, met, obligation, before_backward=True))
                else:
                    split = obligation._replace(owed=Owed.FORWARD_SPLIT, assumes=met)
                    exchange(state, obligation, split)
        if sure:
            recorded = self.record(state, Weight.HEAVY, site)
        else:
            self.record_perhaps(state, Weight.HEAVY, site)
            recorded = Recorded(Weight.NONE, state.engine.recorded.may)
        state.engine = state.engine._replace(gradients=recorded)
        for obligation in state.owes(Owed.SPLIT_STEP):
            # The cut ends a micro-batch; an optimizer step after it is not split.
            exchange(state, obligation, obligation._replace(owed=Owed.ACCUMULATION))
        state.obligations -= set(state.owes(Owed.CLIP))
        show_autograd(state)
        now = Gradient.REDUCED if state.replicas.wrapped else Gradient.LOCAL
        state.gradients = state.gradients.change(None, now)
        state.trust = state.trust._replace(summing=assumptions.NONE)
        note(state, backward=True, trained=state.loop.own.trained | {Training(site)})

    def zero_gradients(self, state: State, optimizer: Site | None = None) -> None:
        """Gradients are dropped: those of the optimizer built there, or (None) all."""
        state.gradients = state.gradients.change(optimizer, Gradient.NONE)
        state.obligations -= set(state.owes(Owed.STEPPED))
        if state.gradients.of(None) == {Gradient.NONE}:
            state.obligations -= set(state.owes(Owed.CLIP))  # what was clipped is never summed
        if state.hot:
            note(state, clears=True)

    def change_gradients(self, state: State, use: Use, spelling: str, site: Site) -> None:
        """Gradients are clipped or unscaled."""
        self._emit(GradientUsed(site, self.assumed(state), use), state)
        self.record(state, Weight.LIGHT, site)
        # Where a loop or a branch may have computed none, or none since the last step, clipping does no harm.
        gradients = state.gradients.of(None)
        waits = Gradient.LOCAL in gradients and Gradient.REDUCED not in gradients
        if waits and state.replicas.launched is not False:
            assumes = both(self.assumed(state), state.trust.summing)
            if use is Use.CUT_OFF:
                assumes = both(assumes, assumptions.CUT_OFF)
            self._owe(state, Owed.CLIP, site, assumes, spelling)

    def reduce_gradients(
        self, state: State, site: Site, optimizer: Site | None = None, *,
        spelling: str = "", sharded: bool | None = None, by_optimizer: bool = False, steps: bool = False,
        by_hand: bool | None = None,
    ) -> None:  # fmt: skip
        """Gradients are summed over the replicas: those of the optimizer built there, or (None) all.

        Args:
            sharded: Whether each replica holds those of other parameters; None: the state knows.
            by_optimizer: Whether the optimizer sums them where it steps, too.
            steps: Whether this is that step.
            by_hand: Whether the program itself asks for it, and no framework; None: not by name.
        """
        self._emit(GradientUsed(site, use=Use.REDUCE), state)
        if sharded is None and state.gradients.of(optimizer) == REDUCED and state.replicas.wrapped:
            sharded = state.replicas.sharded
        by_backward = sharded is not None
        # Where nobody knows of which optimizer gradients were summed, it may have been another one.
        before = by_hand and (optimizer, REDUCED) in state.gradients.named
        if by_backward or (by_optimizer and not steps) or (before and state.replicas.wrapped is False):
            taken = self.assumed(state)
            again = ReducedAgain(site, taken, spelling, bool(sharded), by_backward, by_optimizer)
            self._emit(again, state)
        for obligation in state.owes(Owed.CLIP):
            self._settle(state, obligation, ClippedEarly(site, obligation.assumes, obligation))
        if by_hand is not None and not by_backward and not by_optimizer:
            self._train_own_weights(state, site, by_hand=by_hand)
        self.record(state, Weight.LIGHT, site)
        state.gradients = state.gradients.change(optimizer, Gradient.REDUCED)

    def build_optimizer(self, state: State, site: Site) -> None:
        """An optimizer is built that keeps a state of each parameter, and has none before its first step."""
        self._owe(state, Owed.UNPRIMED, site, self.assumed(state))

    def refuse_optimizer(
        self, state: State, site: Site, *,
        built: Path = (), moved: Path = (), assumes: Assumptions = assumptions.NONE,
    ) -> None:  # fmt: skip
        """An optimizer that shares parameters out among the replicas was `built` over some of the host."""
        self._emit(OptimizerRefused(site, both(self.assumed(state), assumes), built, moved), state)

    def prime_optimizers(self, state: State) -> None:
        """An optimizer gets a state, by a step or otherwise; others may have got theirs with it."""
        state.obligations -= set(state.owes(Owed.UNPRIMED))

    def restore_optimizer(self, state: State, built: Site, spelling: str, site: Site) -> None:
        """A sharded checkpoint is restored into the state of the optimizer built there."""
        assumes = self.assumed(state)
        for obligation in state.owes(Owed.UNPRIMED):
            if obligation.inherited or obligation.path[-1] == built:
                met = both(obligation.assumes, assumes)
                self._settle(state, obligation, RestoredUnprimed(site, met, obligation, spelling))

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
        unreduced = plain and not state.gradients.met and state.gradients.of(optimizer) == LOCAL
        event = OptimizerStepped(site, assumes, stale, built, off_device, unreduced, reducing and closure)
        self._emit(event, state)
        self.prime_optimizers(state)
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
            if state.ends_micro_batches(obligation):
                split = obligation._replace(owed=Owed.ACCUMULATION)
            exchange(state, obligation, split)
        # A step of another optimizer computes no gradients.
        others = [each for each in state.owes(Owed.STEPPED) if built and not closure and each.since != built]
        self.record(state, Weight.HEAVY, site)
        state.obligations |= {*others}
        state.obligations -= set(state.owes(Owed.CLIP))
        reduced = state.gradients.of(optimizer) == REDUCED
        state.gradients = state.gradients.change(optimizer, Gradient.USED)
        engine = state.engine._replace(parameters_reduced=reduced)
        if not (engine.eager and state.scopes.step is None):
            engine = engine._replace(parameters=Recorded(Weight.HEAVY, Weight.HEAVY))
        state.engine = engine
        own = state.loop.own
        often = own.steps_often or not state.of_few_rounds
        note(state, steps=True, steps_often=often, trained=own.trained | {Training(site)})
        if built:
            how = REDUCING if reducing else PLAIN
            self._owe(state, Owed.STEPPED, site, state.trust.bounded, how, since=built)

    def apply_gradients(self, state: State, optimizer: Site | None) -> None:
        """An optimizer's step ends that has computed gradients itself, by a closure, and applied them."""
        state.gradients = state.gradients.change(optimizer, Gradient.USED)

    def come_apart(
        self, state: State, site: Site, names: str, *,
        made: Path = (), assumes: Assumptions = assumptions.NONE,
    ) -> None:  # fmt: skip
        """A module, `made` somewhere, moves by which each of its parts gets parameters of its own.

        Args:
            names: Those of a parameter that it had under two, and of the method that ties them, if anybody
                may call it: `head.weight, embedding.weight, tie_weights`.
        """
        self._owe(state, Owed.TIED, site, both(self.assumed(state), assumes), names, since=made)

    def tie_again(self, state: State, made: Path | None = None) -> None:
        """What came apart is one again, or is never trained: of the module `made` there, or of all."""
        tied = state.owes(Owed.TIED)
        state.obligations -= {each for each in tied if made is None or each.since == made}

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
        self, state: State, spelling: str, site: Site, *, built: Path = (),
        assumes: Assumptions = assumptions.NONE, of_xla: bool = False, decides_on_device: bool = False,
    ) -> None:  # fmt: skip
        """A gradient scaler, if it is one that is on, asks on the host whether the step may be taken.

        The optimizer was `built` somewhere. One `of_xla`, which was gone in 2.9, `decides_on_device` with
        some optimizers or settings.
        """
        taken = both(self.assumed(state), assumes)
        self._emit(ScalerStepped(site, taken, spelling, built, of_xla, decides_on_device), state)

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

    def settle_forwards(self, state: State, recorded: Recorded, *, told: bool) -> None:
        """A loop has ended: what was cut before backward is told, where its rounds end with a cut, too.

        Without one the same cut runs the update of the round before: each step is one graph.

        Args:
            recorded: What every round leaves behind.
            told: Whether this end is the one by which the loop is judged.
        """
        if not state.loop.all.trains:
            return
        cuts = recorded.may is not Weight.HEAVY or bool(state.loop.own.cut_sites(Cause.LOADER))
        for obligation in state.owes(Owed.FORWARD_SPLIT):
            if obligation.inherited:
                continue  # that is for the caller to say, whose loop it may be of
            if told and cuts:
                event = StepSplit(obligation.path[-1], obligation.assumes, obligation, before_backward=True)
                self._emit(event, state)
            state.obligations -= {obligation}

    def refuse_inference(
        self, state: State, spelling: str, site: Site, *, assumes: Assumptions = assumptions.NONE
    ) -> None:  # fmt: skip
        """A model is called in inference mode, in which nothing that was there before can be viewed."""
        self._emit(InferenceRefused(site, both(self.assumed(state), assumes), spelling), state)

    def refuse_generator(
        self, state: State, spelling: str, site: Site, *, assumes: Assumptions = assumptions.NONE
    ) -> None:  # fmt: skip
        """A generator of random numbers is asked for on the device."""
        self._emit(GeneratorRefused(site, both(self.assumed(state), assumes), spelling), state)

    def checkpoint(
        self, state: State, value: Value, spelling: str, site: Site, *, reentrant: bool | None
    ) -> None:
        """PyTorch's own activation checkpointing gets a tensor on the device, `value`."""
        if state.setup.registered:
            return
        assumes = self.assumed(state, value)
        self._emit(CheckpointedByTorch(site, assumes, spelling, reentrant), state)
