"""Watches a program on the running engine and judges what it does by the rules that the analyzer uses.

The guard drives the same model of the lazy engine as the analyzer, but from the engine itself: hooks
tell it what happens, and the engine's own counters what is recorded at that moment.
"""

from __future__ import annotations

import functools
import itertools
import sys
import threading
import weakref
from collections.abc import Callable, Iterable
from typing import Any

import torch
import torch.utils.data.dataloader
import torch_xla
import torch_xla.core.xla_model as xm
import torch_xla.debug.profiler as xp
import torch_xla.distributed.parallel_loader as parallel_loader
import torch_xla.runtime as xr
from torch.optim.optimizer import register_optimizer_step_pre_hook

from xlalint.diagnostic import Diagnostic
from xlalint.lazy.events import Event, HostRead, Reading, ReadThenCut, Save
from xlalint.lazy.model import LazyModel
from xlalint.lazy.site import Site
from xlalint.lazy.state import Cause, Scope, ScopeKind, Split, State
from xlalint.lazy.values import NOTHING, Weight
from xlalint.registry import all_rules, is_guarded
from xlalint.rule import Rule
from xlalint.versions import DEFAULT_TARGET
from xlalint_runtime import pending, replicas
from xlalint_runtime.hooks import Patches
from xlalint_runtime.report import Report
from xlalint_runtime.sites import (
    Chain,
    callee,
    frames_below_user,
    is_at_for,
    is_closure_argument,
    leaving,
    runs,
    user_chain,
)

_READS = {
    "item": (Reading.EXPLICIT, ".item()"),
    "tolist": (Reading.EXPLICIT, ".tolist()"),
    "cpu": (Reading.EXPLICIT, ".cpu()"),
    "numpy": (Reading.EXPLICIT, ".numpy()"),
    "to": (Reading.EXPLICIT, ".to()"),
    "__float__": (Reading.SCALAR, "float()"),
    "__int__": (Reading.SCALAR, "int()"),
    "__bool__": (Reading.BOOL, "bool()"),
    "__index__": (Reading.INDEX, "int()"),
    "__repr__": (Reading.TEXT, "repr()"),
    "__format__": (Reading.TEXT, "format()"),
}

_CAUSES = {
    ("_clear_pending_ops_before_compile", "torch_xla.py"): Cause.SCOPE_ENTRY,
    ("_compile", "torch_xla.py"): Cause.SCOPE_EXIT,
    ("next", "parallel_loader.py"): Cause.LOADER,
    ("__exit__", "profiler.py"): Cause.STEP_TRACE,
    ("optimizer_step", "xla_model.py"): Cause.BARRIER,
    ("xla_rendezvous", "xla_model.py"): Cause.RENDEZVOUS,
}

_OPTIMIZER_STEP = xm.optimizer_step.__code__
_RANK_TESTS = {"is_master_ordinal", "get_local_ordinal", "local_ordinal", "global_ordinal", "get_ordinal"}
_SHOWS_FOR_THE_USER = {"master_print"}


