"""Optimizers and gradient scalers."""

from __future__ import annotations

import re
from typing import Final

from xlalint.analysis.call import Call
from xlalint.analysis.library.summing import steps_for_replicas
from xlalint.analysis.machine import Machine
from xlalint.analysis.payloads import (
    Bound,
    Container,
    Instance,
    Module,
    Optimizer,
    Parameters,
    Scaler,
    Scoped,
    StateDict,
    callable_value,
)
from xlalint.analysis.store import Store
from xlalint.knowledge.methods import METHODS
from xlalint.lazy.assumptions import NONE as NONE_ASSUMED
from xlalint.lazy.assumptions import assume, both
from xlalint.lazy.events import Use
from xlalint.lazy.scopes import ScopeKind
from xlalint.lazy.site import Site
from xlalint.lazy.values import HEAVY, HOST, NONE, UNKNOWN, Kind, Place, Role, Tensor, Value, Weight
from xlalint.program.outline import last_name
from xlalint.writing import written

_GRADIENT: Final = Value(Kind.TENSOR, recorded=HEAVY, differs=True)
"""A gradient or `found_inf` inside an optimizer's step: backward is recorded on it."""


def make_optimizer(call: Call) -> Optimizer:
    """An optimizer is built over whatever parameters it is given."""
    given, made = call.argument(0, "params"), Optimizer((), Place.UNKNOWN, call.site)
    waiting = [given] if given is not None else []
    while waiting and not made.stale:
        held = waiting.pop().payload
        if isinstance(held, Container):
            waiting += [held.element, *(held.items or ())]
        elif isinstance(held, Parameters):
            moved = call.store.moved.get(held.of) if held.place is Place.HOST else None
            is_moved = moved is not None and moved.to is Place.XLA
            stale = moved.path if moved is not None and is_moved and held.listed else ()
            if stale or not made.over:
                # A generator gives what the model has where the optimizer goes through it.
                place = Place.XLA if is_moved and not held.listed else held.place
                made = Optimizer(held.of, place, call.site, stale=stale)
    return made


def make_sharded_optimizer(call: Call) -> Optimizer:
    """An optimizer shares parameters out among the replicas: where it is built, unless it is told to wait."""
    made = make_optimizer(call)._replace(reduces=True)
    waits = call.flag("lazy_init", default=False) is not False
    return made._replace(place=Place.UNKNOWN) if waits else made


def made_by_unknown(call: Call) -> Value | None:
    """The optimizer that a callee nobody knows makes of what it gets, if it is called as what makes one."""
    for given in call.values:
        held = given.payload
        if isinstance(held, Parameters) and held.of:
            names_one = call.function is not None and "optim" in written(call.function).lower()
            return _assumed(call, given, held) if names_one or "lr" in call.keywords else None
    if _MAKERS.match(last_name(call.function)) is not None:
        models = [given for given in call.values if isinstance(given.payload, Module)]
        if len(models) == 1 and not any(given.kind is Kind.OPTIMIZER for given in call.values):
            return _assumed(call, models[0], _held_by(models[0]))
    return None


def made_of_given(call: Call) -> Value:
    """The optimizer that a known function makes of the model or the parameters that it gets."""
    for given in call.values:
        if (held := _held_by(given)).of:
            return Value(Kind.OPTIMIZER, given.assumes, payload=Optimizer(held.of, held.place, call.site))
    return Value(Kind.OPTIMIZER, payload=Optimizer((), Place.UNKNOWN, call.site))


def _held_by(given: Value) -> Parameters:
    """The parameters of a model, or those that are given by themselves."""
    match given.payload:
        case Parameters() as parameters:
            return parameters
        case Module() as model:
            return Parameters(model.identity, model.place)
    return Parameters((), Place.UNKNOWN)


_MAKERS: Final = re.compile(r"(?i)(?:create|build|make|get|init|setup|configure)_?optimi[sz]er(?:_?v\d+)?$")
"""How functions are called that make an optimizer of a model, such as `create_optimizer_v2` of timm."""


