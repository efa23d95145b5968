"""Why a step was compiled again: the operation by which its graph differs from those of the steps before.

Nothing but a recording tells, and recording costs. So it is done while a loop warms up, from a batch on whose
shapes are new, and for some steps after a graph that was compiled for a reason that is not known.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Hashable
from dataclasses import dataclass
from types import FrameType
from typing import Any

from torch._dynamo import eval_frame

from xlalint.knowledge.operations import GRAPH_NUMBERS
from xlalint.lazy.cuts import Cause
from xlalint.lazy.events import Change, Changed, GraphChanged
from xlalint.lazy.site import Site
from xlalint.lazy.state import State
from xlalint.lazy.values import Form, Kind, Value
from xlalint_runtime import counters, pending, replicas
from xlalint_runtime.differences import by_line, first_difference, in_short
from xlalint_runtime.forms import ROUNDS, varying
from xlalint_runtime.hooks import Patches
from xlalint_runtime.replica import Around, Replica
from xlalint_runtime.shield import Faults
from xlalint_runtime.sites import Chain, begins, goes_over, is_user_file, source, written
from xlalint_runtime.traces import Operation, Recorder, Trace
from xlalint_runtime.watch import Watch

ARMED = 20
"""So many steps are recorded after one that was compiled for a reason that is not known."""
WARM = 3
"""The first steps legitimately differ: gradients and the state of optimizers come to be in them."""
MOST_ARMED = 50
"""So often recording begins at most after the warm-up of loops."""
MOST_WARMING = 40
"""So many steps of one loop are recorded at most until it has warmed up."""
MOST_KEPT = 4
"""Of the traces of a loop, so many are kept that differ."""
MOST_PREPARING = 64
"""So many steps a loop has at most that only compiles what another one is to find ..."""
MOST_FOR_EACH = 3
"""... and so many for each graph: an optimizer makes its state in the first."""


_OF_ROUNDS = frozenset({Changed.NEW, Changed.GONE, Changed.OTHER})
"""By these a graph differs that holds more rounds of a loop, or fewer."""
_OF_SHAPES = frozenset({Changed.SHAPE, Changed.RESULT})
"""By these, one for another shape."""


def register(watch: Watch, patches: Patches, faults: Faults, *, explains: bool) -> None:
    """Find out from now on.

    Args:
        explains: Whether all is to be told by which graphs differ; then every step is recorded.
    """
    found = Recompiles(watch, faults, explains=explains)
    watch.at_launch, watch.at_batch, watch.at_end = found.cut, found.batch, found.settle
    patches.on_undo(found.end)


class _Place:
    """A cut at one place of a loop: the graphs that it launched."""

    def __init__(self) -> None:
        self.windows = self.stepped = self.compiled = 0
        self.traces: list[Trace] = []
        self.is_known = False
        """Whether a trace was kept after the warm-up."""

    @property
    def is_warm(self) -> bool:
        """Whether its graphs are no longer those of the first steps; those of optimizers may come later."""
        return self.windows >= WARM and self.stepped not in range(1, WARM)

    def keep(self, trace: Trace) -> None:
        """Remember a trace for those that come."""
        self.is_known = self.is_known or self.is_warm
        if not self.traces or first_difference(trace, self.traces):
            self.traces = [*self.traces, trace][-MOST_KEPT:]


@dataclass
class _Held:
    """A graph for another shape, while its loop may be one that prepares another: then it does no harm."""

    place: _Place
    state: State
    change: Change
    times: int = 1

    @property
    def may_prepare(self) -> bool:
        """Whether a loop of a few steps has done little else than to come to new shapes."""
        few = min(MOST_PREPARING, MOST_FOR_EACH * self.place.compiled)
        is_size = self.change.how is Changed.ARGUMENT and self.change.operation in GRAPH_NUMBERS
        return (is_size or self.change.how in _OF_SHAPES) and self.place.windows <= few


class _Thread(threading.local):
    """What is known of the graphs that one thread records."""

    def __init__(self, faults: Faults) -> None:
        self.recorder = Recorder(lambda error: faults.note(error, "why a graph was compiled again"))
        self.places: dict[Hashable, _Place] = {}
        self.latest: dict[Hashable, list[tuple[Around | None, Trace]]] = {}
        """The last traces at each place, by which it is seen what varies; each with the loop that it is a
        round of, and of nothing else."""
        self.rounds: set[Hashable] = set()
        """Places of which some loop within goes round more often in some steps than in others."""
        self.shapes: set[tuple[Any, ...]] = set()
        self.told: set[str] = set()
        """The shapes of what is told to have another length in each round."""
        self.loop: Around | None = None
        """The loop that the program was in at the last cut."""
        self.compiles = self.compiles_before = 0
        """How many graphs were compiled up to the last cut, and to the last one before this loop."""
        self.is_rest = False
        """Whether a loader has handed out its last batch, which is smaller."""
        self.stepped = 0
        self.left = 1
        """So many steps are recorded from here on."""
        self.budget = MOST_ARMED
        self.missed: tuple[_Place, Site] | None = None
        """Where a step was compiled unawares: if the change stays, or comes again soon, that shows it."""


class Recompiles:
    """Records steps and compares them."""

    def __init__(self, watch: Watch, faults: Faults, *, explains: bool) -> None:
        self._watch = watch
        self._explains = explains
        self._this = _Thread(faults)
        self._recorders: list[Recorder] = []
        self._told: set[Site] = set()
        self._varying: set[Site] = set()
        self._lengths: set[Site] = set()
        """Those of them where something comes to another length in each round."""
        self._held: dict[Site, _Held] = {}

    def cut(self, replica: Replica, chain: Chain, cause: Cause, *, compiled: bool, heavy: bool) -> None:
        """A graph was launched; `heavy` with a model's worth of work in it."""
        if replicas.rank() != 0:
            return  # What the first replica has compiled, the others find.
        this, summary = self._this, self._watch.report.summary
        trace = this.recorder.end() if this.recorder.is_on else None
        loop = replica.around[-1] if replica.around else None
        within = loop if loop is this.loop else None
        is_round = heavy and loop is this.loop and not replica.begins_loader
        if loop is not this.loop:
            this.compiles_before = this.compiles
        this.compiles = counters.compiles()
        stepped, this.stepped = replica.steps > this.stepped, replica.steps
        this.is_rest = this.is_rest and loop is this.loop
        this.loop, replica.begins_loader = loop, False
        has_forms = trace is not None and trace.operations and loop is not None
        at = _key(chain, cause) if has_forms or is_round else None
        if trace is not None and has_forms:
            self._tell_forms(replica, at, trace, within, chain)
        if is_round:
            this.left -= this.left > 0
            place = this.places.setdefault(at, _Place())
            place.windows += 1
            place.stepped += stepped
            place.compiled += compiled
            if place.windows == 1 and this.compiles == this.compiles_before:
                self._is_prepared(place)
            goes_round = at in this.rounds
            found = first_difference(trace, place.traces) if trace is not None and place.traces else None
            diff = by_line(trace, place.traces) if self._explains and found and trace is not None else ()
            if found is not None and found[1].how is Changed.SHAPE and found[1].now in this.told:
                pass  # told where it comes to that shape
            elif found is not None and this.missed is not None and this.missed[0] is place:
                step = summary.explained(this.missed[1])
                this.missed = None
                self._tell(
                    replica, place, *found, diff, is_rest=this.is_rest, goes_round=goes_round, step=step
                )
            elif compiled and place.is_warm and found is not None:
                self._tell(replica, place, *found, diff, is_rest=this.is_rest, goes_round=goes_round)
            elif compiled and place.is_warm:
                summary.recompiled(chain[-1].site, self._unknown(place, chain[-1].site, trace))
            if not this.left:
                this.missed = None
            if trace is not None:
                place.keep(trace)
            if not place.is_known and place.windows < MOST_WARMING:
                this.left = max(this.left, 1)
        if (this.left or self._explains) and not _dynamo_is_used():
            self._arm(at_cut=True)

    def batch(self, batch: Any, *, is_rest: bool) -> None:
        """A loader has handed out a batch, which may be the last one, and smaller than the others."""
        if replicas.rank() != 0:
            return
        this = self._this
        this.is_rest = is_rest
        shapes = tuple(tuple(tensor.shape) for tensor in pending.tensors_in(batch))
        if shapes not in this.shapes:
            this.shapes.add(shapes)
            if not this.recorder.is_on and self._may_arm() and not _dynamo_is_used():
                self._arm(at_cut=False)
        if this.recorder.is_on:
            this.recorder.batch()

    def end(self) -> None:
        """Record no more."""
        if self._this.recorder.is_on:
            self._this.recorder.end()
        for recorder in self._recorders:
            recorder.is_on = False

    def _arm(self, *, at_cut: bool) -> None:
        recorder = self._this.recorder
        if recorder not in self._recorders:
            self._recorders.append(recorder)
        recorder.begin(at_cut=at_cut)

    def _may_arm(self) -> bool:
        self._this.budget -= self._this.budget > 0
        return self._this.budget > 0

    def _unknown(self, place: _Place, cut: Site, trace: Trace | None) -> str:
        """Why it is not known what was compiled again; what comes now is recorded."""
        if trace is not None:
            return "nothing that Python calls is another one: what it runs on may be"
        if not self._may_arm():
            return "not recorded: too many were before"
        self._this.left, self._this.missed = ARMED, (place, cut)
        return f"not recorded, as it came unawares: the next {ARMED} steps are"

    def _tell_forms(
        self, replica: Replica, place: Hashable, trace: Trace, within: Around | None, cut: Chain
    ) -> None:
        """Tell of operations that make the graph of each round of a loop another one, however light it is."""
        kept = self._this.latest[place] = [*self._this.latest.get(place, ()), (within, trace)][-ROUNDS:]
        latest = [each for _, each in kept]
        are_rounds = within is not None and all(loop is within for loop, _ in kept)
        for by, operation, fills in varying(latest, are_rounds=are_rounds):
            site = goes_over(operation.site) if by is Form.TRIPS else operation.site
            if by is Form.TRIPS:
                # A loader cuts in the head of the loop itself, which the body does not hold.
                if site in {each for frame in cut for each in (begins(frame.site), goes_over(frame.site))}:
                    continue  # It stands in the round itself: a library does more in one than in another.
                self._this.rounds.add(place)
            if site is None or site in self._varying:
                continue
            self._varying |= {site, operation.site}
            if by in (Form.LENGTH, Form.GROWTH):
                self._lengths.add(operation.site)
            self._watch.report.chain_at(site)
            shown, value = written(site) or source(site), Value(Kind.TENSOR)
            self._watch.model.vary_shape(replica.state, value, by, shown, site, fills=fills)
        told = (each.outputs for one in latest for each in one.operations if each.site in self._lengths)
        self._this.told.update(str(tensor.shape) for outputs in told for tensor in outputs)

    def _tell(
        self, replica: Replica, place: _Place, operation: Operation, change: Change, diff: tuple[str, ...], *,
        is_rest: bool, goes_round: bool, step: int | None = None,
    ) -> None:  # fmt: skip
        report, site = self._watch.report, operation.site
        shown = in_short(change) + (", the last batch of a loader without drop_last=True" if is_rest else "")
        report.summary.recompiled(site, shown, diff, step)
        if is_rest or site in self._varying or (goes_round and change.how in _OF_ROUNDS):
            return  # XLA404 tells of it, or the rule for what varies there.
        if site in self._told:
            report.again(site, 1, GraphChanged)
        elif (held := self._held.get(site)) is not None:
            held.times += 1
        else:
            report.chain_at(site)
            self._held[site] = _Held(place, replica.state.copy(), change)
        self._tell_held(place)

    def _tell_held(self, place: _Place) -> None:
        """Tell of what was held back of a loop, if it prepares nothing any more."""
        for site, held in [*self._held.items()]:
            if held.place is place and not held.may_prepare:
                self._tell_of(site)

    def _tell_of(self, site: Site) -> None:
        held = self._held.pop(site)
        self._told.add(site)
        self._watch.model.change_graph(held.state, held.change, site)
        self._watch.report.again(site, held.times - 1, GraphChanged)

    def _is_prepared(self, place: _Place) -> None:
        """A loop began and has compiled nothing: what another one compiled for it is no harm there."""
        for site, held in [*self._held.items()]:
            is_alike = bool(held.place.stepped) is bool(place.stepped)
            if held.place is not place and is_alike and held.may_prepare:
                del self._held[site]
                self._watch.report.summary.prepared(site)

    def settle(self) -> None:
        """The program has ended: what was held back has prepared nothing."""
        for site in [*self._held]:
            self._tell_of(site)


def _key(chain: Chain, cause: Cause) -> Hashable:
    """What tells cuts apart: the way there, through libraries, too. In each step, so no helper is called."""
    below = []
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and not is_user_file(frame.f_code.co_filename):
        below.append((id(frame.f_code), frame.f_lasti))
        frame = frame.f_back
    return cause, tuple([each.site for each in chain]), tuple(below)


def _dynamo_is_used() -> bool:
    """Whether anything was given to Dynamo to compile: a mode of torch would become part of that."""
    return any(backend is not None for backend in eval_frame.cached_backends.values())
