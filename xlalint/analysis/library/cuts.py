"""Cuts, step scopes, profiler scopes and closures."""

from __future__ import annotations

import ast
from typing import Final

from xlalint.analysis.call import Call
from xlalint.analysis.library.devices import device_of
from xlalint.analysis.machine import Effect, Machine
from xlalint.analysis.payloads import (
    NO_GRAD,
    Bound,
    Clock,
    Namespace,
    Opening,
    Opens,
    Scoped,
    callable_value,
    elements,
    targets,
)
from xlalint.knowledge import functions
from xlalint.lazy.assumptions import NONE as NONE_ASSUMED
from xlalint.lazy.assumptions import assume
from xlalint.lazy.cuts import Cause
from xlalint.lazy.events import Fault
from xlalint.lazy.scopes import ScopeKind
from xlalint.lazy.values import (
    NONE,
    XLA,
    Kind,
    Value,
    Weight,
)


def cut(
    call: Call, cause: Cause, *, sure: bool = True, resets_scope: bool = True, waits: bool = False
) -> None:
    """The graph is cut, and the values that are alive are told."""
    if call.frame.outline.is_framework and cause is Cause.MARKER:
        cause = Cause.FRAMEWORK
    call.frame.model.cut(
        call.store.state, cause, call.spelling, call.site, sure=sure, resets_scope=resets_scope, waits=waits
    )
    call.store.run_all() if sure else call.store.maybe_run_all()


def _marker(machine: Machine, call: Call) -> Value:
    resets = call.flag("reset_scope", True, 1)
    waits = call.flag("wait", False, 0)
    cut(call, Cause.MARKER, resets_scope=resets is not False, waits=waits is not False)
    return NONE


def _step_scope(machine: Machine, call: Call) -> Value:
    if call.arguments:
        call.frame.model.compile_in_vain(call.store.state, Fault.BARE, call.site)
    return Value(Kind.SCOPE, payload=Opening(ScopeKind.STEP, call.spelling))


def _trace_scope(machine: Machine, call: Call) -> Value:
    return Value(Kind.SCOPE, payload=Opening(ScopeKind.TRACE, call.spelling))


def _step_trace_scope(machine: Machine, call: Call) -> Value:
    return Value(Kind.SCOPE, payload=Opening(ScopeKind.STEP_TRACE, call.spelling))


def _exit_stack(machine: Machine, call: Call) -> Value:
    return Value(Kind.SCOPE, payload=Opening(None, call.spelling, Opens.STACK))


def _plain_scope(machine: Machine, call: Call) -> Value:
    target = call.argument(0)
    if target is not None and target.kind is Kind.CALLABLE:
        return target
    return Value(Kind.SCOPE, payload=Opening(None, call.spelling))


def _autograd_off(machine: Machine, call: Call) -> Value:
    enabled = call.flag("mode", default=True, position=0) if call.arguments or call.keywords else True
    return _autograd(None if enabled is None else not enabled, call)


def _autograd_on(machine: Machine, call: Call) -> Value:
    return _autograd(True, call)


def _autograd_on_or_off(machine: Machine, call: Call) -> Value:
    """`torch.set_grad_enabled`: from the call on, and to the end of the block where it is a scope."""
    scope = _autograd(call.flag("mode", default=True, position=0), call)
    assert isinstance(scope.payload, Opening)
    scopes = call.store.state.scopes
    call.store.state.scopes = scopes._replace(no_grad=NO_GRAD[scope.payload.effect])
    return scope


def _autograd(on: bool | None, call: Call) -> Value:
    effect = Opens.PERHAPS_GRAD if on is None else Opens.GRAD if on else Opens.NO_GRAD
    target = call.argument(0)
    if target is not None and target.kind is Kind.CALLABLE:
        return callable_value(Scoped(target, effect))
    return Value(Kind.SCOPE, payload=Opening(None, call.spelling, effect))


def _anomaly_mode(machine: Machine, call: Call) -> Value:
    if call.flag("mode", default=True, position=0) is True:
        call.frame.model.seek_anomalies(call.store.state, call.spelling, call.site)
    return Value(Kind.SCOPE, payload=Opening(None, call.spelling))


