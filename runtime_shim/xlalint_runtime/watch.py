"""What the guard knows of each replica while it watches, and the way from a hook to the model."""

from __future__ import annotations

import contextlib
import threading
import weakref
from collections.abc import Callable, Iterable, Iterator
from types import CodeType
from typing import Any, NamedTuple

import torch
import torch_xla
import torch_xla.core.xla_model as xm
import torch_xla.runtime as xr

from xlalint.lazy.events import Event
from xlalint.lazy.model import LazyModel
from xlalint.lazy.site import Site
from xlalint.lazy.state import Loop, Scope, ScopeKind, Split, State, View
from xlalint.lazy.values import Weight
from xlalint_runtime import pending, replicas
from xlalint_runtime.parting import Arrival, Deed, Parting, Progress
from xlalint_runtime.report import Report
from xlalint_runtime.sites import Chain, runs, test_of, user_chain

Transition = Callable[[State, Site], object]
"""What a hook tells the model: that something happens to a state, at a place."""


class Hook(NamedTuple):
    """One attribute that is replaced while the guard watches: `owner.name`, by what `wrap` makes of it."""

    owner: Any
    name: str
    wrap: Callable[[Watch, Any], Any]


class Happened(NamedTuple):
    """An event, what rules may see of its state, and the calls in which it came about."""

    event: Event
    view: View
    chain: Chain


class RunningLoop(NamedTuple):
    """A loop over a loader, known by its iterator.

    Args:
        outside: What happened before it, for the model.
        cuts_before: How many cuts the replica had made when it began.
        cuts: Whether each of its batches is a cut.
        by_for: Whether a `for` runs it.
    """

    outside: Loop
    cuts_before: int
    cuts: bool
    by_for: bool


class Replica:
    """What the guard knows of one replica."""

    def __init__(self) -> None:
        self.state = State()
        self.work = pending.Work()
        self.loops: dict[int, RunningLoop] = {}
        """The loops that run, by the identity of their iterators."""
        self.launched_at: set[Site] = set()
        """Where something was launched between cuts. Who comes there again is in some loop."""
        self.cuts = self.backwards = self.batches = 0
        self.rank_tests: dict[CodeType, Site] = {}
        """Functions that asked for the rank since the last cut, and where."""
        self.cut_alone_before: Chain = ()
        """Where another replica went on without the cut that this one waits at."""

    def progress(self, chain: Chain) -> Progress:
        """How far it has come."""
        return Progress(self.backwards, self.batches, chain)

    def was_cut(self) -> None:
        """Everything that was recorded has been launched."""
        self.work.cut()
        self.cuts += 1
        self.rank_tests.clear()


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


class Watch(replicas.Listener):
    """The model of each replica, driven by hooks. What happens goes to `judge`, once it is known whose
    deed it is: what only some replicas do happens under the test that parts them."""

    def __init__(self, judge: Callable[[Iterable[Happened]], None], report: Report) -> None:
        self.model = LazyModel(self._happens)
        self.report = report
        self.emitted: set[type[Event]] = set()
        """The kinds of events that there were."""
        self._judge = judge
        self._replicas: dict[int, Replica] = {}
        self._parting: Parting | None = None
        self._lock = threading.Lock()
        self.this_thread = _ThisThread()
        self.traces: weakref.WeakKeyDictionary[Any, Scope] = weakref.WeakKeyDictionary()
        """The profiler's scopes that are open."""
        self.built: weakref.WeakKeyDictionary[Any, Site] = weakref.WeakKeyDictionary()
        """Where optimizers were built: by that the model knows them."""
        self.gone: dict[int, tuple[weakref.ref[torch.Tensor], Site]] = {}
        """Parameters, by identity, that a module has no longer since it moved, and where it did."""

    @property
    def replica(self) -> Replica:
        """This thread's replica."""
        return self._replicas.setdefault(replicas.rank(), Replica())

    def tell(
        self, chain: Chain, transition: Transition, *, deed: str | None = None, meets: bool = False
    ) -> None:
        """Something happens in the last of the user's frames `chain`.

        Args:
            chain: The user's frames.
            transition: What it is to the model.
            deed: By this the same is known again on other replicas; None: nobody waits for them in it.
            meets: Whether it waits for the other replicas by itself.
        """
        replica = self.replica
        site = self._observe(replica, chain)
        if deed is None or not replicas.running():
            transition(replica.state, site)
            return
        before, tests = replica.state.copy(), dict(replica.rank_tests)
        master = replicas.rank() == 0
        happened = self._gathered(chain, lambda: transition(replica.state, site))

        def alone() -> None:
            self._judge(self._gathered(chain, lambda: self._part(before, chain, tests, master, transition)))

        done = Deed(deed, meets, replica.progress(chain), lambda: self._judge(happened), alone)
        self._current_parting().did(replicas.rank(), done)

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
        self.report.chain(chain)
        self.this_thread.chain = chain
        state = replica.state
        self.model.observe(
            state,
            recorded=replica.work.recorded(),
            eager=torch_xla._XLAC._get_use_eager_mode(),
            launched=replicas.running() or (pending.default_device() is not None and xr.world_size() > 1),
            in_closure=runs("_run_step_closures", xm.__file__),
            in_forward=self.this_thread.in_forward,
            in_loop=bool(replica.loops) or site in replica.launched_at,
        )
        if state.scopes.of(ScopeKind.OPTIMIZER) and not in_optimizer():
            self.leave(state, ScopeKind.OPTIMIZER)  # An exception has left it.
        return site

    @contextlib.contextmanager
    def launching(self, chain: Chain) -> Iterator[None]:
        """Something is launched between cuts; what that reads is part of it."""
        site = chain[-1].site
        self.replica.launched_at.add(site)
        self.this_thread.is_launching = True
        try:
            with self.report.cost(site):
                yield
        finally:
            self.this_thread.is_launching = False

    def leave(self, state: State, *kinds: ScopeKind, spelling: str = "") -> None:
        """The innermost open scope of these kinds is left."""
        for scope in reversed(state.scopes.open):
            if scope.kind in kinds:
                self.model.leave(state, scope, spelling)
                return

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

    # Where replicas are ------------------------------------------------------------------------

    def arrived(self) -> None:
        """This replica waits at a cut."""
        replica, chain = self.replica, user_chain()

        def alone(deed: Deed) -> None:
            replica.cut_alone_before = deed.progress.chain

        arrival = Arrival(replica.progress(chain), True, alone)
        self._current_parting().arrived(replicas.rank(), arrival)

    def ended(self, *, pending: bool) -> None:
        """This replica has come to its end."""
        self._current_parting().arrived(replicas.rank(), Arrival(None, pending, lambda deed: None))

    def met(self) -> None:
        """All replicas are at a cut, or at their end."""
        parting = self._current_parting()
        parting.met()
        if parting.is_over:
            self._parting = None

    def _current_parting(self) -> Parting:
        with self._lock:
            if self._parting is None:
                self._parting = Parting(replicas.size())
            return self._parting


def in_optimizer() -> bool:
    """Whether an optimizer's or a gradient scaler's step is running."""
    return runs("wrapper", _OPTIMIZERS) or runs("step", torch.amp.grad_scaler.__file__)


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


_OPTIMIZERS = torch.optim.Optimizer.profile_hook_step.__code__.co_filename
