"""Methods of library objects, by kind of receiver."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Final

from xlalint.analysis.binding import is_on_cpu, rebind
from xlalint.analysis.call import Call
from xlalint.analysis.library.compiling import compile_in_place
from xlalint.analysis.library.containers import container_method, loader_method
from xlalint.analysis.library.devices import device_of
from xlalint.analysis.library.foreign import is_of_numpy, of_numpy
from xlalint.analysis.library.loaders import BATCH, rows_taken
from xlalint.analysis.library.modules import as_tensor, module_method, parameter, part_by_method
from xlalint.analysis.library.optimizers import optimizer_method, scaler_method
from xlalint.analysis.library.tensors import tensor_method
from xlalint.analysis.machine import Machine
from xlalint.analysis.payloads import (
    COUNTER,
    Iterated,
    Loader,
    Method,
    Module,
    OnHost,
    Opening,
    Opens,
    Parameters,
    Plateau,
    Rows,
    StateDict,
    constant,
    container,
    container_of,
    drawn_of,
    elements,
    has_effect,
    literal,
    made_up,
    met_at,
    taken_from,
    uneven_of,
    unknown_from,
)
from xlalint.analysis.scopes import enter_scope, leave_scope
from xlalint.analysis.separate_reads import note_numbers, shows_numbers
from xlalint.analysis.unknown import call_unknown
from xlalint.analysis.work import read_into_host
from xlalint.knowledge import functions
from xlalint.knowledge.methods import COMPILES, METHODS, MOVES
from xlalint.knowledge.operations import INTO_HOST, VIEWS_OF_HOST, Operation, operation_of
from xlalint.lazy.assumptions import MOVES as IS_MOVED
from xlalint.lazy.assumptions import assume, both
from xlalint.lazy.events import Reading
from xlalint.lazy.scopes import Scope
from xlalint.lazy.values import (
    HEAVY,
    HOST,
    NONE,
    NOTHING,
    UNKNOWN,
    XLA,
    Kind,
    Place,
    Role,
    Tensor,
    Value,
    Weight,
    varying,
)
from xlalint.program.outline import dotted, within
from xlalint.writing import written

MethodOf = Callable[[Machine, Value, str, Call], Value]


def call_method(machine: Machine, method: Method, call: Call) -> Value:
    """Call a method of a library object."""
    handler = HANDLERS.get(method.receiver.kind, _unknown_method)
    return handler(machine, method.receiver, method.name, call)


def _module_method(machine: Machine, receiver: Value, name: str, call: Call) -> Value:
    if METHODS[Kind.MODULE].get(name) == "compile":
        return compile_in_place(machine, receiver, call)
    return module_method(machine, receiver, name, call)


def _scope_method(machine: Machine, receiver: Value, name: str, call: Call) -> Value:
    """A scope is entered or left without `with`: by a stack of scopes, or by its own methods."""
    opening, effect = receiver.payload, METHODS[Kind.SCOPE].get(name)
    if effect == "enter":
        is_stack = isinstance(opening, Opening) and opening.effect is Opens.STACK
        given = call.argument(0, "cm") if is_stack else None
        opening = given.payload if given is not None else None
    if not isinstance(opening, Opening) or opening.scope is None:
        return UNKNOWN
    if effect in ("enter", "enter itself"):
        enter_scope(Scope(opening.scope, call.site), opening.spelling, call.frame, call.store)
    elif effect == "leave itself":
        entered = [scope for scope in call.store.state.scopes.open if scope.kind is opening.scope]
        if entered:
            leave_scope(entered[-1], opening.spelling, call.frame, call.store)
    return UNKNOWN


def _parameters_method(machine: Machine, receiver: Value, name: str, call: Call) -> Value:
    assert isinstance(receiver.payload, Parameters)
    one = parameter(receiver.payload, call.store)
    if receiver.assumes:
        one = one._replace(assumes=both(one.assumes, receiver.assumes))
    if one.kind is not Kind.TENSOR:
        return _host_method(machine, one, name, call)
    return tensor_method(machine, one, name, call)


def _state_dict_method(machine: Machine, receiver: Value, name: str, call: Call) -> Value:
    held = receiver.payload
    if not isinstance(held, StateDict) or held.place is not Place.XLA:
        return UNKNOWN
    one = parameter(Parameters((), Place.XLA), call.store)
    match METHODS[Kind.CONTAINER].get(name):
        case "items":
            return container_of(container([HOST, one]))
        case "elements":
            return container_of(one)
        case "get":
            return one
        case "same":
            return receiver
        case _:
            return UNKNOWN


def _of_text(receiver: Value, name: str, call: Call) -> Value | None:
    """What a method tells of a known text, or parts it into: `name.lower()`, `path.rpartition(".")`."""
    text, given = literal(receiver), [literal(value) for value in call.values]
    if name not in _OF_TEXTS or not isinstance(text, str) or call.open_ended or None in given:
        return None
    try:
        told = getattr(text, name)(*given)
    except (TypeError, ValueError):
        return None
    value = container([*map(constant, told)]) if isinstance(told, tuple | list) else constant(told)
    return value._replace(assumes=receiver.assumes)


_OF_TEXTS: Final = frozenset({
    "lower", "startswith", "endswith", "partition", "rpartition", "split", "rsplit",
})  # fmt: skip


def _host_method(machine: Machine, receiver: Value, name: str, call: Call) -> Value:
    if (told := _of_text(receiver, name, call)) is not None:
        return told
    if (begins := _begins_with_device(receiver, name, call)) is not None:
        return begins
    effect = METHODS[Kind.HOST].get(name)
    if effect == "move":
        given = call.argument(0, "device")
        device = device_of(given)
        if given is not None and device.type == XLA:
            call.frame.model.use_device(call.store.state, call.spelling, call.site)
            if taken_from(receiver) and not given.assumes:
                call.frame.model.move_batch(call.store.state)
            moved = Value(Kind.TENSOR, given.assumes, differs=receiver.differs)
            if (uneven := uneven_of(receiver)) is None:
                return moved
            if uneven.padded is not None:
                call.frame.model.take_padded(call.store.state, uneven.padded, call.site)
                return moved
            call.frame.model.vary_shape(call.store.state, moved, uneven.by, call.spelling, call.site)
            return varying(moved, uneven.by)
        return receiver if device.type or uneven_of(receiver) else UNKNOWN
    other = call.argument(0, "tensor")
    if effect == "move to other" and other is not None and other.kind is Kind.TENSOR:
        return call.record((other,), Weight.LIGHT)
    if effect == "show":
        for value in call.values:
            call.read(value, Reading.TEXT)
        if shows_numbers(literal(receiver), call.values):
            note_numbers(call.values, call.spelling, call.site, call.frame)
    elif name == "step" and isinstance(receiver.payload, Plateau):
        for value in call.values[:1]:
            call.read(value, Reading.SCALAR)
        return NONE
    elif (
        name in INTO_HOST
        and other is not None
        and other.kind is Kind.TENSOR
        and call.node is not None
        and is_on_cpu(machine, receiver, call.frame)
    ):
        read_into_host(call.node, other, call.frame, call.store)
        return receiver._replace(differs=receiver.differs or other.differs)
    elif receiver.kind is Kind.HOST and any(value.kind is Kind.TENSOR for value in call.values):
        return call_unknown(machine, call)
    differs = receiver.differs or any(value.differs for value in call.values)
    if name == "item" and taken_from(receiver) and call.store.state.scopes.in_loop:
        return COUNTER._replace(differs=differs)
    if operation_of(name) is Operation.HOST:
        return Value(Kind.HOST, differs=differs)
    held = uneven_of(receiver) if name in VIEWS_OF_HOST else drawn_of(receiver) if name == "item" else None
    result = Value(Kind.HOST, differs=differs, payload=held or taken_from(receiver) or made_up(receiver))
    return of_numpy(result) if is_of_numpy(receiver, name) else result


def _unknown_method(machine: Machine, receiver: Value, name: str, call: Call) -> Value:
    if isinstance(receiver.payload, Iterated) and METHODS[Kind.LOADER].get(name) == "show":
        return loader_method(machine, receiver, name, call)  # of a progress bar
    if (begins := _begins_with_device(receiver, name, call)) is not None:
        return begins
    if operation_of(name) is Operation.READ and not call.values:
        call.read(receiver, Reading.EXPLICIT)
        if name == "item":
            call.frame.model.read_perhaps(call.store.state)
        return _on_host(receiver) if name in MOVES else unknown_from(receiver)
    match METHODS[Kind.UNKNOWN].get(name):
        case "move" if (device := device_of(given := call.argument(0, "device")).type) and given is not None:
            if call.node is not None and call.node is call.frame.discarded:
                # Moving a tensor gives another one, which nobody would throw away: this is a module.
                place = Place.XLA if device == XLA else Place.HOST
                module = Value(Kind.MODULE, given.assumes, payload=met_at(call.site, place))
                rebind(machine, call.node.func.value, module, call.frame, call.store)  # type: ignore[attr-defined]
                return module
            if device != XLA:
                return _on_host(receiver) if device == "cpu" else call_unknown(machine, call)
            return Value(
                Kind.TENSOR,
                given.assumes or assume(f"`{call.spelling}` {IS_MOVED}"),
                differs=True,
                payload=Tensor(Role.PERHAPS_MODULE),
            )
        case "backward":
            call.frame.model.backward(call.store.state, call.site, sure=False)
            _trained_on_xla(machine, call)
            return NONE
        case "zero gradients":
            call.frame.model.zero_gradients(call.store.state)
            return NONE
        case "load state":
            call.frame.model.load_weights(call.store.state)
            return UNKNOWN
        case "of a module" if not call.values and isinstance(function := call.function, ast.Attribute):
            # Nothing but a module has such a method.
            place = Place.HOST if isinstance(receiver.payload, OnHost) else Place.UNKNOWN
            is_part = part_by_method(machine, call) is not None  # it moves with the whole, by that one's name
            held = Module((), place) if is_part else met_at(call.site, place)
            module = Value(Kind.MODULE, payload=held)
            rebind(machine, function.value, module, call.frame, call.store)
            return module_method(machine, module, name, call)
        case "state of a part" if (part := part_by_method(machine, call, clause="is a module")) is not None:
            return module_method(machine, part, name, call)
        case "save of a part" if (part := part_by_method(machine, call)) is not None:
            return module_method(machine, part, name, call)
        case "device loader":
            return Value(Kind.LOADER, payload=Loader(BATCH, True, True))
        case "rows of a range" if (count := rows_taken(machine, call, 0, "indices")) is not None:
            return Value(Kind.HOST, differs=receiver.differs, payload=Rows(count, given=True))
        case "report":
            writes = assume(f"`{call.spelling}` writes numbers to a file")
            for given in call.values:
                for each in elements(given) or (given,):
                    if (value := as_tensor(each, call.store)).kind is Kind.TENSOR:
                        written_down = value._replace(assumes=both(each.assumes, writes))
                        call.read(written_down, Reading.EXPLICIT)
            return call_unknown(machine, call)
        case _ if name == COMPILES and "backend" in call.keywords:
            return compile_in_place(machine, receiver, call)  # nothing but a module takes one
        case _:
            return call_unknown(machine, call)


def _on_host(receiver: Value) -> Value:
    return receiver._replace(payload=OnHost())


def _trained_on_xla(machine: Machine, call: Call) -> None:
    """What backward starts from is taken to be on the device where torch_xla steps the optimizer."""
    function, starts, store = call.frame.function, call.function, call.store
    if function is None or isinstance(function.node, ast.Lambda) or _STEPS.isdisjoint(function.attributes()):
        return
    if not isinstance(starts, ast.Attribute) or not (loss := dotted(starts.value)):
        return
    steps = (
        machine.evaluate(inner, call.frame, store)
        for inner in within(function.node)
        if isinstance(inner, ast.Attribute) and inner.attr in _STEPS and isinstance(inner.value, ast.Name)
    )
    if any(has_effect(step, _XLA_STEP) for step in steps):
        heavy = HEAVY if call.frame.model.records(store.state) else NOTHING
        on_device = Value(Kind.TENSOR, assume(f"`{loss}` is on an XLA device"), heavy, differs=True)
        rebind(machine, starts.value, on_device, call.frame, store)


_XLA_STEP: Final = "xla optimizer step"
_STEPS: Final = functions.names_of(_XLA_STEP)


def _begins_with_device(receiver: Value, name: str, call: Call) -> Value | None:
    """Whether what is called a device begins with the word for one: with that of XLA's, as it runs there."""
    if name != "startswith" or receiver.payload is not None or not isinstance(call.function, ast.Attribute):
        return None
    asked = literal(call.argument(0, "prefix"))
    if not isinstance(asked, str) or not functions.NAMES_DEVICE.search(written(call.function.value)):
        return None
    word = asked.lower().rstrip(":")
    if word in functions.XLA_DEVICES:
        return constant(True)
    return constant(False) if word in functions.OTHER_DEVICES else None


def _device_method(machine: Machine, receiver: Value, name: str, call: Call) -> Value:
    """A method of the text of a device: whether it begins with a type is known."""
    asked = literal(call.argument(0, "prefix"))
    device = device_of(receiver).type
    if METHODS[Kind.DEVICE].get(name) == "begins" and isinstance(asked, str) and asked and device:
        if device.startswith(asked):
            return constant(True)
        if not asked.startswith(device):
            return constant(False)
    return receiver if METHODS[Kind.DEVICE].get(name) == "same" else HOST


HANDLERS: Final[dict[Kind, MethodOf]] = {
    Kind.TENSOR: tensor_method,
    Kind.MODULE: _module_method,
    Kind.OPTIMIZER: optimizer_method,
    Kind.SCALER: scaler_method,
    Kind.LOADER: loader_method,
    Kind.CONTAINER: container_method,
    Kind.SCOPE: _scope_method,
    Kind.PARAMETERS: _parameters_method,
    Kind.STATE_DICT: _state_dict_method,
    Kind.DEVICE: _device_method,
    Kind.HOST: _host_method,
    Kind.CONSTANT: _host_method,
    Kind.ORDINAL: _host_method,
}
"""How methods are called, by kind of receiver; those of other kinds are unknown."""
