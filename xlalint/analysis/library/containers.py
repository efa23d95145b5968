"""Methods of containers and of what is iterated."""

from __future__ import annotations

import ast

from xlalint.analysis.binding import element, rebind
from xlalint.analysis.call import Call
from xlalint.analysis.machine import Machine
from xlalint.analysis.payloads import (
    Container,
    container,
    container_of,
)
from xlalint.analysis.unknown import call_unknown
from xlalint.lazy.events import Reading
from xlalint.lazy.values import (
    HOST,
    NONE,
    UNKNOWN,
    Kind,
    Value,
)
from xlalint.lazy.values import join as join_values


def loader_method(machine: Machine, receiver: Value, name: str, call: Call) -> Value:
    if name in ("set_postfix", "set_description", "set_postfix_str", "write"):
        for value in call.values:
            call.read(value, Reading.TEXT)
        return NONE
    if name in ("__iter__", "per_device_loader"):
        return receiver
    return HOST


def container_method(machine: Machine, receiver: Value, name: str, call: Call) -> Value:
    payload: Container = receiver.payload
    node = (
        call.node.func.value if call.node is not None and isinstance(call.node.func, ast.Attribute) else None
    )
    if name in ("append", "add", "insert", "appendleft", "extend", "update", "setdefault"):
        given = call.arguments[-1] if call.arguments else UNKNOWN
        if name in ("extend", "update"):
            given = element(given)
        empty = payload.items == ()
        changed = container_of(given if empty else join_values(payload.element, given))
        if (
            payload.items is not None
            and payload.keys is None
            and name == "append"
            and len(payload.items) < 8
            and not call.store.state.scopes.in_loop
        ):
            changed = container([*payload.items, given])
        if node is not None:
            rebind(machine, node, changed, call.frame, call.store)
        return NONE
    if name in ("get", "pop", "popleft", "__getitem__"):
        key = call.argument(0)
        wanted = key.payload.value if key is not None and key.kind is Kind.CONSTANT and key.payload else None
        if payload.keys is not None and payload.items is not None and wanted in payload.keys:
            return payload.items[payload.keys.index(wanted)]
        return payload.element
    if name in ("items", "values"):
        each = container([HOST, payload.element]) if name == "items" else payload.element
        return container_of(each)
    if name in ("keys", "index", "count", "join"):
        return HOST
    if name == "copy":
        return receiver
    if name in ("clear", "reverse", "sort", "remove"):
        return NONE
    return call_unknown(machine, call)
