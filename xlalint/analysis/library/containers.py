"""Methods of containers, and of what is iterated."""

from __future__ import annotations

import ast
from functools import partial

from xlalint.analysis.binding import MOST_APPENDED, element, joined, rebind, with_entries
from xlalint.analysis.call import Call
from xlalint.analysis.library.iteration import drawn
from xlalint.analysis.machine import Machine
from xlalint.analysis.payloads import (
    Container,
    Counter,
    Method,
    callable_value,
    constant,
    container,
    container_of,
    each_of,
    literal,
)
from xlalint.analysis.unknown import call_unknown
from xlalint.knowledge.methods import METHODS, TAKING_OUT
from xlalint.lazy.events import Reading
from xlalint.lazy.values import HOST, NONE, UNKNOWN, Kind, Value
from xlalint.lazy.values import join as join_values
from xlalint.program.outline import dotted, within
from xlalint.remembering import remembered


def loader_method(machine: Machine, receiver: Value, name: str, call: Call) -> Value:
    """A method of a loader, or of a progress bar around one."""
    match METHODS[Kind.LOADER].get(name):
        case "show":
            for value in call.values:
                call.read(value, Reading.TEXT)
            return NONE
        case "same":
            return receiver
        case "next":
            return drawn(receiver, call)
        case _:
            return HOST


def container_method(machine: Machine, receiver: Value, name: str, call: Call) -> Value:
    """A method of a list, tuple, set or dict."""
    held = receiver.payload
    assert isinstance(held, Container)
    match METHODS[Kind.CONTAINER].get(name):
        case "add" | "add all" as how:
            if name == "update" and held.keys is not None:
                _change(machine, _updated(receiver, call), call)
                return NONE
            given = call.arguments[-1] if call.arguments else UNKNOWN
            added = _values_of(given) if how == "add all" else given
            if held.element.history and added.history:
                call.frame.model.keep_history(call.store.state, held.element, added, call.spelling, call.site)
            _change(machine, _with(held, added, name, call), call)
            return NONE
        case "set default":
            return _set_default(machine, held, call)
        case "get":
            key, default = literal(call.argument(0)), call.argument(1)
            keys = held.keys if held.keys or held.items == () else None  # without any, all may be in it
            lacks = keys is not None and isinstance(key, str) and key not in keys and None not in keys
            if default is not None and lacks:
                return default
            return held.under(key)
        case "items":
            if held.items and held.keys:
                pairs = [
                    container([HOST if key is None else constant(key), item])
                    for key, item in zip(held.keys, held.items, strict=True)
                ]
                return container(pairs)
            return container_of(container([HOST, held.element]))
        case "elements":
            return container(list(held.items)) if held.items else container_of(held.element)
        case "host":
            return HOST
        case "same":
            return receiver
        case "nothing":
            return NONE
        case "clear":
            if held.length is not None:
                _change(machine, container([]), call)
            return NONE
        case "move" if held.keys is not None:  # of a tokenizer: no dict of Python's moves
            return _moved(machine, held, name, call)
        case _:
            return call_unknown(machine, call)


def _set_default(machine: Machine, held: Container, call: Call) -> Value:
    """What a dict has under a key, which it is given if it has none."""
    key, given = literal(call.argument(0)), call.argument(1) or NONE
    if held.keys is not None and key in held.keys:
        return held.under(key)
    if isinstance(key, str) and held.items is not None and (held.keys or not held.items):
        _change(machine, container([*held.items, given], (*(held.keys or ()), key)), call)
        return given
    kept = given if held.items == () else join_values(held.element, given)
    _change(machine, container_of(kept, keyed=held.keys is not None), call)
    return kept


def _moved(machine: Machine, held: Container, name: str, call: Call) -> Value:
    """A mapping of tensors, all of which are moved."""
    return Value(
        Kind.CONTAINER,
        payload=held.map(lambda value: machine.invoke(callable_value(Method(value, name)), call)),
    )


def _with(held: Container, given: Value, name: str, call: Call) -> Value:
    """The container with one more element."""
    if (
        held.items is not None
        and held.keys is None
        and name == "append"
        and len(held.items) < MOST_APPENDED
        and not call.store.state.scopes.in_loop
    ):
        return container([*held.items, given])
    if name == "extend" and not call.store.state.scopes.in_loop:
        both = joined(held, call.arguments[-1]) if call.arguments else None
        if both is not None:
            return both
    added = given if held.items == () else each_of([held.element, given])
    longer = container_of(added, keyed=held.keys is not None)
    in_loop = call.store.state.scopes.in_loop
    made = longer.payload
    if not in_loop or name != "append" or not isinstance(made, Container) or _is_taken_out_of(call):
        return longer
    length = (held.length or Counter(begun=call.site)).counted(call.site, in_loop=in_loop)
    return longer._replace(payload=made._replace(length=length))


def _is_taken_out_of(call: Call) -> bool:
    """Whether a program takes something out again of what it appends to, so that it does not grow in each
    round: in the same function, or in any of the file where an object holds it."""
    if call.node is None or not isinstance(call.node.func, ast.Attribute):
        return False
    name, function = dotted(call.node.func.value), call.frame.function
    is_local = function is not None and "." not in name
    around = function.node if function is not None and is_local else call.frame.outline.tree
    return bool(name) and name in _taken_out_of(around)


@remembered(1024)
def _taken_out_of(around: ast.AST) -> frozenset[str]:
    """The names of lists that something is taken out of."""
    found: set[str] = set()
    for each in within(around):
        match each:
            case ast.Call(func=ast.Attribute(value=held, attr=name)) if name in TAKING_OUT:
                found.add(dotted(held))
            case ast.Delete(targets=targets):
                found.update(dotted(target.value) for target in targets if isinstance(target, ast.Subscript))
    return frozenset(found)


def _updated(receiver: Value, call: Call) -> Value:
    """A dict with the entries of those that are given, and with what is given by name."""
    named = container([*call.keywords.values()], tuple(call.keywords))
    for given in (*call.arguments, *map(partial(container_of, keyed=True), call.spread), named):
        if isinstance(held := receiver.payload, Container):
            receiver = with_entries(held, given)
    return receiver


def _values_of(given: Value) -> Value:
    """What a container takes over from another: a dict gives its values, too."""
    return given.payload.element if isinstance(given.payload, Container) else element(given)


def _change(machine: Machine, changed: Value, call: Call) -> None:
    function = call.function
    if isinstance(function, ast.Attribute):
        rebind(machine, function.value, changed, call.frame, call.store)
