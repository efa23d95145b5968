"""Gradients, and wrapped models."""

from __future__ import annotations

import ast
from typing import Final

from xlalint.analysis.call import Call
from xlalint.analysis.library.cuts import cut
from xlalint.analysis.library.optimizers import (
    built_at,
    gradient_of_parameter,
    reduces,
    step_optimizer,
)
from xlalint.analysis.machine import Effect, Machine
from xlalint.analysis.payloads import (
    Container,
    Module,
    Parameters,
    Scaler,
    container_of,
    literal,
)
from xlalint.analysis.store import Move
from xlalint.knowledge import functions
from xlalint.lazy.assumptions import MANY, SCALES, assume, both, shown_by_use
from xlalint.lazy.assumptions import NONE as NONE_ASSUMED
from xlalint.lazy.cuts import Cause
from xlalint.lazy.events import Reading, Use
from xlalint.lazy.gradients import Gradient
from xlalint.lazy.site import Site
from xlalint.lazy.values import (
    HOST,
    NONE,
    XLA,
    Kind,
    Place,
    Role,
    Value,
    Weight,
)
from xlalint.writing import written


def _xla_optimizer_step(machine: Machine, call: Call) -> Value:
    state = call.store.state
    barrier = call.flag("barrier", False, 1)
    optimizer = call.argument(0, "optimizer")
    call.frame.model.reduce_gradients(
        state, call.site, built_at(optimizer), spelling=call.spelling,
        by_optimizer=reduces(optimizer), by_hand=not call.frame.outline.is_framework,
    )  # fmt: skip
    if state.replicas.launched is not False:
        call.frame.model.collective(state, "optimizer_step", "", call.site)
    given = call.argument(2, "optimizer_args")
    closure = _computes_gradients(machine, given, built_at(optimizer), call)
    step_optimizer(machine, optimizer, call, barrier=barrier is True, reducing=True, closure=closure)
    if barrier is not False:
        cut(call, Cause.BARRIER, sure=barrier is True)
    return HOST


def _computes_gradients(machine: Machine, given: Value | None, optimizer: Site | None, call: Call) -> bool:
    """Calls the closure among an optimizer's arguments; whether it surely leaves one replica's gradients."""
    arguments = given.payload if given is not None else None
    if not isinstance(arguments, Container) or arguments.items is None or arguments.keys is None:
        return False
    closure = dict(zip(arguments.keys, arguments.items, strict=False)).get("closure")
    if closure is None or closure.kind is not Kind.CALLABLE:
        return False
    machine.invoke(closure, Call(call.frame, call.store, call.site, None))
    gradients = call.store.state.gradients
    return closure.sure and not gradients.met and gradients.of(optimizer) == {Gradient.LOCAL}


def _reduce_gradients(machine: Machine, call: Call) -> Value:
    optimizer = call.argument(0, "optimizer")
    call.frame.model.reduce_gradients(
        call.store.state, call.site, built_at(optimizer),
        spelling=call.spelling, by_optimizer=reduces(optimizer), by_hand=not call.frame.outline.is_framework,
    )  # fmt: skip
    call.frame.model.collective(call.store.state, "reduce_gradients", "", call.site)
    return NONE


def _fetch_gradients(machine: Machine, call: Call) -> Value:
    """The gradients of an optimizer's parameters, as a list."""
    return container_of(gradient_of_parameter(call.store))


def _clip(machine: Machine, call: Call) -> Value:
    if _limit(call) not in functions.NO_LIMIT:
        call.frame.model.change_gradients(call.store.state, Use.CLIP, call.spelling, call.site)
    pending = call.store.state.pending
    norm = call.record((Value(Kind.TENSOR),), Weight.HEAVY if pending else Weight.LIGHT)
    if call.flag(_ASKS, False, 3) is True:
        # Whether the norm is finite is asked in Python.
        call.frame.model.read(call.store.state, norm, Reading.BOOL, call.spelling, call.site, unless=_ASKS)
    if pending:
        return norm
    given = call.argument(0, "parameters")
    if given is not None and isinstance(held := given.payload, Parameters) and held.place is not Place.XLA:
        # Nothing says that these are on the device: neither they nor what is recorded.
        return norm._replace(assumes=both(given.assumes, assume("the model is on an XLA device")))
    return norm


_ASKS: Final = "error_if_nonfinite"


def _cut_off(machine: Machine, call: Call) -> Value:
    call.frame.model.change_gradients(call.store.state, Use.CUT_OFF, call.spelling, call.site)
    return NONE


def _limit(call: Call) -> str:
    """The norm that gradients are clipped to, as it is written."""
    if call.node is None:
        return ""
    named = [keyword.value for keyword in call.node.keywords if keyword.arg == "max_norm"]
    given = [*named, *call.node.args[1:2]]
    return written(given[0]) if given else ""


