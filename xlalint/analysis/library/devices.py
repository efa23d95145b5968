"""Devices."""

from __future__ import annotations

from typing import Final

from xlalint.analysis.call import Call
from xlalint.analysis.machine import Effect, Machine
from xlalint.analysis.payloads import (
    DEVICE_UNKNOWN,
    DEVICE_XLA,
    Device,
    container_of,
    literal,
)
from xlalint.lazy.values import (
    HOST,
    NONE,
    UNKNOWN,
    Kind,
    Value,
)


def _xla_device(machine: Machine, call: Call) -> Value:
    return DEVICE_XLA


def _xla_devices(machine: Machine, call: Call) -> Value:
    return container_of(DEVICE_XLA)


def _profiler_server(machine: Machine, call: Call) -> Value:
    """It asks for the replica's number first, unless it is for all of them."""
    if call.flag("only_on_master", default=True, position=1) is True:
        call.frame.model.use_device(call.store.state, call.spelling, call.site)
    call.frame.model.start_server(call.store.state, call.site)
    return UNKNOWN


def _capture(machine: Machine, call: Call) -> Value:
    call.frame.model.capture(call.store.state, call.site)
    return NONE


def _initialize_cache(machine: Machine, call: Call) -> Value:
    """What each process must have for itself is a path that it writes to."""
    path, reads = call.argument(0, "path"), call.flag("readonly", default=False, position=1)
    shared = path is not None and isinstance(literal(path), str) and reads is False
    call.frame.model.initialize_cache(call.store.state, call.site, shared=shared)
    return NONE


def _hardware(machine: Machine, call: Call) -> Value:
    return HOST


def _device(machine: Machine, call: Call) -> Value:
    given = call.argument(0, "device")
    if given is not None and given.kind is Kind.DEVICE:
        return given
    device = device_of(given)
    return Value(Kind.DEVICE, payload=device) if device.type else DEVICE_UNKNOWN


def device_of(value: Value | None) -> Device:
    """The device that a value names; without a type when it is not known to be one."""
    if value is not None and isinstance(value.payload, Device):
        return value.payload
    named = literal(value)
    return Device(named.partition(":")[0]) if isinstance(named, str) else Device()


def _to_device(machine: Machine, call: Call) -> Value:
    return container_of(Value(Kind.TENSOR))


EFFECTS: Final[dict[str, Effect]] = {
    "xla device": _xla_device,
    "xla devices": _xla_devices,
    "hardware": _hardware,
    "profiler server": _profiler_server,
    "capture profile": _capture,
    "initialize cache": _initialize_cache,
    "device": _device,
    "to device": _to_device,
}
