"""Devices."""

from __future__ import annotations

from xlalint.analysis.call import Call
from xlalint.analysis.machine import Effect, Machine
from xlalint.analysis.payloads import (
    DEVICE_HOST,
    DEVICE_UNKNOWN,
    DEVICE_XLA,
    Device,
    container_of,
)
from xlalint.lazy.values import (
    HOST,
    Kind,
    Value,
)


def _xla_device(machine: Machine, call: Call) -> Value:
    return DEVICE_XLA


def _xla_devices(machine: Machine, call: Call) -> Value:
    return container_of(DEVICE_XLA)


def _hardware(machine: Machine, call: Call) -> Value:
    return HOST


def _device(machine: Machine, call: Call) -> Value:
    return device_of(call.argument(0, "device"))


def device_of(value: Value | None) -> Value:
    """The device that a value names; of unknown sort when it is not known to be one."""
    if value is None:
        return DEVICE_UNKNOWN
    if value.kind is Kind.DEVICE:
        return value
    if value.kind is Kind.CONSTANT and value.payload and isinstance(value.payload.value, str):
        name = value.payload.value
        if name.startswith("xla"):
            return DEVICE_XLA
        if name.startswith("cpu"):
            return DEVICE_HOST
        return Value(Kind.DEVICE, payload=Device(name.partition(":")[0]))
    return DEVICE_UNKNOWN


def _to_device(machine: Machine, call: Call) -> Value:
    return container_of(Value(Kind.TENSOR))


EFFECTS: dict[str, Effect] = {
    "xla device": _xla_device,
    "xla devices": _xla_devices,
    "hardware": _hardware,
    "device": _device,
    "to device": _to_device,
}
