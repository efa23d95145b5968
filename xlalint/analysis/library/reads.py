"""Functions that read their arguments on the host."""

from __future__ import annotations

from typing import Final

from xlalint.analysis.binding import element, is_idle
from xlalint.analysis.call import Call
from xlalint.analysis.machine import Effect, Machine
from xlalint.analysis.payloads import (
    COUNTER,
    Bound,
    Container,
    Fallback,
    OfAllHosts,
    Target,
    constant,
    container,
    container_of,
    counts,
    drawn_of,
    literal,
    targets,
    unknown_from,
)
from xlalint.analysis.work import note_copy
from xlalint.lazy.events import Reading
from xlalint.lazy.values import (
    HOST,
    Kind,
    Value,
    Weight,
    join_all,
)
from xlalint.program.outline import last_name


def _print(machine: Machine, call: Call) -> Value:
    differs = False
    for value in call.values:
        differs = differs or value.differs
        call.read(value, Reading.TEXT)
    for position, value in enumerate(call.arguments):
        note_copy(call.written("", position), value, call.store)  # its text is made of a copy
    return Value(Kind.HOST, differs=differs)


def _text(machine: Machine, call: Call) -> Value:
    value = call.argument(0)
    if value is not None and value.kind is Kind.DEVICE and len(call.values) == 1:
        return value  # its text says what it is
    return _print(machine, call)


def _to_host(machine: Machine, call: Call) -> Value:
    """A tensor, or what holds tensors, is copied to the host."""
    value = call.argument(0)
    if value is None or value.kind is Kind.STATE_DICT:
        return HOST
    if isinstance(held := value.payload, Container):
        return value._replace(payload=held.map(lambda item: call.read(item, Reading.EXPLICIT)))
    return call.read(value, Reading.EXPLICIT)


def _to_number(machine: Machine, call: Call) -> Value:
    value = call.argument(0)
    if value is None:
        return HOST
    if value.kind is Kind.ORDINAL or isinstance(value.payload, OfAllHosts | Fallback):
        return value
    if (drawn := drawn_of(value, rounded=last_name(call.function) == "int")) is not None:
        return Value(Kind.HOST, differs=value.differs, payload=drawn)
    return call.read_number(value, Reading.SCALAR)


def _to_bool(machine: Machine, call: Call) -> Value:
    value = call.argument(0)
    if value is None:
        return constant(False)
    return call.read(value, Reading.BOOL)


def _range(machine: Machine, call: Call) -> Value:
    read = [call.read_number(value, Reading.INDEX) for value in call.arguments]
    bounds = [literal(value) for value in call.arguments]
    if all(isinstance(bound, int) for bound in bounds) and 0 < len(bounds) <= MOST_BOUNDS:
        count = len(range(*bounds))  # type: ignore[call-overload]
        return container([HOST] * min(count, MOST_COUNTED))
    return COUNTER if any(map(counts, read)) else container_of(HOST)


MOST_BOUNDS: Final = 2
"""A `range` with a step is not counted."""
MOST_COUNTED: Final = 16
"""A `range` is counted up to this: that it is not empty is what matters."""


def compare_by_key(machine: Machine, key: Value, each: Value, call: Call) -> None:
    """What a function makes of each value is compared in its place: tensors are read for that."""
    if key.kind is not Kind.CALLABLE or (is_idle(each) and all(map(_sees_nothing, targets(key)))):
        return
    made = machine.invoke(key, Call(call.frame, call.store, call.site, None, [each]))
    if made.kind is Kind.TENSOR:
        call.read(made, Reading.MATH)


def _sees_nothing(target: Target) -> bool:
    """Whether a function of the project sees nothing around it that the engine has to do with."""
    return isinstance(target, Bound) and all(is_idle(held) for _, held in target.captured)


def _compare(machine: Machine, call: Call) -> Value:
    values = call.arguments
    if len(values) == 1:
        values = [element(values[0])] * 2
    if (key := call.keywords.get("key")) is not None and key.kind is not Kind.NONE and values:
        compare_by_key(machine, key, join_all(values, HOST), call)
        return join_all(values, HOST)
    tensors = [v for v in values if v.kind is Kind.TENSOR]
    if not tensors:
        return (
            Value(Kind.HOST, differs=any(v.differs for v in values), payload=drawn_of(*values))
            if Kind.UNKNOWN not in {v.kind for v in values}
            else unknown_from(*values)
        )
    if len(values) < 2:
        return tensors[0]
    read = max(tensors, key=lambda v: (v.sure, v.recorded.must))
    call.read(read, Reading.MATH)
    return tensors[0]


def _test_elements(machine: Machine, call: Call) -> Value:
    value = call.argument(0)
    if value is not None:
        call.read(value if value.kind is Kind.TENSOR else element(value), Reading.BOOL)
    return HOST


def _sum(machine: Machine, call: Call) -> Value:
    value = call.argument(0)
    if value is None:
        return HOST
    each = element(value)
    if each.kind is Kind.TENSOR:
        return call.record((each,), Weight.LIGHT)
    return each if each.kind is Kind.UNKNOWN else Value(Kind.HOST, differs=each.differs)


EFFECTS: Final[dict[str, Effect]] = {
    "print": _print,
    "text": _text,
    "log": _print,
    "to host": _to_host,
    "to number": _to_number,
    "to bool": _to_bool,
    "range": _range,
    "compare": _compare,
    "test elements": _test_elements,
    "sum": _sum,
}
