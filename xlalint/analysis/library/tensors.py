"""Methods of device tensors."""

from __future__ import annotations

import ast

from xlalint.analysis.binding import rebind
from xlalint.analysis.call import Call
from xlalint.analysis.library.devices import device_of
from xlalint.analysis.machine import Machine
from xlalint.analysis.payloads import (
    Parameters,
    StateDict,
    container,
    container_of,
)
from xlalint.analysis.work import read, record
from xlalint.knowledge import methods
from xlalint.lazy.events import Reading
from xlalint.lazy.values import (
    HOST,
    NONE,
    UNKNOWN,
    Kind,
    Place,
    Role,
    Value,
    Weight,
)


def tensor_method(machine: Machine, receiver: Value, name: str, call: Call) -> Value:
    frame, store, site = call.frame, call.store, call.site
    if name in methods.EXPLICIT_READS:
        if receiver.role is Role.PERHAPS_MODULE and name == "cpu":
            return UNKNOWN
        return read(receiver, Reading.EXPLICIT, call, site, frame, store)
    if name == "to":
        return _move_tensor(receiver, call)
    if name == "backward":
        frame.model.backward(store.state, site)
        _is_a_tensor(machine, receiver, call)
        return NONE
    if name in methods.BOOL_READS:
        return read(receiver, Reading.BOOL, call, site, frame, store)
    if name == "type" and call.values:  # a cast; without arguments a name
        return record((receiver,), Weight.LIGHT, site, frame, store)
    if name in methods.FOREIGN_METHODS:
        return HOST
    if name in methods.HOST_METHODS or name.startswith("is_"):
        return receiver if name.endswith("_") else HOST
    if name in ("cuda", "xla", "detach", "detach_"):
        return receiver
    if not receiver.sure and name not in _COMMON_TENSOR_METHODS:
        if name in methods.MODULE_METHODS:
            return receiver
        if name == "parameters":
            return Value(Kind.PARAMETERS, payload=Parameters(None, Place.UNKNOWN))
        if name == "state_dict":
            return Value(Kind.STATE_DICT, False, payload=StateDict(Place.UNKNOWN))
        if name == "items" and not call.values:
            return container_of(container([HOST, receiver]))  # a mapping, whatever it is
        if name == "keys" and not call.values:
            return container_of(HOST)
        if name == "values" and not call.values:
            return container_of(receiver)
        return record((receiver,), Weight.HEAVY, site, frame, store)._replace(sure=False)
    weight = Weight.HEAVY if name in methods.HEAVY_METHODS else Weight.LIGHT
    inputs = [receiver, *(v for v in call.values if v.kind is Kind.TENSOR)]
    result = record(inputs, weight, site, frame, store)
    if name.endswith("_") and not name.endswith("__") and call.node is not None:
        function = call.node.func
        if isinstance(function, ast.Attribute):
            rebind(machine, function.value, result, frame, store)
    return result


def _is_a_tensor(machine: Machine, receiver: Value, call: Call) -> None:
    """What an unknown callee made of device values, and backward starts from, is a tensor there."""
    function = call.node.func if call.node is not None else None
    if (
        isinstance(function, ast.Attribute)
        and isinstance(function.value, ast.Name)
        and not receiver.sure
        and receiver.recorded.must is Weight.HEAVY
        and receiver.role is not Role.PERHAPS_MODULE
    ):
        rebind(machine, function.value, receiver._replace(sure=True), call.frame, call.store)


def _move_tensor(receiver: Value, call: Call) -> Value:
    target = call.argument(0, "device")
    if target is not None:
        device = device_of(target)
        if device.payload.type == "cpu":
            return call.read(receiver, Reading.EXPLICIT)
        if device.payload.type == "xla" or target.kind is Kind.TENSOR:
            return receiver
    if target is not None and target.kind is Kind.NAMESPACE:  # a dtype
        return call.record((receiver,), Weight.LIGHT)
    return receiver


_COMMON_TENSOR_METHODS = frozenset({
    "mean", "sum", "float", "half", "long", "int", "bool", "argmax", "argmin", "max", "min", "eq", "ne",
    "lt", "gt", "view", "reshape", "squeeze", "unsqueeze", "transpose", "permute", "contiguous",
    "clone", "mul_", "add_", "div_", "mul", "add", "sub", "div", "pow", "sqrt", "exp", "log", "any",
    "all", "isnan", "isfinite", "expand", "repeat", "flatten", "norm", "type_as", "masked_fill",
    "masked_fill_", "softmax", "log_softmax", "sigmoid", "tanh", "relu", "scatter", "scatter_",
    "gather", "index_select", "clamp", "clamp_", "fill_", "zero_", "copy_", "data", "topk", "bfloat16",
    "double", "t", "abs", "neg", "cumsum", "chunk", "split", "new_zeros", "new_ones", "new_full",
})  # fmt: skip
