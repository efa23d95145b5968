"""Transitions of replicas: how they are launched, where they part and meet, what they write and read."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from xlalint.lazy import assumptions
from xlalint.lazy.assumptions import Assumptions, both
from xlalint.lazy.events import (
    BarrierFault,
    BarrierMisused,
    ChangedAlone,
    CheckpointTaken,
    Collective,
    GroupJoined,
    LaunchedTooLate,
    Leaving,
    LeftAlone,
    LeftPending,
    LoadedByAnother,
    LoadRefused,
    NumberedWithinHost,
    ObjectsShared,
    ReadTooEarly,
    ReplicasLaunched,
    ResultDropped,
    Save,
    UnmatchedCollective,
)
from xlalint.lazy.gradients import Gradient
from xlalint.lazy.obligations import Obligation, Owed
from xlalint.lazy.scopes import Split
from xlalint.lazy.site import Path, Site
from xlalint.lazy.state import State, met
from xlalint.lazy.state import join as join_states
from xlalint.lazy.training import TrainingTransitions
from xlalint.lazy.transitions import note
from xlalint.lazy.values import NOTHING, Recorded, Value, Weight

_HOLDING: Final = frozenset({"barrier", "rendezvous", "mesh_reduce"})
"""Where replicas wait on their hosts: what one has written before, the others find."""
_SENDING_NOTHING: Final = frozenset({"barrier", "rendezvous", "xm.save"})
"""Where replicas meet and sum no gradients."""


class ReplicaTransitions(TrainingTransitions):
    """Replicas that part and meet, on top of what trains."""

    __slots__ = ()

    def collective(
        self, state: State, operation: str, tag: str, site: Site, *,
        every_round: bool | None = None, of_loss: bool = False,
    ) -> None:  # fmt: skip
        """Replicas meet. Counted, so that the arms of a rank test can be compared.

        `every_round` says whether they do so for every batch of a loader; None: the state knows. `of_loss`
        tells that they share a loss, and so no gradients.
        """
        hot = state.in_every_round if every_round is None else every_round
        self._emit(Collective(site, self.assumed(state), operation, tag, hot), state)
        if operation not in _SENDING_NOTHING and not of_loss:
            self.meet_in_part(state)
        if operation in _HOLDING:
            state.obligations -= set(state.owes(Owed.WRITTEN))
        note(state, meets=state.loop.own.meets | {operation})
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

    def drop_result(self, state: State, spelling: str, operation: str, value: Value, site: Site) -> None:
        """What the replicas make of `value`, a new tensor, is held by nobody: `value` stays what it was."""
        if not state.replicas.spmd and state.replicas.launched is not False:
            assumes = both(state.trust.bounded, value.assumes)
            self._emit(ResultDropped(site, assumes, spelling, operation), state)

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
        several: bool = False, assumes: Assumptions = assumptions.NONE,
    ) -> None:  # fmt: skip
        """Replicas are started: `processes` as asked for (None: one for each device), where that is `known`,
        or as `assumes` says.

        `accepted` says whether the function takes such a number at all, `several` that one is asked for
        which is more than 1, whatever it is.
        """
        taken = both(state.trust.bounded, assumes)
        self._emit(ReplicasLaunched(site, taken, spelling, processes, accepted, several), state)
        self._need_markers(state)
        for obligation in state.owes(Owed.DEVICE) if known and processes is None else ():
            self._settle(state, obligation, LaunchedTooLate(site, obligation.assumes, obligation))

    def number_samples(
        self, state: State, site: Site, *,
        asked: Site | None = None, name: str = "", counted: Site | None = None,
        assumes: Assumptions = assumptions.NONE,
    ) -> None:  # fmt: skip
        """A sampler gives each replica its samples by a number that counts the replicas of one host alone.

        Args:
            asked: The call that gives the number, where it stands in the place of the argument.
            name: The function that is called there.
            counted: Where the program asks for the number, wherever that is, if in one place.
        """
        taken = both(state.trust.bounded, assumes)
        self._emit(NumberedWithinHost(site, taken, asked, name, counted), state)

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
        parted: list[tuple[Split, State]] = []
        for state in ends:
            own = [split for split in state.replicas.splits if not split.inherited]
            parted += [(own[0], state)] if own else []
        self._compare(parted, alone=True)
        for state in ends if told else ():
            for obligation in state.owes(Owed.COLLECTIVE):
                self._settle(state, obligation, UnmatchedCollective(site, obligation.assumes, obligation))

    def end_round(self, ends: list[State], tests: int) -> None:
        """A round of a loop ends for all replicas, also for those that a test inside it sent on to the next.

        Args:
            ends: The states in which it may end.
            tests: How many tests that part the replicas stand around the loop.
        """
        parted = [(held[tests], state) for state in ends if len(held := state.replicas.splits) > tests]
        self._compare(parted, alone=False)

    def _compare(self, parted: list[tuple[Split, State]], *, alone: bool) -> None:
        """What one side of a test has reached and the other has not is owed; with `alone`, also what one has
        reached of which the other is nowhere."""
        arms: dict[Site, dict[bool, tuple[Split, State]]] = {}
        for split, state in parted:
            arms.setdefault(split.site, {})[split.polarity] = (split, state)
        for sides in arms.values():
            surplus: list[tuple[str, Path, Split, State]] = []
            if len(sides) == 2:
                (one, a), (other, b) = sides.values()
                surplus = [(n, p, one, a) for n, p in _surplus(a.collectives, b.collectives)]
                surplus += [(n, p, other, b) for n, p in _surplus(b.collectives, a.collectives)]
            elif alone:
                ((split, state),) = sides.values()
                surplus = [(n, p, split, state) for n, p in state.collectives]
            for name, path, split, state in surplus:
                self._owe_collective(state, name, path, split)

    def save(
        self, state: State, spelling: str, value: Value, recorded: Recorded, site: Site, *,
        by_xla: bool, on_device: bool = False, of_parameters: bool = False,
        to_every_replica: bool = False, opened: Path = (), file: str = "", as_references: bool = False,
        sharded: bool = False, has_parameters: bool = False,
    ) -> None:  # fmt: skip
        """Values are written to a file, and what is recorded on them runs.

        Args:
            on_device: Whether some of them surely are device tensors.
            of_parameters: Whether a module's parameters are among them.
            to_every_replica: Whether each one that comes here writes.
            opened: Where every replica opened what the master writes.
            file: What is known again when that file is read; empty where nothing is.
            as_references: Whether it gets references to the tensors, which stand in files of their own.
            sharded: Whether each replica has another part of them.
            has_parameters: Whether parameters are among them as they are, as those of a module.
        """
        assumes = self.assumed(state, value)
        on_device = on_device or value.is_device
        self._emit(
            Save(
                site, assumes, spelling, value, recorded, by_xla, on_device, to_every_replica, opened,
                state.trust.opaque, sharded, has_parameters=has_parameters,
            ),
            state,
        )  # fmt: skip
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
            note(state, saves=True)

    def refuse_save(self, state: State, spelling: str, value: Value, site: Site) -> None:
        """Tensors of the device are given to a format that does not take them."""
        assumes = both(state.trust.bounded, value.assumes)
        self._emit(Save(site, assumes, spelling, on_device=True, raises=True), state)

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
        note(state, asks=True)

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

    def refuse_load(
        self, state: State, spelling: str, site: Site, *, by_name: bool, assumes: Assumptions
    ) -> None:
        """PyTorch is to load tensors to a device of XLA, of which it knows none."""
        self._emit(LoadRefused(site, both(self.assumed(state), assumes), spelling, by_name), state)

    def change_alone(self, state: State, value: Value, spelling: str, site: Site) -> None:
        """A tensor of the device is changed in place. Where only some replicas come to it, their graph is
        another one than that of the others, with which they meet in a sum that is pending."""
        split, engine = state.replicas.rank_test, state.engine
        meets = engine.parameters_reduced and engine.parameters.must is Weight.HEAVY
        if split is not None and meets and value.recorded.must is Weight.NONE:
            assumes = both(both(self.assumed(state), value.assumes), split.assumes)
            self._emit(ChangedAlone(site, assumes, spelling, split), state)

    def leave_alone(
        self, state: State, split: Split, meets: frozenset[str], site: Site, *, by_count: bool = False
    ) -> None:
        """A loop is left by the replicas for which a test in it, or its own, came out as `split` says, or
        `by_count`, where they have gone through it as often as they wanted."""
        if meets:
            assumes = both(state.trust.bounded, split.assumes)
            self._emit(LeftAlone(site, assumes, split, tuple(sorted(meets)), by_count), state)


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
