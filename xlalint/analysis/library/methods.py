"""Methods of library objects, by kind of receiver."""

from __future__ import annotations

from collections.abc import Callable

from xlalint.analysis.call import Call
from xlalint.analysis.library.containers import container_method, loader_method
from xlalint.analysis.library.devices import device_of
from xlalint.analysis.library.loaders import BATCH
from xlalint.analysis.library.modules import module_method, parameter
from xlalint.analysis.library.optimizers import optimizer_method, scaler_method
from xlalint.analysis.library.tensors import tensor_method
from xlalint.analysis.machine import Machine
from xlalint.analysis.payloads import (
    Loader,
    Method,
    Opening,
    Opens,
    unknown_from,
)
from xlalint.analysis.scopes import enter_scope
from xlalint.analysis.unknown import call_unknown
from xlalint.knowledge import methods
from xlalint.lazy.events import Reading
from xlalint.lazy.state import (
    Scope,
)
from xlalint.lazy.values import (
    NONE,
    UNKNOWN,
    Kind,
    Role,
    Tensor,
    Value,
)


def call_method(machine: Machine, method: Method, call: Call) -> Value:
    """Call a method of a library object."""
    receiver, name = method.receiver, method.name
    return METHODS.get(receiver.kind, _unknown_method)(machine, receiver, name, call)


def _scope_method(machine: Machine, receiver: Value, name: str, call: Call) -> Value:
    given = call.argument(0, "cm")
    is_stack = isinstance(receiver.payload, Opening) and receiver.payload.effect is Opens.STACK
    if is_stack and name in ("enter_context", "enter_async_context") and given is not None:
        opening = given.payload
        if given.kind is Kind.SCOPE and isinstance(opening, Opening) and opening.scope is not None:
            enter_scope(Scope(opening.scope, call.site), opening.spelling, call.frame, call.store)
    return UNKNOWN


def _parameters_method(machine: Machine, receiver: Value, name: str, call: Call) -> Value:
    one = parameter(receiver, call.store)
    if one.kind is not Kind.TENSOR:
        return _host_method(machine, one, name, call)
    return tensor_method(machine, one, name, call)


def _state_dict_method(machine: Machine, receiver: Value, name: str, call: Call) -> Value:
    return UNKNOWN


def _host_method(machine: Machine, receiver: Value, name: str, call: Call) -> Value:
    if name == "to":
        device = device_of(call.argument(0, "device")).payload.type
        if device == "xla":
            return Value(Kind.TENSOR, differs=receiver.differs)
        return receiver if device == "cpu" else UNKNOWN
    if name in ("format", "join"):
        for value in call.values:
            call.read(value, Reading.TEXT)
    tensors = [v for v in call.values if v.kind is Kind.TENSOR]
    if tensors and receiver.kind is Kind.HOST and name not in ("format", "join"):
        return call_unknown(machine, call)
    return Value(Kind.HOST, differs=receiver.differs or any(v.differs for v in call.values))


def _unknown_method(machine: Machine, receiver: Value, name: str, call: Call) -> Value:
    if name == "to" and device_of(call.argument(0, "device")).payload.type == "xla":
        return Value(Kind.TENSOR, False, differs=True, payload=Tensor(Role.PERHAPS_MODULE))
    if name in methods.EXPLICIT_READS and not call.values:
        call.read(receiver, Reading.EXPLICIT)
        return unknown_from(receiver)
    if name == "backward":
        call.frame.model.backward(call.store.state, call.site, sure=False)
        return NONE
    if name == "per_device_loader":
        return Value(Kind.LOADER, payload=Loader(BATCH, True, True))
    return call_unknown(machine, call)


METHODS: dict[Kind, Callable[[Machine, Value, str, Call], Value]] = {
    Kind.TENSOR: tensor_method,
    Kind.MODULE: module_method,
    Kind.OPTIMIZER: optimizer_method,
    Kind.SCALER: scaler_method,
    Kind.LOADER: loader_method,
    Kind.CONTAINER: container_method,
    Kind.SCOPE: _scope_method,
    Kind.PARAMETERS: _parameters_method,
    Kind.STATE_DICT: _state_dict_method,
    Kind.HOST: _host_method,
    Kind.CONSTANT: _host_method,
    Kind.ORDINAL: _host_method,
}
"""How methods are called, by kind of receiver; those of other kinds are unknown."""
