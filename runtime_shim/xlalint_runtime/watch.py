"""The way from a hook to the model, while the guard watches."""

from __future__ import annotations

import contextlib
import functools
import threading
import weakref
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from types import CodeType, ModuleType
from typing import Any, NamedTuple

import torch
import torch_xla
import torch_xla.core.xla_model as xm
import torch_xla.runtime as xr
from torch.utils.weak import WeakIdKeyDictionary

from xlalint.knowledge.dynamo import OF_XLA
from xlalint.lazy.assumptions import NONE as NONE_ASSUMED
from xlalint.lazy.events import Event, Reading
from xlalint.lazy.model import LazyModel
from xlalint.lazy.scopes import Scope, ScopeKind, Split
from xlalint.lazy.site import Site
from xlalint.lazy.state import State, View
from xlalint.lazy.values import Recorded, Weight
from xlalint_runtime import pending, replicas, separate
from xlalint_runtime.agreement import OTHER_GRAPHS, Standing, disagreement, told
from xlalint_runtime.following import Follower
from xlalint_runtime.parting import Arrival, Deed, Parting
from xlalint_runtime.replica import Replica
from xlalint_runtime.report import Report
from xlalint_runtime.sites import Chain, callee, calls_of, source, test_of, user_chain, written
from xlalint_runtime.stopping import Parted
from xlalint_runtime.summary import Launch
from xlalint_runtime.ties import Tied

MOST_COMPARED = 8
"""So often all that replicas launch at one place is compared, for which all objects are looked through."""

Transition = Callable[[State, Site], object]
"""What a hook tells the model: that something happens to a state, at a place."""


class Hook(NamedTuple):
    """One attribute that is replaced while the guard watches: `owner.name`, by what `wrap` makes of it."""

    owner: Any
    name: str
    wrap: Callable[[Watch, Any], Any]
    passes: Callable[[Watch, tuple[Any, ...]], bool] | None = None
    """Whether there is nothing to see in a call with these arguments, if it is called often."""

    @property
    def dotted(self) -> str:
        """How it is called, as `module.Class.attribute`."""
        whose = self.owner.__name__ if isinstance(self.owner, ModuleType) else self.owner.__qualname__
        return f"{whose}.{self.name}"


class Gone(NamedTuple):
    """A parameter that a module has no longer since it moved at `site`, and whether it left the device."""

    parameter: weakref.ref[torch.Tensor]
    site: Site
    off_device: bool


class Happened(NamedTuple):
    """An event, what rules may see of its state, and the calls in which it came about."""

    event: Event
    view: View
    chain: Chain


class _ThisThread(threading.local):
    """What a thread is in the midst of. The outermost call of a kind is told, what it does itself is not."""

    def __init__(self) -> None:
        self.chain: Chain = ()
        """The calls in which events come about."""
        self.gathered: list[Happened] | None = None
        """Events whose judgement waits; None: none does."""
        self.in_forward = False
        self.is_launching = False
        self.is_meeting = False
        self.is_moving = False
        self.is_wrapping = False