def _autocast(machine: Machine, call: Call) -> Value:
    device = device_of(call.argument(0, "device_type")).type
    return _autocast_for(device, call)


def _xla_autocast(machine: Machine, call: Call) -> Value:
    return _autocast_for(XLA, call, position=1)


def _cuda_autocast(machine: Machine, call: Call) -> Value:
    return _autocast_for("cuda", call, position=0)


def _autocast_for(device: str, call: Call, position: int = -1) -> Value:
    enabled = call.flag("enabled", True, position)
    if device == XLA and enabled is not None:
        effect = Opens.AUTOCAST if enabled else Opens.NO_AUTOCAST
        return Value(Kind.SCOPE, payload=Opening(None, call.spelling, effect))
    if device != "cuda" or enabled is False:
        return Value(Kind.SCOPE, payload=Opening(None, call.spelling))
    # `scaler is not None` holds as far as is known where some way makes a scaler, and others need not.
    sure = enabled and not isinstance(call.written("enabled", position), ast.Compare | ast.BoolOp)
    assumes = NONE_ASSUMED if sure else assume(f"`{call.spelling}` is enabled")
    dtype = call.argument(1, "dtype")
    in_bfloat16 = dtype is not None and dtype.payload == Namespace(functions.BFLOAT16)
    effect = Opens.BFLOAT16_OF_CUDA if in_bfloat16 else Opens.OTHER_AUTOCAST
    return Value(Kind.SCOPE, assumes, payload=Opening(None, call.spelling, effect, call.site))


def _eager_mode(machine: Machine, call: Call) -> Value:
    call.store.state.engine = call.store.state.engine._replace(eager=call.flag("enable", True, 0))
    return NONE


def _eager_scope(machine: Machine, call: Call) -> Value:
    enabled = call.flag("enable", True, 0)
    effect = Opens.LAZY if enabled is False else Opens.EAGER if enabled else Opens.PERHAPS_EAGER
    return Value(Kind.SCOPE, payload=Opening(None, call.spelling, effect))


def _wait(machine: Machine, call: Call) -> Value:
    call.frame.model.wait(call.store.state)
    return NONE


def _clock(machine: Machine, call: Call) -> Value:
    state = call.store.state
    launched = state.engine.recorded.may is not Weight.HEAVY
    return Value(Kind.HOST, payload=Clock(call.site, call.frame.model.read_clock(state, call.site), launched))


def _add_closure(machine: Machine, call: Call) -> Value:
    state = call.store.state
    body = call.argument(0, "closure")
    call.frame.model.add_closure(
        state, call.site, asynchronous=bool(call.flag("run_async", False, 2)), captures=_captures(body, call)
    )
    arguments = call.argument(1, "args")
    if body is not None and body.kind is Kind.CALLABLE:
        machine.run_closure(body, elements(arguments), call)
    return NONE


def _captures(body: Value | None, call: Call) -> tuple[str, ...]:
    """The variables of the present function that a closure defined in it looks up when it runs."""
    if body is None or call.frame.function is None or len(targets(body)) != 1:
        return ()
    (target,) = targets(body)
    if not isinstance(target, Bound) or target.function.parent is not call.frame.function:
        return ()
    return tuple(name for name in target.function.free_names() if name in call.frame.function.locals())


EFFECTS: Final[dict[str, Effect]] = {
    "marker": _marker,
    "step scope": _step_scope,
    "trace scope": _trace_scope,
    "step trace scope": _step_trace_scope,
    "plain scope": _plain_scope,
    "autograd off": _autograd_off,
    "autograd on": _autograd_on,
    "autograd on or off": _autograd_on_or_off,
    "exit stack": _exit_stack,
    "anomaly mode": _anomaly_mode,
    "autocast": _autocast,
    "cuda autocast": _cuda_autocast,
    "xla autocast": _xla_autocast,
    "eager mode": _eager_mode,
    "eager scope": _eager_scope,
    "add closure": _add_closure,
    "wait": _wait,
    "clock": _clock,
}