class Guard:
    """Watches while it is entered. What it hooks is put back when it is left.

    Names that the program imported before count as much as those it imports later: only what the
    engine looks up anew at every call is replaced.
    """

    def __init__(
        self,
        rules: Iterable[type[Rule[Any]]] | None = None,
        on_news: Callable[[list[Diagnostic]], None] | None = None,
    ) -> None:
        """Args:
        rules: The rules to judge by; None: all that declare that the guard sees their events.
        on_news: Called with all diagnostics so far whenever there is a new one: a program that
            hangs or aborts never comes to its end.
        """
        chosen = all_rules() if rules is None else rules
        self._rules = [rule(DEFAULT_TARGET) for rule in chosen if is_guarded(rule)]
        self._report = Report()
        self._on_news = on_news
        self._model = LazyModel(self._judge)
        self._patches = Patches()
        self._replicas: dict[int, _Replica] = {}
        self._scopes_of_traces: weakref.WeakKeyDictionary[Any, Scope] = weakref.WeakKeyDictionary()
        self._parameters = _Parameters()
        self._this = threading.local()

    def __enter__(self) -> Guard:
        patches = self._patches
        patches.replace(torch_xla._XLAC, "_xla_step_marker", self._hook_marker)
        patches.replace(torch_xla._XLAC, "_xla_sync_multi", self._hook_sync_multi)
        patches.replace(torch_xla._XLAC, "_xla_get_default_device_ordinal", self._hook_rank)
        patches.replace(xr, "local_ordinal", self._hook_rank)
        patches.replace(torch_xla._XLAC, "_xla_all_reduce_inplace", self._hook_all_reduce)
        patches.replace(xm, "xla_rendezvous", self._hook_rendezvous)
        for method in _READS:
            patches.replace(torch.Tensor, method, functools.partial(self._hook_read, method))
        for save in ("_save", "_legacy_save"):
            patches.replace(torch.serialization, save, self._hook_save)
        patches.replace(xp.Trace, "__enter__", self._hook_trace_enter)
        patches.replace(xp.Trace, "__exit__", self._hook_trace_exit)
        patches.replace(parallel_loader.PerDeviceLoader, "next", self._hook_next)
        patches.replace(torch.utils.data.dataloader._BaseDataLoaderIter, "__next__", self._hook_next)
        patches.replace(torch.nn.Module, "_call_impl", self._hook_module_call)
        patches.replace(torch.nn.Module, "_apply", self._hook_module_move)
        patches.replace(torch.autograd, "backward", self._hook_backward)
        patches.replace(torch.optim.Optimizer, "__init__", self._hook_optimizer_built)
        patches.replace(torch.optim.Optimizer, "zero_grad", self._hook_zero_grad)
        handle = register_optimizer_step_pre_hook(self._before_optimizer_step)
        patches.on_undo(handle.remove)
        return self

    def __exit__(self, *_: object) -> None:
        self._patches.undo()

    def diagnostics(self) -> list[Diagnostic]:
        """What was found so far, in the order in which diagnostics are shown."""
        return self._report.diagnostics()

    def end(self) -> None:
        """The program ends here, on this replica."""
        chain = user_chain()
        # An exception that ends the program is reason enough for work to be lost.
        if chain and sys.exc_info()[0] is None:
            self._settle(self._replica())
            self._model.end(self._replica().state, self._site(chain))

    # Cuts and scopes -------------------------------------------------------------------------

    def _hook_marker(self, original: Any) -> Any:
        @functools.wraps(original)
        def step_marker(*args: Any, **kwargs: Any) -> Any:
            chain = user_chain()
            if not chain:
                return original(*args, **kwargs)
            cause, frame = _cause()
            replica = self._replica()
            self._settle(replica)
            site = self._site(chain)
            spelling = f"{callee(site)}()" if callee(site) else "sync()"
            state = replica.state
            before = state.scopes.open
            if cause is Cause.SCOPE_ENTRY:
                self._model.enter(state, self._step_scope(chain, frame), spelling)
            elif cause is Cause.SCOPE_EXIT:
                self._leave(state, lambda scope: scope.kind.is_step, spelling)
            elif cause is Cause.STEP_TRACE:
                self._leave(state, lambda scope: scope.kind is ScopeKind.STEP_TRACE, spelling)
            else:
                resets = kwargs.get("reset_scope", True)
                self._model.cut(state, cause, spelling, site, resets_scope=resets)
            with self._report.cost(site):
                try:
                    result = original(*args, **kwargs)
                except BaseException:
                    state.scopes = state.scopes._replace(open=before)
                    raise
            replica.was_cut()
            return result

        return step_marker

    def _step_scope(self, chain: Chain, frame: Any) -> Scope:
        whole, name = frame.f_locals.get("full_graph"), frame.f_locals.get("name")
        kind = ScopeKind.FULL_GRAPH if whole else ScopeKind.STEP if name is None else ScopeKind.COMPILE
        scope = Scope(kind, self._site(chain))
        compiled = next(
            (f.f_locals.get("func") for f in frames_below_user() if f.f_code.co_name == "inner"), None
        )
        self._report.own(scope, _code(compiled) or chain[-1].code)
        return scope

    def _leave(self, state: State, which: Callable[[Scope], bool], spelling: str) -> None:
        for scope in reversed(state.scopes.open):
            if which(scope):
                self._model.leave(state, scope, spelling)
                return

    def _hook_trace_enter(self, original: Any) -> Any:
        @functools.wraps(original)
        def enter(trace: Any) -> Any:
            result = original(trace)
            chain = user_chain()
            below = list(frames_below_user())
            # The loader's own threads and torch_xla's own functions trace too.
            if chain and all(frame.f_code.co_filename == xp.__file__ for frame in below):
                kind = ScopeKind.STEP_TRACE if isinstance(trace, xp.StepTrace) else ScopeKind.TRACE
                scope = Scope(kind, self._site(chain))
                decorated = next(
                    (f.f_locals["func"] for f in below if f.f_code.co_name == "wrapper_trace_me"), None
                )
                self._report.own(scope, _code(decorated) or chain[-1].code)
                self._scopes_of_traces[trace] = scope
                self._model.enter(self._replica().state, scope, "xp.Trace")
            return result

        return enter

    def _hook_trace_exit(self, original: Any) -> Any:
        @functools.wraps(original)
        def leave(trace: Any, *args: Any) -> Any:
            state = self._replica().state
            scope = self._scopes_of_traces.pop(trace, None)
            if scope in state.scopes.open and scope.kind is ScopeKind.TRACE:
                self._model.leave(state, scope, "xp.Trace")
            return original(trace, *args)

        return leave

    # Reads and saves -------------------------------------------------------------------------

    def _hook_read(self, method: str, original: Any) -> Any:
        reading, spelling = _READS[method]

        @functools.wraps(original)
        def read(tensor: torch.Tensor, *args: Any, **kwargs: Any) -> Any:
            if (
                not pending.is_device_tensor(tensor)
                or self._busy
                or (method == "to" and not _to_host(args, kwargs))
                or _internal()
                or not (chain := user_chain())
            ):
                return original(tensor, *args, **kwargs)
            site = self._site(chain)
            how, written = _as_written(reading, spelling, callee(site))
            value = pending.device_value([tensor])
            replica = self._replica()
            self._settle(replica)
            in_loop = replica.in_loop or self._report.seen(site)
            replica.state.scopes = replica.state.scopes._replace(in_loop=in_loop)
            argument = is_closure_argument(site)
            self._model.read(replica.state, value, how, written, site, closure_argument=argument)
            event = HostRead(site, 0, value, how, written, argument)
            return self._launching(replica, chain, [tensor], event, lambda: original(tensor, *args, **kwargs))

        return read

    def _hook_save(self, original: Any) -> Any:
        @functools.wraps(original)
        def save(obj: Any, *args: Any, **kwargs: Any) -> Any:
            tensors = [tensor for tensor in pending.tensors_in(obj) if pending.is_device_tensor(tensor)]
            chain = user_chain()
            if not tensors or not chain or _internal():
                return original(obj, *args, **kwargs)
            return self._save(chain, tensors, lambda: original(obj, *args, **kwargs), by_xla=False)

        return save

    def _hook_sync_multi(self, original: Any) -> Any:
        @functools.wraps(original)
        def sync_multi(tensors: Any, *args: Any, **kwargs: Any) -> Any:
            chain = user_chain()
            if not chain or not any(frame.f_code.co_name == "save" for frame in frames_below_user()):
                return original(tensors, *args, **kwargs)
            return self._save(chain, tensors, lambda: original(tensors, *args, **kwargs), by_xla=True)

        return sync_multi

    def _save(
        self, chain: Chain, tensors: list[torch.Tensor], save: Callable[[], Any], *, by_xla: bool
    ) -> Any:
        site = self._site(chain)
        spelling = callee(site) or ("xm.save" if by_xla else "torch.save")
        value = pending.device_value(tensors)
        replica = self._replica()
        self._settle(replica)
        self._model.save(replica.state, spelling, value, value.recorded, site, by_xla=by_xla, on_device=True)
        event = Save(site, 0, spelling, value, value.recorded, by_xla, on_device=True)
        return self._launching(replica, chain, tensors, event, save)

    def _launching(
        self,
        replica: _Replica,
        chain: Chain,
        tensors: list[torch.Tensor],
        event: HostRead | Save,
        act: Callable[[], Any],
    ) -> Any:
        """Do what launches the graph of `tensors`, so that the replicas can be compared by it."""
        waiting = pending.needing_materialisation(tensors)
        if waiting and replicas.running():
            # What is launched is compared, never where: replicas may read at different places.
            launched = pending.graph_text(waiting)
            state, test = replica.state.copy(), dict(replica.rank_tests)
            replicas.deed(launched, lambda: self._judge_alone(event, state, chain, test))
            if not (isinstance(event, Save) and event.by_xla):
                replicas.compile_once(waiting)
        self._this.busy = True
        try:
            with self._report.cost(event.site):
                return act()
        finally:
            self._this.busy = False

    def _judge_alone(self, event: Event, state: State, chain: Chain, tests: dict[Any, Site]) -> None:
        """Judge what only this replica did, as something that stands under a rank test."""
        tested = next((frame for frame in chain if frame.code in tests), chain[-1])
        split = Split(tests.get(tested.code, tested.site), True)
        self._report.own(split, tested.code)
        state.replicas = state.replicas._replace(splits=(split,), launched=True)
        self._judge(event, state, only_replicas=True)

    # Work ------------------------------------------------------------------------------------

    def _hook_module_call(self, original: Any) -> Any:
        @functools.wraps(original)
        def call(module: torch.nn.Module, *args: Any, **kwargs: Any) -> Any:
            if not getattr(self._this, "in_module", False) and _on_device(module.parameters()):
                state = self._replica().state
                self._this.in_module = True
                state.scopes = state.scopes._replace(in_forward=True)
                try:
                    if chain := user_chain():
                        self._model.record(state, Weight.HEAVY, self._site(chain))
                    return original(module, *args, **kwargs)
                finally:
                    self._this.in_module = False
                    state.scopes = state.scopes._replace(in_forward=False)
            return original(module, *args, **kwargs)

        return call

    def _hook_backward(self, original: Any) -> Any:
        @functools.wraps(original)
        def backward(tensors: Any, *args: Any, **kwargs: Any) -> Any:
            if any(map(pending.is_device_tensor, pending.tensors_in(tensors))) and (chain := user_chain()):
                self._model.backward(self._replica().state, self._site(chain))
            return original(tensors, *args, **kwargs)

        return backward

    def _hook_zero_grad(self, original: Any) -> Any:
        @functools.wraps(original)
        def zero_grad(*args: Any, **kwargs: Any) -> Any:
            self._model.zero_gradients(self._replica().state)
            return original(*args, **kwargs)

        return zero_grad

    def _hook_all_reduce(self, original: Any) -> Any:
        @functools.wraps(original)
        def all_reduce(*args: Any, **kwargs: Any) -> Any:
            if chain := user_chain():
                state, site = self._replica().state, self._site(chain)
                if any(frame.f_code.co_name == "reduce_gradients" for frame in frames_below_user()):
                    self._model.reduce_gradients(state, site)
                self._model.collective(state, "all_reduce", "", site)
            return original(*args, **kwargs)

        return all_reduce

    def _hook_rendezvous(self, original: Any) -> Any:
        @functools.wraps(original)
        def rendezvous(*args: Any, **kwargs: Any) -> Any:
            if chain := user_chain():
                tag = str(kwargs.get("tag") or "")
                self._model.collective(self._replica().state, "rendezvous", tag, self._site(chain))
            return original(*args, **kwargs)

        return rendezvous

    # Optimizers ------------------------------------------------------------------------------

    def _hook_module_move(self, original: Any) -> Any:
        @functools.wraps(original)
        def apply(module: torch.nn.Module, *args: Any, **kwargs: Any) -> Any:
            if getattr(self._this, "moving", False):
                return original(module, *args, **kwargs)
            self._this.moving = True
            try:
                before = list(module.parameters())
                result = original(module, *args, **kwargs)
            finally:
                self._this.moving = False
            if (chain := user_chain()) and _on_device(module.parameters()):
                self._site(chain)
                self._parameters.moved(before, module, tuple(frame.site for frame in chain))
            return result

        return apply

    def _hook_optimizer_built(self, original: Any) -> Any:
        @functools.wraps(original)
        def built(optimizer: Any, *args: Any, **kwargs: Any) -> Any:
            if chain := user_chain():
                self._parameters.built[optimizer] = tuple(frame.site for frame in chain)
            return original(optimizer, *args, **kwargs)

        return built

    def _before_optimizer_step(self, optimizer: Any, args: Any, kwargs: Any) -> None:
        chain = user_chain()
        barrier = any(f.f_code is _OPTIMIZER_STEP and f.f_locals["barrier"] for f in frames_below_user())
        held = [parameter for group in optimizer.param_groups for parameter in group["params"]]
        stale = self._parameters.stale(held)
        if chain and (stale or _on_device(held)):
            built = self._parameters.built.get(optimizer, ())
            self._model.step_optimizer(
                self._replica().state,
                self._site(chain),
                stale=stale,
                built=built if stale else (),
                barrier=barrier,
            )

    # Loops -----------------------------------------------------------------------------------

    def _hook_next(self, original: Any) -> Any:
        @functools.wraps(original)
        def following(iterator: Any) -> Any:
            if not user_chain():  # The loader's own threads iterate too.
                return original(iterator)
            replica = self._replica()
            loop = replica.loops.get(id(iterator))
            if loop is None:
                # Every batch of a device loader is a cut; around another one the program must cut.
                cuts = isinstance(iterator, parallel_loader.PerDeviceLoader)
                loop = replica.loops[id(iterator)] = _Loop(replica.cuts, cuts, is_at_for())
                finalizer = weakref.finalize(iterator, self._dropped, replica, id(iterator))
                finalizer.atexit = False
            try:
                return original(iterator)
            except BaseException:
                loop.over = True
                raise

        return following

    def _dropped(self, replica: _Replica, identity: int) -> None:
        """Nobody holds an iterator any more: before its end, when the loop over it was left early."""
        loop = replica.loops.pop(identity)
        chain = user_chain()
        if loop.over or not chain or not (loop.cuts or replica.cuts > loop.cuts_before):
            return
        how = leaving(chain[-1].site)
        if how == "raise" or (how is None and loop.by_for):
            # Nothing else ends a `for` in the midst of its body. Whether somebody catches it, which
            # the analyzer cannot know and is silent about, shows when more work or the end comes.
            how = "exception"
        if how is not None:
            self._settle(replica)
            self._model.leave_loop(replica.state, how, self._site(chain))

    # Replicas --------------------------------------------------------------------------------

    def _hook_rank(self, original: Any) -> Any:
        @functools.wraps(original)
        def ordinal(*args: Any, **kwargs: Any) -> Any:
            if {frame.f_code.co_name for frame in frames_below_user()} <= _RANK_TESTS and (
                chain := user_chain()
            ):
                self._replica().rank_tests[chain[-1].code] = chain[-1].site
            return original(*args, **kwargs)

        return ordinal

    # The model and its events ----------------------------------------------------------------

    def _replica(self) -> _Replica:
        return self._replicas.setdefault(replicas.rank(), _Replica())

    def _settle(self, replica: _Replica) -> None:
        """Bring the model's state in line with what the engine holds."""
        state = replica.state
        recorded = replica.work.recorded()
        eager = torch_xla._XLAC._get_use_eager_mode()
        state.scopes = state.scopes._replace(in_closure=runs("_run_step_closures", xm.__file__))
        state.engine = state.engine._replace(eager=eager, recorded=recorded)
        if recorded == NOTHING:
            state.engine = state.engine._replace(parameters=NOTHING, since=())
        if recorded.must is not Weight.HEAVY:
            # What was read or left has gone meanwhile: no cut can run it again.
            state.obligations = frozenset(o for o in state.obligations if not o.terms.needs_heavy_work)

    def _site(self, chain: Chain) -> Site:
        self._report.chain(chain)
        self._this.chain = chain
        return chain[-1].site

    @property
    def _busy(self) -> bool:
        return bool(getattr(self._this, "busy", False))

    def _judge(self, event: Event, state: State, only_replicas: bool = False) -> None:
        news = False
        for rule in self._rules:
            if isinstance(event, rule.events):
                for finding in rule.judge(event, state.view()):
                    if not only_replicas or isinstance(finding.owner, Split):
                        # What a later cut runs again belongs to the function that makes the cut.
                        within = self._this.chain if isinstance(event, ReadThenCut) else None
                        news |= self._report.add(finding, within)
        if news and self._on_news is not None:
            self._on_news(self.diagnostics())