class Watch(replicas.Listener):
    """The model of each replica, driven by hooks. What happens goes to `judge`, once it is known whose
    deed it is: what only some replicas do happens under the test that parts them."""

    def __init__(
        self,
        judge: Callable[[Iterable[Happened]], None],
        report: Report,
        pace: Callable[[], None] | None = None,
        *,
        ends_parting: bool = False,
    ) -> None:
        """Args:
        judge: Gets what happens.
        report: Counts, and remembers places.
        pace: Called whenever the program is seen.
        ends_parting: Whether replicas that would wait for each other for ever are ended.
        """
        self._ends_parting = ends_parting
        self._pace = pace
        self.at_end_of_step: Callable[[], None] = lambda: None
        """Called at each cut, and before each step of an optimizer: where nothing cuts, these still step."""
        self.at_launch: Callable[..., None] = lambda *_, **__: None
        """Called after each cut; `Recompiles.cut` says with what."""
        self.at_batch: Callable[..., None] = lambda *_, **__: None
        """Called with each batch of a loader; `Recompiles.batch` says with what."""
        self.at_end: Callable[[], None] = lambda: None
        """Called when the program has ended, however it did."""
        self.has_closures = False
        """Whether a step closure was added."""
        self.ordered_collectives = False
        """Whether collectives met because replicas launched in the order of their ranks."""
        self.model = LazyModel(self._happens)
        self.report = report
        self._follower = Follower(self.model, report)
        self.emitted: set[type[Event]] = set()
        """The kinds of events that there were."""
        self._judge = judge
        self._replicas: dict[int, Replica] = {}
        self._parting: Parting | None = None
        self._compared: Counter[object] = Counter()
        self._lock = threading.Lock()
        self.this_thread = _ThisThread()
        self.traces: weakref.WeakKeyDictionary[Any, Scope] = weakref.WeakKeyDictionary()
        """The profiler's scopes that are open."""
        self.built: weakref.WeakKeyDictionary[Any, Site] = weakref.WeakKeyDictionary()
        """Where optimizers were built: by that the model knows them."""
        self.ragged: weakref.WeakKeyDictionary[Any, Site] = weakref.WeakKeyDictionary()
        """Where loaders were made whose last batch is smaller, by what draws their batches."""
        self.tied: list[Tied] = []
        """What was tied in modules that have moved to the device since."""
        self.sharded: WeakIdKeyDictionary = WeakIdKeyDictionary()
        """How tensors are sharded."""
        self.wrapped: weakref.WeakKeyDictionary[torch.nn.Module, Site] = weakref.WeakKeyDictionary()
        """Where FSDPv2 wrapped modules."""
        self.autocasts: weakref.WeakKeyDictionary[Any, Site] = weakref.WeakKeyDictionary()
        """Where autocasts for other devices were entered that are on."""
        self.device_loaders: weakref.WeakKeyDictionary[Any, Site] = weakref.WeakKeyDictionary()
        """Where loaders of XLA were made, by themselves and by their iterators."""
        self.backwards_of_dynamo = 0
        """How many graphs of gradients Dynamo has launched since an optimizer has stepped."""
        self.caches: dict[str, set[int]] = {}
        """Paths at which a persistent cache is written, and the replicas that write there."""
        self.gone: dict[int, Gone] = {}
        """Parameters, by identity, that a module has no longer since it moved."""

    @property
    def replica(self) -> Replica:
        """This thread's replica."""
        rank = replicas.rank()
        found = self._replicas.get(rank)
        if found is None:
            found = self._replicas[rank] = Replica()
        return found

    def tell(
        self, chain: Chain, transition: Transition, *, deed: str | None = None, meets: bool = False,
        holds: bool = False, by_some: Transition | None = None,
    ) -> None:  # fmt: skip
        """Something happens in the last of the user's frames `chain`.

        Args:
            chain: The user's frames.
            transition: What it is to the model.
            deed: By this the same is known again on other replicas; None: nobody waits for them in it.
            meets: Whether it waits for the other replicas by itself.
            holds: Whether what it launches holds a collective, so that the engine waits for the others.
            by_some: What it is to the model where some replicas do it without the others, if that is not the
                same.
        """
        replica = self.replica
        site = self._observe(replica, chain)
        if deed is None or not replicas.running():
            transition(replica.state, site)
            return
        before, tests = replica.state.copy(), dict(replica.rank_tests)
        master = replicas.rank() == 0
        happened = self._gathered(chain, lambda: transition(replica.state, site))

        rank, parting = replicas.rank(), self._current_parting()

        def alone() -> None:
            if self._ends_parting and (meets or holds):
                replicas.part(self._parted_from(rank, chain, parting.arrived_at()))
            act = by_some or transition
            self._judge(self._gathered(chain, lambda: self._part(before, chain, tests, master, act)))

        def apart(other: int, there: Chain) -> None:
            if self._ends_parting:
                here = [frame.site for frame in chain]
                why = OTHER_GRAPHS if here == [frame.site for frame in there] else ""
                standings = self._standings(parting.arrived_at())
                replicas.part(told(standings, {rank: chain, other: there}, why=why))

        progress = replica.progress(chain)
        done = Deed(deed, meets, holds, progress, lambda: self._judge(happened), alone, apart)
        parting.did(rank, done)
        if self._ends_parting and holds:
            replicas.wait_until(lambda: done.decided)

    def tell_cut(self, chain: Chain, transition: Transition) -> None:
        """The graph is cut, by this replica alone or by all."""
        replica = self.replica
        site = self._observe(replica, chain)
        if not replica.cut_alone_before:
            transition(replica.state, site)
            return
        further, replica.cut_alone_before = replica.cut_alone_before, ()
        master = replicas.rank() == 0
        joined = self._part(replica.state.copy(), chain, replica.rank_tests, master, transition)
        self.model.record(joined, Weight.HEAVY, further[-1].site)
        replica.state = joined

    def _part(
        self, before: State, chain: Chain, tests: dict[CodeType, Site], master: bool, transition: Transition
    ) -> State:
        """What comes of a transition that only some replicas make, when they meet the others again."""
        model, site = self.model, chain[-1].site
        test, code = _parted_by(chain, tests)
        split, opposite = Split(test, True, master=master), Split(test, False, master=not master)
        self.report.own(split, code)
        here, elsewhere = model.part(before, split), model.part(before, opposite)
        transition(here, site)
        joined = model.meet(before, [(split, here), (opposite, elsewhere)])
        model.settle_collectives([joined], site)
        return joined

    def _observe(self, replica: Replica, chain: Chain) -> Site:
        """Bring the model in line with what the engine holds. Returns where the program is."""
        site = chain[-1].site
        if self._pace is not None:
            self._pace()
        replica.seen += 1
        if replica.apart is not None and replica.seen > replica.apart.seen + 1:
            self._tell_of_reads(replica)
        self.report.chain(chain)
        self.report.summary.seen(site)
        self.this_thread.chain = replica.chain = chain
        state = replica.state
        if replica.read_alone is not None:
            if replica.read_alone() is None:
                self.model.hold_nothing(state)
            replica.read_alone = None
        device = pending.default_device()
        replica.recorded = replica.work.recorded(device)
        self.model.observe(
            state,
            recorded=replica.recorded,
            eager=torch_xla._XLAC._get_use_eager_mode(),
            launched=replicas.running() or (device is not None and _world_size() > 1),
            in_closure=self.has_closures and calls_of("_run_step_closures", xm.__file__) > 0,
            in_forward=self.this_thread.in_forward,
            in_loop=bool(replica.loops) or any(frame.loops for frame in chain) or site in replica.launched_at,
        )
        self._follower.follow(replica, chain)
        if state.scopes.of(ScopeKind.OPTIMIZER):
            self.leave_optimizers(state, still_in=running_optimizers())
        return site

    def has_read(self, graph: str) -> None:
        """A tensor is read, of which this graph is recorded."""
        replica = self.replica
        if graph and replica.around and not replica.state.loop.cuts:
            self._follower.read(replica, pending.count_operations(graph))

    def was_read(self, tensor: torch.Tensor) -> None:
        """What a read asks for has run. Where nothing else waits, no later cut runs it again, whatever is
        recorded until then. The number of a tensor is fetched, and leaves it as it is: so it waits itself,
        for as long as somebody holds it."""
        replica, device = self.replica, pending.default_device()
        if replica.work.recorded(device).must is not Weight.HEAVY:
            self.model.hold_nothing(replica.state)
        elif device is not None and pending.waits_alone(tensor, device):
            replica.read_alone = weakref.ref(tensor)

    def chosen(self, chain: Chain, token: torch.Tensor) -> None:
        """A token is chosen."""
        self._observe(self.replica, chain)
        self._rests("choose", [token])

    def answers(self, given: Iterable[Any]) -> None:
        """A model that was told of is to answer what it is given, and nothing trains it."""
        self._rests("answer", given)

    def _rests(self, what: str, on: Iterable[Any]) -> None:
        replica = self.replica
        if replica.around and not replica.state.loop.cuts and not replica.around[-1].refines:
            waiting = pending.graph_of([each for each in on if pending.is_device_tensor(each)])
            self._follower.rests(replica, what, pending.count_operations(waiting))

    def number_read(self, chain: Chain, recorded: Recorded, *, of_part: bool) -> None:
        """A number is read, on which this is recorded, or a row of them; those beside it are told once all
        are known. It is `of_part` if it is a part of a tensor that has run."""
        replica, heavy = self.replica, recorded.must is Weight.HEAVY
        frame, statement = separate.place(chain)
        held, seen, site = replica.apart, replica.seen, chain[-1].site
        if recorded.must is Weight.NONE:
            return
        before = pending.heavy_operations() if heavy else 0
        if (
            held is not None
            and statement is not None
            and held.goes_on(frame, statement, site, seen, of_part=of_part)
        ):
            held.add(statement, site, heavy=heavy, recorded=before, seen=seen)
            return
        self._tell_of_reads(replica)
        state = replica.state.copy()
        replica.apart = separate.begun(chain, state, heavy=heavy, recorded=before, seen=seen)

    def _tell_of_reads(self, replica: Replica) -> None:
        held, replica.apart = replica.apart, None
        if held is not None and held.reads > 1:
            site = held.chain[-1].site
            if held.again is not None:
                self.model.read_again(held.state, site, held.again)
                return
            spelling = written(site) or source(site)
            self.model.read_apart(
                held.state, held.count, spelling, site, runs=True, again=held.heavy, assumes=NONE_ASSUMED
            )

    def was_cut(self, replica: Replica, *, by_loader: bool = False) -> None:
        """Everything that a replica had recorded has been launched, perhaps by a loader's next batch."""
        replica.was_cut(by_loader=by_loader)
        self.at_end_of_step()

    def at(self, chain: Chain) -> None:
        """The program is in the last of these frames; nothing happens to the model."""
        self._observe(self.replica, chain)

    def stepped(self, optimizer: torch.optim.Optimizer) -> None:
        """An optimizer steps."""
        replica = self.replica
        replica.steps += 1
        if replicas.running():
            replica.updated[optimizer] = None
        if replica.compiled and self.backwards_of_dynamo:
            self._tell_of_dynamo(replica)
        self._follower.stepped(replica)

    def _tell_of_dynamo(self, replica: Replica) -> None:
        """What Dynamo has compiled has run, gradients were computed of it, and now they are applied."""
        chain, replica.compiled, self.backwards_of_dynamo = replica.compiled, (), 0
        site = replica.in_loop(chain)
        self.report.chain_at(site)
        self.model.run_dynamo(replica.state, OF_XLA, site, built=site, plain=True, trains=True)

    def launch(
        self, chain: Chain, cause: Launch, tensors: list[torch.Tensor], transition: Transition,
        act: Callable[[], Any], *, by_some: Transition | None = None, ordered: bool = False,
        leaves_pending: bool = False,
    ) -> Any:  # fmt: skip
        """Tell of what launches the graph of `tensors`, and do it; `ordered` when replicas do it in turn.

        It `leaves_pending` what it has launched for the next cut where it only looks at a number.
        """
        waiting = pending.needing_materialisation(tensors) if replicas.running() else []
        if waiting:
            replicas.about_to_launch()
        graph = pending.graph_text(waiting) if waiting else None
        holds = graph is not None and pending.holds_collective(graph)
        # Collectives meet in the same graph only: its text leaves out the numbers in it.
        deed = pending.graph_hash(waiting).hex() if holds else graph
        self.tell(chain, transition, deed=deed, holds=holds, by_some=by_some)
        if waiting and not ordered:
            replicas.compile_once(waiting, leaves_pending=leaves_pending, together=holds)
        with self.launching(chain, cause, waiting=bool(waiting)):
            return act()

    @contextlib.contextmanager
    def launching(self, chain: Chain, cause: Launch, waiting: bool) -> Iterator[None]:
        """Something is launched between cuts; what that reads is part of it.

        Args:
            chain: The user's frames.
            cause: What launches.
            waiting: Whether work is recorded that it launches.
        """
        site = chain[-1].site
        self.replica.launched_at.add(site)
        self.this_thread.is_launching = True
        try:
            with self.report.cost(site, cause, waiting):
                yield
        finally:
            self.this_thread.is_launching = False

    def leave(self, state: State, *kinds: ScopeKind, spelling: str = "") -> None:
        """The innermost open scope of these kinds is left."""
        for scope in reversed(state.scopes.open):
            if scope.kind in kinds:
                self.model.leave(state, scope, spelling)
                return

    def leave_optimizers(self, state: State, still_in: int) -> None:
        """All steps of optimizers but so many of the outermost are over, in whatever way."""
        kind = ScopeKind.OPTIMIZER
        for _ in range(sum(scope.kind is kind for scope in state.scopes.open) - still_in):
            self.leave(state, kind)

    def enter(self, state: State, scope: Scope, code: CodeType, spelling: str = "") -> None:
        """A scope is opened, by the function that has this code."""
        self.report.own(scope, code)
        self.model.enter(state, scope, spelling)

    # Events ----------------------------------------------------------------------------------

    def _happens(self, event: Event, state: State) -> None:
        this = self.this_thread
        self.emitted.add(type(event))
        happened = Happened(event, state.view(), this.chain)
        if this.gathered is None:
            self._judge([happened])
        else:
            this.gathered.append(happened)

    def _gathered(self, chain: Chain, act: Callable[[], object]) -> list[Happened]:
        """What happens in the calls `chain` when `act` is done; nobody judges it yet."""
        this = self.this_thread
        outer, this.chain, this.gathered = (this.chain, this.gathered), chain, []
        try:
            act()
            return this.gathered
        finally:
            this.chain, this.gathered = outer

    def end(self) -> None:
        """The program has ended. Its last variables have gone, and what was recorded on them with them:
        so the engine is not asked any more, and what the model knew last counts."""
        for _, replica in sorted(self._replicas.items()):
            self._tell_of_reads(replica)
            if replica.chain:
                self._follower.end(replica)
                ending = functools.partial(self.model.end, replica.state, replica.chain[-1].site)
                self._judge(self._gathered(replica.chain, ending))

    # Where replicas are ------------------------------------------------------------------------

    def arrived(self) -> None:
        """This replica waits at a cut."""
        replica, chain = self.replica, user_chain()
        replica.chain, replica.device = chain or replica.chain, pending.default_device() or ""
        replica.graph = pending.graph_hash(
            parameter for optimizer in replica.updated for group in optimizer.param_groups
            for parameter in group["params"]
        )  # fmt: skip

        def alone(deed: Deed) -> None:
            replica.cut_alone_before = deed.progress.chain

        arrival = Arrival(replica.progress(chain), True, alone)
        self._current_parting().arrived(replicas.rank(), arrival)

    def ended(self, *, pending: bool, error: BaseException | None) -> None:
        """This replica has come to its end."""
        self.replica.ended_by = error
        self._current_parting().arrived(replicas.rank(), Arrival(None, pending, lambda deed: None))

    def go_on_alone(self) -> set[int]:
        """The others went on without the cuts of these."""
        return self._current_parting().go_on_alone()

    def met(self) -> None:
        """All replicas are at a cut, or at their end."""
        parting = self._current_parting()
        if self._ends_parting:
            standings = self._standings(parting.arrived_at())
            parted = disagreement(
                standings, parting.lone_cuts, throughout=self._is_compared_throughout(standings)
            )
            if parted is not None:
                replicas.part(parted)
                return
        self.ordered_collectives |= any(replica.meetings for replica in self._replicas.values())
        parting.met()
        if parting.is_over:
            self._parting = None
            for replica in self._replicas.values():
                replica.ended_by = None  # It holds the program's frames, whose tensors would outlive them.

    def _is_compared_throughout(self, standings: Mapping[int, Standing]) -> bool:
        """Whether all that replicas launch here is compared: where they come for the first times, or for the
        first times after somebody has asked for a rank at these places."""
        if not any(one.meetings for one in standings.values()):
            return False
        asked = frozenset(site for one in standings.values() for site in one.tests.values())
        here = min(standings.items())[1].chain[-1:], asked
        self._compared[here] += 1
        return self._compared[here] <= MOST_COMPARED

    def _standings(self, arrived: Mapping[int, Chain | None]) -> dict[int, Standing]:
        """Where each replica is; those that have ended arrived nowhere."""
        return {
            rank: replica.standing(
                waits=arrived.get(rank) is not None, has_ended=arrived.get(rank, ()) is None
            )
            for rank, replica in sorted(self._replicas.items())
        }

    def _parted_from(self, rank: int, chain: Chain, arrived: Mapping[int, Chain | None]) -> Parted:
        """One replica does, in the calls `chain`, what another does not, which has arrived elsewhere."""
        standings = self._standings(arrived)
        others = (other for other in arrived if other != rank)
        other = min(
            others, key=lambda other: (not standings[other].has_ended, len(standings[other].meetings))
        )
        last = next((one for one in reversed(standings[rank].meetings) if one.chain == chain), None)
        return told(standings, {rank: last or chain, other: None})

    def asks(self, tensors: list[torch.Tensor], act: Callable[[], Any]) -> Any:
        """This replica asks for numbers within an operation, of which the rules for shapes tell."""
        chain = user_chain()
        if self.this_thread.is_launching or not chain or not pending.needing_materialisation(tensors):
            return act()
        value = pending.device_value(tensors)

        def by_some(state: State, site: Site) -> None:
            self.model.read(state, value, Reading.EXPLICIT, written(site) or callee(site), site)

        return self.launch(chain, Launch.READ, tensors, lambda *_: None, act, by_some=by_some)

    def _current_parting(self) -> Parting:
        with self._lock:
            if self._parting is None:
                self._parting = Parting(replicas.size())
            return self._parting


def running_optimizers() -> int:
    """How many steps of optimizers and gradient scalers this thread is in."""
    return calls_of("wrapper", _OPTIMIZERS) + calls_of("step", torch.amp.grad_scaler.__file__)


def _parted_by(chain: Chain, tests: dict[CodeType, Site]) -> tuple[Site, CodeType]:
    """The test that has kept other replicas from coming this way, and the function it stands in.

    It is the outermost that has asked for the rank since the last cut. Where none has, as when the rank
    was asked for long ago, it is the innermost test that the way here leads through.
    """
    for frame in chain:
        if frame.code in tests:
            return tests[frame.code], frame.code
    for frame in reversed(chain):
        test = test_of(frame.site)
        if test is not None:
            return test, frame.code
    return chain[-1].site, chain[-1].code


_world_size = xr.world_size
"""As torch_xla has it: where we ask by ourselves, the program does not."""
_OPTIMIZERS = torch.optim.Optimizer.profile_hook_step.__code__.co_filename
