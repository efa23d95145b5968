"""Cuts, the scopes that make them or must not hold any, and what waits for them."""

from __future__ import annotations

import functools
from types import CodeType, FrameType
from typing import Any

import torch_xla
import torch_xla.core.xla_model as xm
import torch_xla.debug.profiler as xp
from torch_xla.experimental import eager_mode_context

from xlalint.lazy.cuts import Cause
from xlalint.lazy.scopes import Scope, ScopeKind
from xlalint.lazy.site import Site
from xlalint.lazy.state import State
from xlalint.lazy.values import NOTHING, Weight
from xlalint_runtime import counters
from xlalint_runtime.sites import callee, definition, frames_below_user, is_tracing, user_chain, written
from xlalint_runtime.summary import Launch
from xlalint_runtime.watch import Hook, Watch

_CAUSES = {
    ("_clear_pending_ops_before_compile", "torch_xla.py"): Cause.SCOPE_ENTRY,
    ("_compile", "torch_xla.py"): Cause.SCOPE_EXIT,
    ("next", "parallel_loader.py"): Cause.LOADER,
    ("__exit__", "profiler.py"): Cause.STEP_TRACE,
    ("optimizer_step", "xla_model.py"): Cause.BARRIER,
    ("xla_rendezvous", "xla_model.py"): Cause.RENDEZVOUS,
}
"""What made the engine's step marker run, by the function of torch_xla that called it."""

_STEPS = (ScopeKind.STEP, ScopeKind.COMPILE, ScopeKind.FULL_GRAPH)


def _marker(watch: Watch, original: Any) -> Any:
    """Every cut: of a marker, a step scope, a loader, a barrier, a rendezvous."""

    @functools.wraps(original)
    def step_marker(*args: Any, **kwargs: Any) -> Any:
        chain = user_chain()
        if not chain:
            return original(*args, **kwargs)
        replica = watch.replica
        if is_tracing():
            # Dynamo cuts while it traces, once: no cut of the program's.
            with watch.report.cost(chain[-1].site, Launch.DYNAMO, waiting=False):
                result = original(*args, **kwargs)
            watch.was_cut(replica)
            return result
        cause, frame = _cause()

        def cut(state: State, site: Site) -> None:
            spelling = _spelling(site)
            if cause in (Cause.SCOPE_ENTRY, Cause.LOADER):
                loop = replica.around[-1].chain if replica.around else ()
                for place in replica.outside.recorded(state, site, loop):
                    watch.report.chain_at(place)
                    watch.model.record(state, Weight.LIGHT, place)
            if cause is Cause.SCOPE_ENTRY and frame is not None:
                scope, code = _step_scope(frame, site)
                watch.enter(state, scope, code or chain[-1].code, spelling)
            elif cause is Cause.SCOPE_EXIT:
                watch.leave(state, *_STEPS, spelling=spelling)
            elif cause is Cause.STEP_TRACE:
                watch.leave(state, ScopeKind.STEP_TRACE, spelling=spelling)
            else:
                resets, waits = kwargs.get("reset_scope", True), kwargs.get("wait", False)
                watch.model.cut(state, cause, spelling, site, resets_scope=resets, waits=waits)

        before, compiled = replica.state.copy(), counters.compiles()
        watch.tell_cut(chain, cut)
        try:
            with watch.report.cost(chain[-1].site, Launch.CUT, waiting=replica.recorded != NOTHING):
                result = original(*args, **kwargs)
        except BaseException:
            replica.state = before  # It has cut nothing.
            raise
        watch.was_cut(replica, by_loader=cause is Cause.LOADER)
        if cause is Cause.SCOPE_EXIT:
            replica.outside.ask()
        heavy = replica.recorded.must is Weight.HEAVY
        watch.report.summary.cut(
            ends_scope=cause is Cause.SCOPE_EXIT, heavy=heavy, backwards=replica.backwards
        )
        watch.at_launch(replica, chain, cause, compiled=counters.compiles() > compiled, heavy=heavy)
        return result

    return step_marker


def _cause() -> tuple[Cause, FrameType | None]:
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


