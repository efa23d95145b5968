"""Optimizers and gradient scalers."""

from __future__ import annotations

from xlalint.analysis.call import Call
from xlalint.analysis.machine import Machine
from xlalint.analysis.payloads import (
    Bound,
    Instance,
    Optimizer,
    Scoped,
    StateDict,
    callable_value,
)
from xlalint.analysis.store import Store
from xlalint.lazy.events import Use
from xlalint.lazy.site import Path, Site
from xlalint.lazy.state import (
    ScopeKind,
)
from xlalint.lazy.values import (
    HOST,
    NONE,
    UNKNOWN,
    Kind,
    Place,
    Recorded,
    Value,
    Weight,
)


def step_optimizer(optimizer: Value | None, call: Call, *, barrier: bool = False) -> None:
    """An optimizer steps, whichever way it was asked to."""
    stale: Path = ()
    built = None
    if optimizer is not None and optimizer.kind is Kind.OPTIMIZER:
        info: Optimizer = optimizer.payload
        stale, built = info.stale, info.built
        if info.place is Place.HOST and not stale:
            return  # parameters on the host
    call.frame.model.step_optimizer(
        call.store.state, call.site,
        stale=stale, built=(built,) if built is not None else (), barrier=barrier,
    )  # fmt: skip


def optimizer_method(machine: Machine, receiver: Value, name: str, call: Call) -> Value:
    if name == "step":
        closure = call.argument(0, "closure")
        if closure is not None and closure.kind is Kind.CALLABLE:
            machine.invoke(closure, Call(call.frame, call.store, call.site, None))
        cls = receiver.payload.cls
        step = machine.classes.find_method(cls, "step") if cls is not None else None
        if step is not None:
            instance = Value(Kind.INSTANCE, payload=Instance((cls,)))
            machine.invoke(
                callable_value(Scoped(callable_value(Bound(step, instance)), ScopeKind.OPTIMIZER)), call
            )
        step_optimizer(receiver, call)
        return HOST
    if name == "zero_grad":
        call.frame.model.zero_gradients(call.store.state)
        return NONE
    if name == "state_dict":
        return Value(Kind.STATE_DICT, payload=StateDict(Place.UNKNOWN))
    return UNKNOWN


def scaler_method(machine: Machine, receiver: Value, name: str, call: Call) -> Value:
    if name == "scale":
        value = call.argument(0, "outputs") or UNKNOWN
        if value.kind is Kind.TENSOR:
            return call.record((value,), Weight.LIGHT)
        return value
    if name == "unscale_":
        call.frame.model.change_gradients(call.store.state, Use.UNSCALE, call.spelling, call.site)
        return NONE
    if name == "step":
        if receiver.payload.enabled:
            call.frame.model.step_scaler(call.store.state, call.spelling, call.site, sure=receiver.sure)
        step_optimizer(call.argument(0, "optimizer"), call)
        return NONE
    return HOST


def make_optimizer(call: Call) -> Value:
    """An optimizer is built over whatever parameters it is given."""
    over: Site | None = None
    place = Place.UNKNOWN
    given = call.argument(0, "params")
    stack = [given] if given is not None else []
    while stack:
        value = stack.pop()
        if value.kind is Kind.PARAMETERS:
            over, place = value.payload
            break
        if value.kind is Kind.CONTAINER:
            stack += [value.payload.element, *(value.payload.items or ())]
    return Value(Kind.OPTIMIZER, payload=Optimizer(over, place, call.site))


def built_at(optimizer: Value | None) -> Site | None:
    """Where an optimizer was built, by which the model knows it; None when that is not known."""
    if optimizer is None or optimizer.kind is not Kind.OPTIMIZER:
        return None
    built: Site | None = optimizer.payload.built
    return built


_GRADIENT = Value(Kind.TENSOR, recorded=Recorded(Weight.HEAVY, Weight.HEAVY), differs=True)
"""A gradient or `found_inf` inside an optimizer's step: backward is recorded on it."""


def gradient(store: Store) -> Value:
    """A gradient, which a cut made in the optimizer's step has already run."""
    return _GRADIENT.run() if store.state.loop.cuts else _GRADIENT
