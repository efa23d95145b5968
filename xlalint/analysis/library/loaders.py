"""Loaders, and how they cut."""

from __future__ import annotations

from xlalint.analysis.call import Call
from xlalint.analysis.machine import Effect, Machine
from xlalint.analysis.payloads import (
    Container,
    Loader,
    literal,
)
from xlalint.lazy.values import (
    Kind,
    Role,
    Tensor,
    Value,
)

BATCH = Value(Kind.TENSOR, differs=True, payload=Tensor(Role.STRUCTURE))
"""What an XLA loader yields, or what it yields is made of."""


def _device_loader(machine: Machine, call: Call) -> Value:
    per_execution = call.keywords.get("batches_per_execution")
    cuts = True if per_execution is None or literal(per_execution) == 1 else None
    inner = call.argument(0, "loader")
    element = device_batch(inner)
    return Value(Kind.LOADER, payload=Loader(element, cuts, True))


def device_batch(inner: Value | None) -> Value:
    """The batch of an XLA loader over `inner`: its tensors on the device, its form kept."""
    if inner is not None and isinstance(inner.payload, Loader):
        return _on_device(inner.payload.element)
    return BATCH


def _on_device(value: Value) -> Value:
    if isinstance(held := value.payload, Container):
        return Value(Kind.CONTAINER, payload=held.map(_on_device))
    return BATCH


def _per_device_loader(machine: Machine, call: Call) -> Value:
    return Value(Kind.LOADER, payload=Loader(BATCH, True, True))


def _host_loader(machine: Machine, call: Call) -> Value:
    return Value(Kind.LOADER, payload=Loader(Value(Kind.HOST, differs=True)))


EFFECTS: dict[str, Effect] = {
    "device loader": _device_loader,
    "per device loader": _per_device_loader,
    "host loader": _host_loader,
}