def _spelling(site: Site) -> str:
    return written(site) or (f"{callee(site)}()" if callee(site) else "sync()")


def _step_scope(compiling: FrameType, site: Site) -> tuple[Scope, CodeType | None]:
    """The scope that opens, and the function that was compiled; None where a `with` opens it."""
    whole, name = compiling.f_locals.get("full_graph"), compiling.f_locals.get("name")
    kind = ScopeKind.FULL_GRAPH if whole else ScopeKind.STEP if name is None else ScopeKind.COMPILE
    code = _decorated("inner", "func")
    return Scope(kind, (definition(code) if code else None) or site), code


def _decorated(wrapper: str, variable: str) -> CodeType | None:
    """The code of the function that a decorator's `wrapper` calls, which it holds in `variable`."""
    for frame in frames_below_user():
        if frame.f_code.co_name == wrapper:
            function = frame.f_locals.get(variable)
            code = getattr(getattr(function, "__func__", function), "__code__", None)
            return code if isinstance(code, CodeType) else None
    return None


def _trace_enter(watch: Watch, original: Any) -> Any:
    """A profiler scope that the user opens; the loader's threads and torch_xla itself trace too."""

    @functools.wraps(original)
    def enter(trace: Any) -> Any:
        result = original(trace)
        chain = user_chain()
        if chain and all(frame.f_code.co_filename == xp.__file__ for frame in frames_below_user()):
            kind = ScopeKind.STEP_TRACE if isinstance(trace, xp.StepTrace) else ScopeKind.TRACE
            scope = watch.traces[trace] = Scope(kind, chain[-1].site)
            code = _decorated("wrapper_trace_me", "func") or chain[-1].code
            watch.tell(chain, lambda state, site: watch.enter(state, scope, code))
        return result

    return enter


def _trace_exit(watch: Watch, original: Any) -> Any:
    """A profiler scope is left, in whatever way; a `StepTrace` is left by its cut."""

    @functools.wraps(original)
    def leave(trace: Any, *args: Any) -> Any:
        scope = watch.traces.pop(trace, None)
        chain = user_chain()
        if chain and scope is not None and scope.kind is ScopeKind.TRACE:
            watch.tell(chain, lambda state, site: watch.model.leave(state, scope, ""))
        return original(trace, *args)

    return leave


def _set_eager(watch: Watch, original: Any) -> Any:
    """Eager mode goes on or off. Of a `with` that turns it on, the model knows the scope as well."""

    @functools.wraps(original)
    def set_eager(on: bool) -> None:
        original(on)
        chain = user_chain()
        contexts = (f for f in frames_below_user() if f.f_code.co_name == eager_mode_context.__name__)
        if not chain or not any(context.f_locals["enable"] for context in contexts):
            return
        if any(frame.f_code.co_name == "__exit__" for frame in frames_below_user()):
            watch.tell(chain, lambda state, site: watch.leave(state, ScopeKind.EAGER))
            return
        scope = Scope(ScopeKind.EAGER, chain[-1].site)
        watch.tell(chain, lambda state, site: watch.enter(state, scope, chain[-1].code))

    return set_eager


def _device_context(watch: Watch, original: Any) -> Any:
    """A step closure is added: the one thing for which `add_step_closure` calls anything."""

    @functools.wraps(original)
    def device_context(*args: Any, **kwargs: Any) -> Any:
        caller = next(frames_below_user(), None)
        is_added = caller is not None and caller.f_code is xm.add_step_closure.__code__
        watch.has_closures = watch.has_closures or is_added
        if caller is not None and is_added and (chain := user_chain()):
            late = bool(caller.f_locals["run_async"])
            watch.tell(chain, lambda state, site: watch.model.add_closure(state, site, asynchronous=late))
        return original(*args, **kwargs)

    return device_context


HOOKS = (
    Hook(torch_xla._XLAC, "_xla_step_marker", _marker),
    Hook(xp.Trace, "__enter__", _trace_enter),
    Hook(xp.Trace, "__exit__", _trace_exit),
    Hook(torch_xla._XLAC, "_set_use_eager_mode", _set_eager),
    Hook(xm, "_get_device_context", _device_context),
)
