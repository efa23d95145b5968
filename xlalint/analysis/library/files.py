"""Saving to files."""

from __future__ import annotations

from xlalint.analysis.call import Call
from xlalint.analysis.machine import Effect, Machine
from xlalint.analysis.payloads import (
    Container,
    Module,
    StateDict,
)
from xlalint.lazy.values import (
    NONE,
    NOTHING,
    UNKNOWN,
    Kind,
    Place,
    Recorded,
    Value,
    Weight,
)


def _xla_save(machine: Machine, call: Call) -> Value:
    return _save(call, by_xla=True)


def _plain_save(machine: Machine, call: Call) -> Value:
    return _save(call, by_xla=False)


def _save(call: Call, *, by_xla: bool) -> Value:
    data = call.argument(0, "data") or call.argument(0, "obj") or UNKNOWN
    recorded, on_device = _saved(data, call.store.state.engine.parameters)
    call.frame.model.save(
        call.store.state, call.spelling, data, recorded, call.site,
        by_xla=by_xla, on_device=on_device, of_parameters=_holds_parameters(data),
    )  # fmt: skip
    return NONE


def _holds_parameters(value: Value) -> bool:
    held = value.payload
    if isinstance(held, Container):
        return any(map(_holds_parameters, held.items or ()))
    return isinstance(held, StateDict | Module) and held.place is Place.XLA


def _saved(value: Value, parameters: Recorded) -> tuple[Recorded, bool]:
    """What is recorded on a value that is saved, and whether it surely holds device tensors."""
    if value.kind is Kind.TENSOR:
        return value.recorded, value.sure
    recorded, on_device = NOTHING, False
    match value.payload:
        case StateDict(place) | Module(place=place):
            on_device = place is Place.XLA
            recorded = parameters if on_device else Recorded(Weight.NONE, parameters.may)
        case Container(items):
            for item in items or ():
                its, is_on_device = _saved(item, parameters)
                recorded = Recorded(max(recorded.must, its.must), max(recorded.may, its.may))
                on_device = on_device or is_on_device
    return recorded, on_device


EFFECTS: dict[str, Effect] = {
    "xla save": _xla_save,
    "save": _plain_save,
}
