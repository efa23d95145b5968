"""Which calls surely raise: those that do not fit the function they call, or join tensors of two devices."""

from __future__ import annotations

import ast

from xlalint.analysis.call import Call
from xlalint.analysis.machine import Machine
from xlalint.analysis.outline import Class, Function
from xlalint.analysis.payloads import Bound, Classes, Container, Namespace, Rows, Targets
from xlalint.knowledge import functions
from xlalint.lazy.values import Kind, Value


def raises(machine: Machine, callee: Value, call: Call) -> bool:
    """Whether a call surely raises.

    It does not fit: a parameter gets nothing, or there are too many, or none of that name. Or it joins a
    tensor on the host to one on the device.
    """
    match callee.payload:
        case Targets((Bound(function=function) as bound,)):
            own = bound.receiver is not None and not function.is_static
            return not _fits(function, call, own=own)
        case Classes((Class() as cls,)):
            makes = machine.classes.find_method(cls, "__init__")
            if makes is None or cls.node.keywords or cls.node.decorator_list:
                return False
            return machine.classes.find_method(cls, "__new__") is None and not _fits(makes, call, own=True)
        case Namespace(name=name) if name in functions.JOINING:
            return _joins_devices(call) and not machine.mentions(
                call.frame.outline, functions.DEFAULT_DEVICES
            )
    return False


def _joins_devices(call: Call) -> bool:
    """Whether a tensor that was made on the host is joined to one on the device."""
    held = call.arguments[0].payload if call.arguments else None
    items = held.items if isinstance(held, Container) and held.items is not None else ()
    on_device = any(item.kind is Kind.TENSOR and item.sure for item in items)
    return on_device and any(isinstance(item.payload, Rows) for item in items)


def _fits(function: Function, call: Call, *, own: bool) -> bool:
    arguments = function.node.args
    outlines = (function.outline, call.frame.outline)
    if any(outline.is_framework for outline in outlines) or function.decorators:
        return True  # of one release: programs may be for another one
    if _is_open(call) or _by_class(call):
        return True
    positional, annotations, by_default = function.parameters
    given = len(call.arguments) + own
    if given > len(positional) and arguments.vararg is None:
        return False
    named = {*positional[:given], *call.keywords}
    if arguments.kwarg is None and not named <= annotations.keys():
        return False
    return all(name in named or name in by_default for name in annotations)


def _is_open(call: Call) -> bool:
    """Whether what is given hangs on what `*` or `**` stands for."""
    if call.open_ended or call.node is None:
        return True
    return any(isinstance(each, ast.Starred) for each in call.node.args) or any(
        keyword.arg is None for keyword in call.node.keywords
    )


def _by_class(call: Call) -> bool:
    """Whether a method is asked for of the class: `cls.set_up(cls)`."""
    if not isinstance(call.node, ast.Call):
        return False
    asked = call.node.func
    return isinstance(asked, ast.Attribute) and isinstance(asked.value, ast.Name) and asked.value.id == "cls"
