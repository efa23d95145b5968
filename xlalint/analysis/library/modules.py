"""Modules: forward, moves, parameters."""

from __future__ import annotations

import ast

from xlalint.analysis.binding import PART, rebind
from xlalint.analysis.call import Call
from xlalint.analysis.library.devices import device_of
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
from xlalint.knowledge.methods import METHODS
from xlalint.lazy import assumptions
from xlalint.lazy.assumptions import assume, both
from xlalint.lazy.values import HOST, NONE, NOTHING, UNKNOWN, Kind, Place, Role, Tensor, Value, Weight
from xlalint.spelling import THE_FRAMEWORK

_ON_DEVICE = assume("these parameters are on the device")

_OF_FRAMEWORK = assume(f"the model of {THE_FRAMEWORK} returns tensors")

_PLACES = {"xla": Place.XLA, "cpu": Place.HOST}


def call_module(machine: Machine, module: Value, call: Call) -> Value:
    """Run a module's forward."""
    info = module.payload
    assert isinstance(info, Module)
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
    if info.place is not Place.XLA and not any(map(holds_tensor, call.values)):
        return unknown_from(*call.values)
    inputs = [value for value in call.values if value.kind is Kind.TENSOR]
    result = call.record(inputs, Weight.HEAVY)
    # A module on the device takes nothing else, and gives nothing else.
    assumes = module.assumes if info.place is Place.XLA else both(result.assumes, module.assumes)
    if not assumes:
        confirm_arguments(machine, call)
    engine = call.store.state.engine
    # Parameters that wait for the other replicas' gradients make all that is computed with them wait.
    reduced = result.reduced or (engine.parameters_reduced and engine.parameters.must is Weight.HEAVY)
    return result._replace(
        differs=result.differs or not inputs,
        assumes=assumes,
        reduced=reduced,
        payload=Tensor(Role.STRUCTURE),
    )


def module_method(machine: Machine, receiver: Value, name: str, call: Call) -> Value:
    """A method of a module."""
    info = receiver.payload
    assert isinstance(info, Module)
    match METHODS[Kind.MODULE].get(name):
        case "move":
            return _move(machine, receiver, info, name, call)
        case "parameters":
            return Value(Kind.PARAMETERS, payload=Parameters(info.identity, info.place))
        case "named parameters":
            parameters = Value(Kind.PARAMETERS, payload=Parameters(info.identity, info.place))
            return container_of(container([HOST, parameters]))
        case "state dict":
            return Value(Kind.STATE_DICT, receiver.assumes, payload=StateDict(info.place))
        case "same":
            return receiver
        case "call":
            return call_module(machine, receiver, call)
        case "zero gradients":
            call.frame.model.zero_gradients(call.store.state)
            return NONE
        case "clip":
            return call.record((Value(Kind.TENSOR),), Weight.HEAVY)
        case "unknown object":
            return UNKNOWN
        case _:
            result = call_unknown(machine, call)
            if info.cls is not None and info.cls.outline.is_framework and result.kind is Kind.TENSOR:
                return result._replace(assumes=_OF_FRAMEWORK)
            return result


def _move(machine: Machine, receiver: Value, info: Module, name: str, call: Call) -> Value:
    if name == "to":
        target = call.argument(0, "device")
        if target is not None and target.kind is Kind.NAMESPACE:
            return receiver  # a dtype
        name = device_of(target).type
    place = _PLACES.get(name, Place.UNKNOWN)
    if place is Place.XLA and info.identity is not None and not machine.swaps_parameters(call.frame.outline):
        call.store.move_module(info.identity, (call.site,))
    moved = receiver._replace(payload=info._replace(place=place))
    if call.node is not None and isinstance(call.node.func, ast.Attribute):
        rebind(machine, call.node.func.value, moved, call.frame, call.store)
    return moved


def parameter(parameters: Parameters, store: Store) -> Value:
    """One parameter of a module, as the tensor it is."""
    if parameters.place is Place.HOST:
        return HOST
    if parameters.place is not Place.XLA:
        return Value(Kind.TENSOR, _ON_DEVICE, NOTHING)
    engine = store.state.engine
    return Value(Kind.TENSOR, recorded=engine.parameters, reduced=engine.parameters_reduced)


def confirm_arguments(machine: Machine, call: Call) -> None:
    """What is given where only a tensor of the device will do is one from here on."""
    for node in call.node.args if call.node is not None else ():
        if isinstance(node, ast.Name):
            value = call.store.names.get(node.id)
            if value is not None and value.kind is Kind.TENSOR and value.assumes == PART:
                rebind(machine, node, value._replace(assumes=assumptions.NONE), call.frame, call.store)


def placed(value: Value, owner: Module) -> Value:
    """A module or tensor that belongs to `owner`: it lives where `owner` lives."""
    held = value.payload
    if isinstance(held, Module):
        # A part moves when the whole does.
        place = owner.place if held.place is Place.HOST else held.place
        return value._replace(payload=held._replace(identity=owner.identity or held.identity, place=place))
    if isinstance(held, Container):
        return value._replace(payload=held.map(lambda item: placed(item, owner)))
    return value
