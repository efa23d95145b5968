"""Saving to files."""

from __future__ import annotations

from typing import NamedTuple

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
    saved = _saved(data, call.store.state.engine.parameters)
    call.frame.model.save(
        call.store.state, call.spelling, data, saved.recorded, call.site,
        by_xla=by_xla, on_device=saved.on_device, of_parameters=saved.of_parameters,
    )  # fmt: skip
    return NONE


class _Saved(NamedTuple):
    """What is saved: the work recorded on it, whether it surely holds device tensors, and a module's."""

    recorded: Recorded = NOTHING
    on_device: bool = False
    of_parameters: bool = False


def _saved(value: Value, parameters: Recorded) -> _Saved:
    if value.kind is Kind.TENSOR:
        return _Saved(value.recorded, value.sure)
    match value.payload:
        case StateDict(Place.XLA) | Module(place=Place.XLA):
            return _Saved(parameters, on_device=True, of_parameters=True)
        case StateDict() | Module():
            return _Saved(Recorded(Weight.NONE, parameters.may))
        case Container(items):
            parts = [_saved(item, parameters) for item in items or ()]
            return _Saved(
                Recorded(
                    max((part.recorded.must for part in parts), default=Weight.NONE),
                    max((part.recorded.may for part in parts), default=Weight.NONE),
                ),
                any(part.on_device for part in parts),
                any(part.of_parameters for part in parts),
            )
    return _Saved()


EFFECTS: dict[str, Effect] = {
    "xla save": _xla_save,
    "save": _plain_save,
}