def _backward(machine: Machine, call: Call) -> Value:
    call.frame.model.backward(call.store.state, call.site)
    call.store.free_history()
    return NONE


def _average_weights(machine: Machine, call: Call) -> Value:
    call.record((), Weight.LIGHT)
    return NONE


def _scaler(machine: Machine, call: Call) -> Value:
    if call.flag("enabled", True) is False:
        return Value(Kind.SCALER, payload=Scaler(enabled=False))
    known = call.flag("enabled", True) is True
    return Value(Kind.SCALER, NONE_ASSUMED if known else SCALES, payload=Scaler())


def _xla_scaler(machine: Machine, call: Call) -> Value:
    """torch_xla's own scaler, which was gone in 2.9."""
    scaler = _scaler(machine, call)
    assert isinstance(scaler.payload, Scaler)
    zeroes = call.flag("use_zero_grad", default=False, position=5) is not False
    return scaler._replace(payload=scaler.payload._replace(of_xla=True, zeroes=zeroes))


def _other_scaler(machine: Machine, call: Call) -> Value:
    """A scaler of another device, unless it is said to be XLA's: where it hangs on something whether it is
    enabled, that it is used on XLA is one more thing to assume."""
    scaler = _scaler(machine, call)
    held = scaler.payload
    if literal(call.argument(0, "device")) == XLA or not isinstance(held, Scaler):
        return scaler
    return scaler._replace(
        assumes=MANY if scaler.assumes else NONE_ASSUMED, payload=held._replace(elsewhere=True)
    )


def _wrap_module(machine: Machine, call: Call) -> Value:
    return wrapped(call, moves=False)


def _data_parallel(machine: Machine, call: Call) -> Value:
    """`DistributedDataParallel`, which sends the weights of one replica to the others when it is made."""
    if call.flag("init_sync", default=True) is True:
        call.frame.model.collective(call.store.state, "DistributedDataParallel", "", call.site)
    given = call.argument(0, "module")
    if given is not None and isinstance(given.payload, Module) and _is_let_go(call):
        return given  # it sums what backward computes of its own forward
    return wrapped(call, moves=False, sharded=False)


def _is_let_go(call: Call) -> bool:
    """Whether the one name that gets what a call returns is never asked for."""
    function = call.frame.function
    if function is None:
        return False
    nodes = [*ast.walk(function.node)]
    for node in nodes:
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=value) if value is call.node:
                return not any(
                    isinstance(each, ast.Global | ast.Nonlocal)
                    or (isinstance(each, ast.Name) and each.id == name and isinstance(each.ctx, ast.Load))
                    for each in nodes
                )
    return False


def _shard_and_move(machine: Machine, call: Call) -> Value:
    leave_optimizers_behind(machine, call)
    return wrapped(call, moves=True, sharded=True)


def wrapped(call: Call, *, moves: bool, sharded: bool | None = None) -> Value:
    """A module in a wrapper that sums its gradients, and `moves` it to the device.

    `sharded` says whether that leaves each replica a part of each parameter; None: it is not known.
    """
    call.store.state.replicas = call.store.state.replicas._replace(wrapped=True, sharded=sharded)
    call.frame.model.share_weights(call.store.state)
    inner = call.argument(0, "module")
    module, assumes = inner.payload if inner is not None else None, NONE_ASSUMED
    if isinstance(module, Module):
        assumes = inner.assumes if inner is not None else assumes
    elif inner is not None and inner.role is Role.PERHAPS_MODULE:
        module, assumes = Module((), Place.XLA), shown_by_use(inner.assumes)
    else:
        module = Module((), Place.UNKNOWN)
    module = module._replace(place=Place.XLA if moves else module.place, sharded=sharded is True)
    return Value(Kind.MODULE, assumes, payload=module)


def leave_optimizers_behind(machine: Machine, call: Call) -> None:
    """FSDP moves the module: an optimizer that was built over it on the host keeps other parameters."""
    given = call.argument(0, "module")
    if given is None or not isinstance(given.payload, Module) or not given.payload.identity:
        return
    if not machine.swaps_parameters(call.frame.outline):
        call.store.move_module(given.payload.identity, Move((call.site,), given.assumes))


EFFECTS: Final[dict[str, Effect]] = {
    "xla optimizer step": _xla_optimizer_step,
    "reduce gradients": _reduce_gradients,
    "gradients": _fetch_gradients,
    "clip gradients": _clip,
    "cut gradients off": _cut_off,
    "backward": _backward,
    "average weights": _average_weights,
    "scaler": _xla_scaler,
    "scaler of another device": _other_scaler,
    "wrap module": _wrap_module,
    "data parallel module": _data_parallel,
    "shard and move module": _shard_and_move,
}
