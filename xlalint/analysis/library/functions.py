"""Calls of library functions by qualified name."""

from __future__ import annotations

from typing import Final

from xlalint.analysis.binding import element
from xlalint.analysis.call import Call
from xlalint.analysis.frame import NumberRead
from xlalint.analysis.library import (
    compiling,
    cuts,
    devices,
    files,
    gradients,
    iteration,
    language,
    loaders,
    padding,
    reads,
    replicas,
    sharding,
)
from xlalint.analysis.library.devices import device_of
from xlalint.analysis.library.foreign import made_by
from xlalint.analysis.library.modules import make_module
from xlalint.analysis.library.optimizers import (
    made_of_given,
    make_optimizer,
    make_sharded_optimizer,
)
from xlalint.analysis.library.padding import of_rows
from xlalint.analysis.library.tensors import as_typed, call_operation, draws_on_device, watch_numbers
from xlalint.analysis.machine import Effect, Machine
from xlalint.analysis.payloads import (
    Chance,
    Container,
    Copied,
    Instance,
    Namespace,
    Parameters,
    Plateau,
    Rows,
    Uneven,
    counts,
    drawn_of,
    elements,
    is_host_tensor,
    literal,
    uneven_of,
    unknown_from,
)
from xlalint.analysis.unknown import call_unknown, holds_tensor, weight_of
from xlalint.knowledge import classes, functions, operations, packages
from xlalint.lazy.assumptions import NONE as NONE_ASSUMED
from xlalint.lazy.assumptions import Assumptions, least
from xlalint.lazy.events import Reading
from xlalint.lazy.values import (
    HOST,
    UNKNOWN,
    XLA,
    Form,
    Kind,
    Place,
    Role,
    Tensor,
    Value,
    Weight,
    varying,
)
from xlalint.program.outline import last_name

