"""Calls of library functions by qualified name."""

from __future__ import annotations

from xlalint.analysis.binding import element
from xlalint.analysis.call import Call
from xlalint.analysis.library import (
    cuts,
    devices,
    files,
    gradients,
    iteration,
    language,
    loaders,
    reads,
    replicas,
)
from xlalint.analysis.library.devices import device_of
from xlalint.analysis.library.optimizers import (
    make_optimizer,
)
from xlalint.analysis.machine import Effect, Machine
from xlalint.analysis.payloads import (
    Instance,
    Module,
    Namespace,
    Optimizer,
    Parameters,
    unknown_from,
)
from xlalint.analysis.unknown import call_unknown, holds_tensor
from xlalint.knowledge import functions, methods
from xlalint.lazy.events import Reading
from xlalint.lazy.values import (
    HOST,
    UNKNOWN,
    Kind,
    Place,
    Value,
    Weight,
)

EFFECTS: dict[str, Effect] = {
    **cuts.EFFECTS,
    **devices.EFFECTS,
    **replicas.EFFECTS,
    **loaders.EFFECTS,
    **gradients.EFFECTS,
    **files.EFFECTS,
    **reads.EFFECTS,
    **iteration.EFFECTS,
    **language.EFFECTS,
}
"""What each effect that `knowledge.functions` names means."""


def apply(machine: Machine, name: str, call: Call) -> Value:
    """Call the library function `name`, which knowledge lists."""
    effect = functions.FUNCTIONS[name]
    if effect.startswith("object "):
        return Value(Kind.INSTANCE, payload=Instance((effect[7:],)))
    return EFFECTS[effect](machine, call)


def call_library(machine: Machine, namespace: Namespace, call: Call) -> Value:
    name = namespace.name
    if namespace.outline is not None:
        return call_unknown(machine, call)
    if name.startswith("torch."):
        return _call_torch(machine, name, call)
    module, _, last = name.rpartition(".")
    if module in functions.PLAIN_MODULES:
        for value in call.arguments:
            call.read(value, Reading.MATH)
        return Value(Kind.HOST, differs=any(v.differs for v in call.values))
    if module in functions.HOST_MODULES or module.partition(".")[0] in functions.HOST_MODULES:
        return Value(Kind.HOST, differs=any(v.differs for v in call.values))
    if name.startswith("torch_xla.amp.syncfree."):
        return make_optimizer(call)
    if module == "torch_xla.distributed.zero_redundancy_optimizer" and last == "ZeroRedundancyOptimizer":
        return Value(Kind.OPTIMIZER, payload=Optimizer(None, Place.UNKNOWN, None))
    return call_unknown(machine, call)


def _call_torch(machine: Machine, name: str, call: Call) -> Value:
    module, _, last = name.rpartition(".")
    if (
        module in ("torch.optim", "torch.optim.adam", "torch.optim.sgd", "torch.optim.adamw")
        and last[:1].isupper()
    ):
        return make_optimizer(call)
    if module.startswith("torch.optim.lr_scheduler"):
        return HOST
    if module.startswith("torch.nn") and last[:1].isupper() and "functional" not in module:
        if last == "Parameter":
            return Value(Kind.PARAMETERS, payload=Parameters(None, Place.HOST))
        return Value(Kind.MODULE, payload=Module(call.site, Place.HOST))
    if last in methods.CREATIONS and module == "torch":
        return _create(last, call)
    if last.endswith("_like") and call.arguments and call.arguments[0].kind is not Kind.TENSOR:
        return _create(last, call)
    tensors = [v for v in call.values if holds_tensor(v)]
    if module.startswith(
        ("torch.distributed", "torch.utils", "torch.cuda", "torch.backends", "torch.random")
    ):
        return call_unknown(machine, call) if tensors else unknown_from(*call.values)
    if not tensors:
        if any(v.kind is Kind.UNKNOWN for v in call.values):
            return unknown_from(*call.values)
        return Value(Kind.HOST, differs=any(v.differs for v in call.values))
    weight = Weight.HEAVY if last in methods.HEAVY_FUNCTIONS else Weight.LIGHT
    inputs = [element(v) if v.kind is Kind.CONTAINER else v for v in tensors]
    return call.record(inputs, weight)


def _create(last: str, call: Call) -> Value:
    given = call.keywords.get("device")
    device = device_of(given) if given is not None and given.kind is not Kind.NONE else None
    if device is not None and device.payload.type == "xla":
        result = call.record((), Weight.LIGHT)
        return result._replace(differs=any(v.differs for v in call.values))
    if device is not None and not device.payload.type:
        return UNKNOWN
    if last in ("tensor", "as_tensor") and call.arguments:
        value = call.arguments[0]
        if value.kind is Kind.CONTAINER:
            # A list of tensors is read element by element to build the new one.
            call.read(element(value), Reading.SCALAR)
        elif value.kind is Kind.TENSOR:
            return value
        elif value.kind is Kind.UNKNOWN:
            return UNKNOWN
    return Value(Kind.HOST, differs=any(v.differs for v in call.values))