class _Loop:
    """A loop over a loader, known by its iterator."""

    def __init__(self, cuts_before: int, cuts: bool, by_for: bool) -> None:
        self.cuts_before = cuts_before
        self.cuts = cuts
        self.by_for = by_for
        self.over = False


class _Replica:
    """What the guard holds of one replica."""

    def __init__(self) -> None:
        self.state = State()
        self.work = pending.Work()
        self.loops: dict[int, _Loop] = {}
        self.cuts = 0
        self.rank_tests: dict[Any, Site] = {}

    @property
    def in_loop(self) -> bool:
        return bool(self.loops)

    def was_cut(self) -> None:
        self.work.cut()
        self.cuts += 1
        self.rank_tests.clear()


class _Parameters:
    """Which parameters a model has no longer since it moved, and where optimizers were built."""

    def __init__(self) -> None:
        self.built: weakref.WeakKeyDictionary[Any, tuple[Site, ...]] = weakref.WeakKeyDictionary()
        self._gone: dict[int, tuple[weakref.ref[Any], tuple[Site, ...]]] = {}

    def moved(self, before: list[torch.Tensor], module: torch.nn.Module, path: tuple[Site, ...]) -> None:
        """`module` has moved at `path`; `before` are the parameters that it had."""
        kept = {id(parameter) for parameter in module.parameters()}
        for parameter in before:
            if id(parameter) not in kept:
                self._gone[id(parameter)] = (weakref.ref(parameter), path)

    def stale(self, held: list[torch.Tensor]) -> tuple[Site, ...]:
        """Where the model moved away from the parameters that an optimizer holds; empty: it did not."""
        for parameter in held:
            gone = self._gone.get(id(parameter))
            if gone is not None and gone[0]() is parameter:
                return gone[1]
        return ()