def _assumed(call: Call, given: Value, held: Parameters) -> Value:
    """The optimizer that a call is assumed to return."""
    assumes = both(given.assumes, assume(f"`{call.spelling}` returns an optimizer"))
    return Value(Kind.OPTIMIZER, assumes, payload=Optimizer(held.of, held.place, call.site))


def wrapped_by_unknown(held: Value, spelling: str) -> Value:
    """What a callee nobody knows makes of the optimizer whose name it gets: one that steps as that does."""
    return held._replace(assumes=both(held.assumes, assume(f"`{spelling}` wraps the optimizer")))


def built_at(optimizer: Value | None) -> Site | None:
    """Where an optimizer was built, by which the model knows it; None when that is not known."""
    known = optimizer.payload if optimizer is not None else None
    return known.built if isinstance(known, Optimizer) else None


def reduces(optimizer: Value | None) -> bool:
    """Whether a step of an optimizer surely sums its gradients over the replicas."""
    held = optimizer.payload if optimizer is not None and optimizer.sure else None
    return isinstance(held, Optimizer) and held.reduces


def step_optimizer(
    machine: Machine,
    optimizer: Value | None,
    call: Call,
    *,
    barrier: bool = False,
    reducing: bool = False,
    closure: bool = False,
) -> None:
    """An optimizer steps, whichever way it was asked to."""
    info = optimizer.payload if optimizer is not None else None
    if not isinstance(info, Optimizer):
        info = Optimizer((), Place.UNKNOWN, None)
    built = (info.built,) if info.built is not None else ()
    if info.reduces and info.place is Place.HOST and optimizer is not None:
        call.frame.model.refuse_optimizer(
            call.store.state, call.site, built=built, moved=info.stale, assumes=optimizer.assumes
        )
        return
    if _is_on_host(optimizer):
        return
    call.frame.model.step_optimizer(
        call.store.state,
        call.site,
        stale=info.stale,
        off_device=bool(info.stale) and info.place is Place.XLA,
        built=built,
        barrier=barrier,
        reducing=reducing,
        plain=_is_plain(machine, info, optimizer, call, reducing=reducing),
        closure=closure,
        assumes=optimizer.assumes if optimizer is not None and info.stale else NONE_ASSUMED,
    )


def _is_plain(
    machine: Machine, info: Optimizer, optimizer: Value | None, call: Call, *, reducing: bool
) -> bool:
    """Whether an optimizer over a known model steps as torch's own do, and nobody sums its gradients."""
    if reducing or info.reduces or not info.over or info.cls is not None:
        return False
    if optimizer is None or not optimizer.sure:
        return False
    return steps_for_replicas(machine, call)


def optimizer_method(machine: Machine, receiver: Value, name: str, call: Call) -> Value:
    """A method of an optimizer."""
    match METHODS[Kind.OPTIMIZER].get(name):
        case "step":
            closure = call.argument(0, "closure")
            if closure is not None and closure.kind is Kind.CALLABLE:
                machine.invoke(closure, Call(call.frame, call.store, call.site, None))
            _run_own_step(machine, receiver, call)
            if isinstance(receiver.payload, Optimizer) and receiver.payload.reduces:
                call.frame.model.reduce_gradients(
                    call.store.state, call.site, spelling=call.spelling, by_optimizer=True, steps=True
                )
            step_optimizer(machine, receiver, call)
            return HOST
        case "zero gradients":
            call.frame.model.zero_gradients(call.store.state, built_at(receiver))
            return NONE
        case "state dict":
            place = receiver.payload.place if isinstance(receiver.payload, Optimizer) else Place.UNKNOWN
            # Where the model moved afterwards, its state is that of parameters nobody has any more.
            place = Place.XLA if place is Place.XLA else Place.UNKNOWN
            # Of torch_xla's optimizers the one that sums gradients is the one that shards its state, too.
            state_dict = StateDict(place, built_at(receiver), sharded=reduces(receiver))
            return Value(Kind.STATE_DICT, receiver.assumes, payload=state_dict)
        case "load state":
            call.frame.model.prime_optimizers(call.store.state)
            return NONE
        case _:
            return _own_method(machine, receiver, name, call) or UNKNOWN