EFFECTS: Final[dict[str, Effect]] = {
    **cuts.EFFECTS,
    **compiling.EFFECTS,
    **devices.EFFECTS,
    **replicas.EFFECTS,
    **sharding.EFFECTS,
    **loaders.EFFECTS,
    **padding.EFFECTS,
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
    if name in functions.STARTING_THE_RUNTIME:
        single = name not in functions.LEAVING_SPMD_OPEN
        call.frame.model.use_device(call.store.state, call.spelling, call.site, as_single=single)
    if effect.startswith("object "):
        return Value(Kind.INSTANCE, payload=Instance((effect[7:],)))
    return EFFECTS[effect](machine, call)


def _over(call: Call) -> Assumptions:
    """What an optimizer takes for granted of the parameters that it is built over."""
    given = call.argument(0, "params")
    return given.assumes if given is not None and given.kind is Kind.PARAMETERS else NONE_ASSUMED


_OF_HOST: Final = functions.HOST_MODULES | packages.OF_NUMBERS


def call_library(machine: Machine, namespace: Namespace, call: Call) -> Value:
    """Call a name of a library that knowledge does not list by itself."""
    name = namespace.name
    module, _, last = name.rpartition(".")
    if namespace.outline is not None:
        return call_unknown(machine, call)
    if name in classes.PARAMETERS:
        return Value(Kind.PARAMETERS, payload=Parameters((), Place.HOST, is_one=True))
    if classes.is_optimizer(name) or last in packages.OPTIMIZERS:
        if classes.keeps_state(name, momentum=bool(literal(call.argument(2, "momentum")))):
            call.frame.model.build_optimizer(call.store.state, call.site)
        made = make_optimizer(call)._replace(syncfree=classes.is_syncfree(name))
        return Value(Kind.OPTIMIZER, _over(call), payload=made)
    if name == classes.SHARDED_OPTIMIZER:
        return Value(Kind.OPTIMIZER, _over(call), payload=make_sharded_optimizer(call))
    if name in packages.OPTIMIZER_MAKERS:
        call.frame.model.build_optimizer(call.store.state, call.site)
        return made_of_given(call)
    if name.startswith((classes.SCHEDULERS, *packages.SCHEDULERS)):
        return Value(Kind.HOST, payload=Plateau()) if last == classes.READING_SCHEDULER else HOST
    if classes.is_module(name) or module in packages.LOSSES:
        return make_module(last, call)
    if name.startswith(functions.TORCH):
        return _call_torch(machine, module, last, call)
    if name in packages.MODEL_MAKERS or (
        module in packages.MODEL_MODULES and not last.startswith(packages.NO_MODEL_MAKERS)
    ):
        draws = name.startswith(packages.DROPPING_MODELS) or any(
            isinstance(rate := literal(call.keywords.get(given)), int | float) and rate > 0
            for given in packages.DROP_RATES
        )
        return make_module(last, call, draws=draws, weighs=True)
    if module.startswith(packages.OF_DATASETS) and last in packages.DATASETS:
        train = call.flag("train", default=True, position=1)
        count = None if train is None else packages.DATASETS[last][train]
        return Value(Kind.HOST, payload=Rows(count, given=True))
    if module in functions.PLAIN_MODULES:
        for value in call.arguments:
            call.read(element(value) if value.kind is Kind.CONTAINER else value, Reading.MATH)
        drawn = drawn_of(*call.values, rounded=last in functions.ROUNDING)
        return Value(Kind.HOST, differs=any(value.differs for value in call.values), payload=drawn)
    if module in _OF_HOST or module.partition(".")[0] in functions.HOST_MODULES:
        return made_by(name, *call.values)
    if module.partition(".")[0] in functions.VIEWS and any(map(holds_tensor, call.values)):
        return call_operation(last, call)
    result = call_unknown(machine, call, weighs=_heaviest(call))
    if result.kind is Kind.TENSOR and last in packages.OF_BOXES.get(module.partition(".")[0], ()):
        # Nobody has to take it that this returns a tensor.
        return result._replace(assumes=least(value.assumes for value in call.values if holds_tensor(value)))
    return result


def _heaviest(call: Call) -> Weight:
    """What a function of a library makes of tensors is taken to weigh what they do: few hold a model."""
    return max(map(weight_of, filter(holds_tensor, call.values)), default=Weight.NONE)


def _call_torch(machine: Machine, module: str, last: str, call: Call) -> Value:
    given = call.arguments[0] if call.arguments else None
    is_factory = operations.is_creation(module, last)
    if is_factory or (last.endswith(operations.LIKE) and given is not None and given.kind is not Kind.TENSOR):
        return _create(last, call)
    if module.startswith(functions.NO_OPERATIONS):
        if any(map(holds_tensor, call.values)):
            return call_unknown(machine, call)
        return unknown_from(*call.values)
    result = call_operation(last, call)
    if module.startswith(functions.DISTRIBUTIONS) and last[:1].isupper() and result.kind is Kind.TENSOR:
        if _validates(machine, last, call):
            call.frame.model.validate(call.store.state, result, call.spelling, call.site)
        draws = last in functions.DRAWN_ON_DEVICE
        return result._replace(payload=Tensor(Role.SAMPLER if draws else Role.DISTRIBUTION))
    return result


def _validates(machine: Machine, name: str, call: Call) -> bool:
    """Whether a distribution checks what it is made of."""
    if name in functions.MADE_OF_DISTRIBUTIONS or call.flag("validate_args", default=True) is not True:
        return False
    return not machine.mentions(call.frame.outline, functions.VALIDATION)


def _create(last: str, call: Call) -> Value:
    """A factory makes a tensor: on the device only if it is told so."""
    differs = any(value.differs for value in call.values)
    given = call.keywords.get("device", call.frame.default_device)
    if last in operations.COPIES and call.arguments:
        _read_elements(call.arguments[0], call)
    on_cpu = (given is None or given.kind is Kind.NONE) and not call.open_ended
    if given is not None and given.kind is not Kind.NONE:
        device = device_of(given)
        on_cpu = device.type == "cpu"
        if device.type == XLA:
            call.frame.model.use_device(call.store.state, call.spelling, call.site)
            draws_on_device(last, given, call)
            varies = watch_numbers(last, given, 0, call)
            made = call.record((), Weight.INPUT)._replace(assumes=given.assumes, differs=differs)
            if (padded := of_rows(call)) is not None:
                call.frame.model.take_padded(call.store.state, padded, call.site)
                return as_typed(made, call)
            return varying(as_typed(made, call), varies)
        if not device.type:
            return UNKNOWN
    if last in operations.COPIES and call.arguments:
        value = call.arguments[0]
        if value.kind in (Kind.TENSOR, Kind.UNKNOWN):
            return value if value.kind is Kind.TENSOR else UNKNOWN
    if last in operations.COPIES:
        copied = Copied() if on_cpu else None
        return Value(Kind.HOST, differs=differs, payload=uneven_of(*call.values) or copied)
    if any(map(counts, operations.numbers_of_graph(last, call.arguments, call.keywords))):
        return Value(Kind.HOST, differs=differs, payload=Uneven(Form.LENGTH))
    if last.endswith(operations.LIKE) and any(value.kind is Kind.UNKNOWN for value in call.arguments[:1]):
        return Value(Kind.HOST, differs=differs)  # it is where that is
    if on_cpu and (padded := of_rows(call)) is not None:
        return Value(Kind.HOST, differs=differs, payload=Uneven(Form.SEQUENCES, padded))
    is_tensor = on_cpu and (
        not last.endswith(operations.LIKE) or any(map(is_host_tensor, call.arguments[:1]))
    )
    is_whole = operations.DRAWN_ALONE.get(last) if on_cpu else None
    drawn = Chance(is_whole) if is_whole is not None and _is_of_one(last, call) else None
    rows = Rows(_first_size(call), is_tensor=is_tensor, drawn=drawn)
    return Value(Kind.HOST, differs=differs, payload=rows)


def _is_of_one(last: str, call: Call) -> bool:
    """Whether a factory is told to make a tensor of one number: of `(1,)`, `1`, `()` or `[]`."""
    given = [*call.arguments, *([call.keywords["size"]] if "size" in call.keywords else [])]
    sizes = [held.items for value in given if isinstance(held := value.payload, Container)]
    if not sizes:
        return last != "randint" and [literal(size) for size in given] == [1]
    size = sizes[-1]
    return size is not None and all(literal(each) == 1 for each in size)


def _read_elements(given: Value, call: Call) -> None:
    """A list of tensors is read element by element to build a new tensor of them."""
    each = element(given)
    if given.kind is Kind.CONTAINER:
        call.read(each, Reading.SCALAR)
        if each.kind is Kind.TENSOR and each.known and call.store.state.scopes.in_loop:
            count = len(elements(given))
            read = NumberRead(call.site, each, call.spelling, count or 1, each=not count)
            call.frame.reads.append(read)


def _first_size(call: Call) -> int | None:
    """How many rows a factory is told to make."""
    given = call.keywords.get("size")
    for argument in (given,) if given is not None else call.arguments:
        size = literal(elements(argument)[0] if elements(argument) else argument)
        if call.node is not None and last_name(call.function) == "randint" and not elements(argument):
            continue  # the bounds of its numbers
        return size if isinstance(size, int) else None
    return None