def _cause() -> tuple[Cause, Any]:
    """What made the engine's step marker run, and the frame that tells more of a step scope."""
    found = None
    for frame in frames_below_user():
        name, file = frame.f_code.co_name, frame.f_code.co_filename.rpartition("/")[2]
        if found is Cause.SCOPE_ENTRY and name == "_compile":
            return found, frame
        found = found or _CAUSES.get((name, file))
        if found is not None and found is not Cause.SCOPE_ENTRY:
            return found, frame
    return Cause.MARKER, None


def _internal() -> bool:
    """Whether torch_xla itself, not the user, is reading."""
    return any(
        "/torch_xla/" in frame.f_code.co_filename and frame.f_code.co_name not in _SHOWS_FOR_THE_USER
        for frame in frames_below_user()
    )


def _as_written(reading: Reading, spelling: str, called: str) -> tuple[Reading, str]:
    """How the program read, given the method of the tensor and the function that the program called."""
    simple = called.rpartition(".")[2]
    if called.startswith("math.") or simple in ("max", "min"):
        return Reading.MATH, f"{called}()"
    if reading is Reading.INDEX and simple == "range":
        return reading, "range()"
    if called and (reading is Reading.TEXT or any(frames_below_user())):
        return reading, f"{called}()"  # The user called what reads, not the tensor's own method.
    return reading, spelling


def _to_host(args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
    for target in (*args, *kwargs.values()):
        if isinstance(target, torch.Tensor):
            return str(target.device.type) == "cpu"
        if isinstance(target, (str, torch.device)):
            return str(torch.device(target).type) == "cpu"
    return False


def _on_device(parameters: Iterable[torch.Tensor]) -> bool:
    return any(pending.is_device_tensor(first) for first in itertools.islice(parameters, 1))


def _code(function: Any) -> Any:
    """The code of a function or bound method; None of anything else that can be called."""
    return getattr(getattr(function, "__func__", function), "__code__", None)