def _run_own_step(machine: Machine, receiver: Value, call: Call) -> None:
    """Run the `step` of an optimizer class of the project."""
    info = receiver.payload
    cls = info.cls if isinstance(info, Optimizer) else None
    step = machine.classes.find_method(cls, "step") if cls is not None else None
    if cls is not None and step is not None:
        instance = Value(Kind.INSTANCE, payload=Instance((cls,)))
        scoped = Scoped(callable_value(Bound(step, instance)), ScopeKind.OPTIMIZER)
        machine.invoke(callable_value(scoped), call)


def scaler_method(machine: Machine, receiver: Value, name: str, call: Call) -> Value:
    """A method of a gradient scaler."""
    state, model = call.store.state, call.frame.model
    match METHODS[Kind.SCALER].get(name):
        case "scale":
            value = call.argument(0, "outputs") or UNKNOWN
            return call.record((value,), Weight.LIGHT) if value.kind is Kind.TENSOR else value
        case "unscale":
            model.change_gradients(state, Use.UNSCALE, call.spelling, call.site)
            return NONE
        case "step":
            optimizer = call.argument(0, "optimizer")
            scaler = receiver.payload
            if isinstance(scaler, Scaler) and scaler.enabled and _may_ask_device(scaler, optimizer):
                stepped = optimizer.payload if optimizer is not None else None
                syncfree = isinstance(stepped, Optimizer) and stepped.syncfree
                built = built_at(optimizer)
                model.step_scaler(
                    state, call.spelling, call.site, built=(built,) if built is not None else (),
                    assumes=receiver.assumes, of_xla=scaler.of_xla,
                    decides_on_device=scaler.of_xla and (syncfree or scaler.zeroes),
                )  # fmt: skip
            step_optimizer(machine, optimizer, call)
            return NONE
        case _:
            return _own_method(machine, receiver, name, call) or HOST


def _may_ask_device(scaler: Scaler, optimizer: Value | None) -> bool:
    """Whether the numbers that a scaler asks for lie on an XLA device, by the optimizer that it steps.

    Of a scaler made for another device that must be known: programs for both have it for that one.
    """
    if not scaler.elsewhere:
        return not _is_on_host(optimizer)
    if optimizer is None or not optimizer.sure:
        return False
    held = optimizer.payload
    return isinstance(held, Optimizer) and (held.place is Place.XLA or bool(held.stale))


def _is_on_host(optimizer: Value | None) -> bool:
    """Whether an optimizer is over a model that has never been on an XLA device."""
    held = optimizer.payload if optimizer is not None else None
    return isinstance(held, Optimizer) and held.place is Place.HOST and not held.stale


def _own_method(machine: Machine, receiver: Value, name: str, call: Call) -> Value | None:
    """A method that an optimizer or scaler class of the project adds to what all of its kind have."""
    info = receiver.payload
    cls = info.cls if isinstance(info, Optimizer | Scaler) else None
    method = machine.classes.find_method(cls, name) if cls is not None else None
    return machine.enter(Bound(method, receiver), call) if method is not None else None


def gradient_of_parameter(store: Store) -> Value:
    """A gradient as backward has recorded it."""
    recorded = store.state.engine.gradients
    return Value(Kind.TENSOR, recorded=recorded, differs=True, payload=Tensor(Role.GRADIENT))


def gradient(store: Store) -> Value:
    """A gradient, which a cut made in the optimizer's step has already run."""
    return _GRADIENT.run() if store.state.loop.cuts else _GRADIENT
