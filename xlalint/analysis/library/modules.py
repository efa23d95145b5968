"""Modules: forward, moves, parameters."""

from __future__ import annotations

import ast

from xlalint.analysis.binding import rebind
from xlalint.analysis.call import Call
from xlalint.analysis.library.devices import device_of
from xlalint.analysis.library.loaders import BATCH
from xlalint.analysis.machine import Machine
from xlalint.analysis.payloads import (
    Bound,
    Container,
    Module,
    Parameters,
    StateDict,
    container,
    container_of,
    unknown_from,
)
from xlalint.analysis.store import Store
from xlalint.analysis.unknown import call_unknown, holds_tensor
from xlalint.knowledge import methods
from xlalint.lazy.values import (
    HOST,
    NONE,
    NOTHING,
    UNKNOWN,
    Kind,
    Place,
    Value,
    Weight,
)


def call_module(machine: Machine, module: Value, call: Call) -> Value:
    """Run a module's forward."""
    info: Module = module.payload
    state = call.store.state
    outer_forward = state.scopes.in_forward
    state.scopes = state.scopes._replace(in_forward=True)
    try:
        if info.cls is not None:
            forward = machine.classes.find_method(info.cls, "forward") or machine.classes.find_method(
                info.cls, "__call__"
            )
            if forward is not None:
                return machine.enter(Bound(forward, module), call)
    finally:
        call.store.state.scopes = call.store.state.scopes._replace(in_forward=outer_forward)
    on_device = info.place is Place.XLA or any(holds_tensor(v) for v in call.values)
    if not on_device:
        return unknown_from(*call.values)
    inputs = [v for v in call.values if v.kind is Kind.TENSOR]
    result = call.record(inputs, Weight.HEAVY)
    return result._replace(differs=result.differs or not inputs, sure=result.sure and module.sure)


def module_method(machine: Machine, receiver: Value, name: str, call: Call) -> Value:
    info: Module = receiver.payload
    if name in ("to", "xla", "cuda", "cpu"):
        return _move_module(machine, receiver, name, call)
    if name in ("parameters", "named_parameters", "buffers", "named_buffers"):
        parameters = Value(Kind.PARAMETERS, payload=Parameters(info.identity, info.place))
        return container_of(container([HOST, parameters])) if name.startswith("named") else parameters
    if name == "state_dict":
        return Value(Kind.STATE_DICT, receiver.sure, payload=StateDict(info.place))
    if name in methods.MODULE_METHODS:
        return receiver
    if name in ("forward", "__call__"):
        return call_module(machine, receiver, call)
    if name == "zero_grad":
        call.frame.model.zero_gradients(call.store.state)
        return NONE
    if name in methods.LABEL_METHODS and info.cls is None and any(holds_tensor(v) for v in call.values):
        return BATCH._replace(sure=False)
    if name == "clip_grad_norm_":
        return call.record((Value(Kind.TENSOR),), Weight.HEAVY)
    if name in (
        "modules",
        "children",
        "named_modules",
        "load_state_dict",
        "register_buffer",
        "add_module",
    ):
        return UNKNOWN
    return call_unknown(machine, call)


def _move_module(machine: Machine, receiver: Value, name: str, call: Call) -> Value:
    info: Module = receiver.payload
    if name == "to":
        target = call.argument(0, "device")
        device = device_of(target).payload.type
        if target is not None and target.kind is Kind.NAMESPACE:
            return receiver
    else:
        device = {"cpu": "cpu", "xla": "xla"}.get(name, "")
    if device == "xla":
        if info.identity is not None and not machine.swaps_parameters:
            call.store.move_module(info.identity, (call.site,))
        place = Place.XLA
    elif device == "cpu":
        place = Place.HOST
    else:
        place = Place.UNKNOWN
    moved = receiver._replace(payload=info._replace(place=place))
    if call.node is not None and isinstance(call.node.func, ast.Attribute) and info.identity is None:
        rebind(machine, call.node.func.value, moved, call.frame, call.store)
    return moved


def parameter(value: Value, store: Store) -> Value:
    """One parameter of a module, as the tensor it is."""
    on_device = value.payload.place is Place.XLA
    recorded = store.state.engine.parameters if on_device else NOTHING
    if value.payload.place is Place.HOST:
        return HOST
    reduced = on_device and store.state.engine.parameters_reduced
    return Value(Kind.TENSOR, on_device, recorded, reduced=reduced)


def placed(value: Value, owner: Module) -> Value:
    """A module or tensor that belongs to `owner`: it lives where `owner` lives."""
    if value.kind is Kind.MODULE and value.payload.place is Place.HOST:
        return value._replace(payload=value.payload._replace(place=owner.place))
    if value.kind is Kind.CONTAINER:
        payload: Container = value.payload
        items = None if payload.items is None else tuple(placed(item, owner) for item in payload.items)
        return value._replace(payload=payload._replace(items=items, element=placed(payload.element, owner)))
    return value
