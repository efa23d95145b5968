"""Operations on device tensors: methods, and the functions of torch of the same name."""

from __future__ import annotations

import ast
from typing import Final

from xlalint.analysis import work
from xlalint.analysis.binding import element, part_of, rebind
from xlalint.analysis.call import Call
from xlalint.analysis.library.devices import device_of
from xlalint.analysis.library.foreign import is_of_numpy, of_numpy
from xlalint.analysis.library.modules import as_tensor
from xlalint.analysis.machine import Machine
from xlalint.analysis.payloads import (
    Constant,
    Container,
    Method,
    Namespace,
    Parameters,
    StateDict,
    callable_value,
    container,
    container_of,
    elements,
    freed,
    literal,
    made_up,
    met_at,
    unknown_from,
    view_of,
)
from xlalint.analysis.unknown import holds_tensor
from xlalint.knowledge import functions
from xlalint.knowledge.methods import OF_UNSURE
from xlalint.knowledge.operations import (
    APPENDING,
    COPYING,
    COUNTED_BY_HOST,
    DRAWING,
    DRAWN_APART,
    DROPPING,
    GATHERING,
    LENGTH_KEPT,
    MASK_KEPT,
    MASKS,
    NOT_DIFFERENTIABLE,
    OF_MODULES_TOO,
    OF_TRUTHS,
    ON_HOST,
    PADDING,
    PARTS,
    PICKING,
    PRODUCTS,
    REDUCING,
    SAMPLING,
    VIEWS,
    Operation,
    is_shaped_by_data,
    keeps_history,
    numbers_of_graph,
    operation_of,
    repeats_by_data,
)
from xlalint.lazy import assumptions
from xlalint.lazy.assumptions import PART, both
from xlalint.lazy.events import Reading, Use
from xlalint.lazy.values import (
    HEAVY,
    HOST,
    NONE,
    NOTHING,
    PERHAPS,
    UNKNOWN,
    Form,
    Kind,
    Place,
    Recorded,
    Role,
    Tensor,
    Value,
    Weight,
    as_long,
    of_role,
    rows_of,
    varying,
    worked_on,
)
from xlalint.program.outline import dotted, within
from xlalint.remembering import remembered
from xlalint.spelling import spelling


def call_operation(name: str, call: Call) -> Value:
    """A function of torch is called by its last name, on whatever tensors it gets."""
    given = [as_tensor(value, call.store) for value in call.values]
    tensors = [value for value in given if holds_tensor(value)]
    if not tensors:
        if any(value.kind is Kind.UNKNOWN for value in call.values):
            return unknown_from(*call.values)
        differs = any(value.differs for value in call.values)
        return Value(Kind.HOST, differs=differs, payload=made_up(*call.values))
    match operation_of(name):
        case Operation.READ:
            return call.read(tensors[0], Reading.EXPLICIT)
        case Operation.ASK:
            for value in tensors:
                call.read(value, Reading.BOOL)
            return HOST
        case Operation.HOST | Operation.FOREIGN:
            return HOST
        case operation:
            # Functions of torch take nothing but tensors.
            inputs = [_as_tensor(element(v) if v.kind is Kind.CONTAINER else v) for v in tensors]
            varies = _watch_shape(name, inputs[0], 0, call)
            if name in PRODUCTS:
                call.frame.model.multiply(call.store.state, call.site)
            draws_on_device(name, inputs[0], call)
            result = _marked(name, _shaped(name, call.record(inputs, _weight(operation)), varies, 1, call))
            result = _kept_for(name, result)
            state, listed = call.store.state, tensors[0].payload
            if name in GATHERING and state.scopes.in_loop and isinstance(listed, Container) and listed.grows:
                call.frame.model.vary_shape(state, inputs[0], Form.GROWTH, call.spelling, call.site)
                return varying(result, Form.GROWTH)
            if name in APPENDING or _pads(name, call):
                return _appended(tensors[0], result, call)
            if name == PICKING and literal(call.argument(1, "dim")) == 0:
                return rows_of(result, tensors[0])
            return as_long(result, tensors[0]) if name in LENGTH_KEPT else result


def _shaped(name: str, result: Value, varies: Form | None, tensors: int, call: Call) -> Value:
    """What an operation gives, by what its shape varies, if it does; `tensors` of its arguments are some."""
    if name in REDUCING and len(call.arguments) <= tensors and call.keywords.keys() <= _OF_NUMBERS:
        return result._replace(payload=None)  # one number, of however many
    return varying(result, varies)


_OF_NUMBERS: Final = frozenset({"dtype"})


def _appended(given: Value, result: Value, call: Call) -> Value:
    """Tensors become one: where that is one of them in the next round of a loop, it grows."""
    state, parts = call.store.state, elements(given) or [given]
    for part in parts:
        if not (isinstance(held := part.payload, Tensor) and held.grown == call.site):
            continue
        if held.picked and not literal(call.argument(1, "dim")):
            continue  # along their first dimension rows are as many as were picked
        if held.kept or state.loop.cuts:
            call.frame.model.vary_shape(state, part, Form.GROWTH, call.spelling, call.site)
            for other in parts:
                if other is not part:
                    call.frame.model.keep_history(state, part, other, call.spelling, call.site, grows=True)
    known = [part for part in map(worked_on, parts) if part.known]
    if known and assumptions.weight(result.assumes) > 1:
        # One of them is on the device, and so are the others, whatever they have recorded.
        result = result._replace(
            assumes=known[0].assumes, recorded=Recorded(Weight.LIGHT, result.recorded.may)
        )
    # What it gives is a tensor, whatever it was given; only on which device is assumed.
    is_one = bool(known) or result.known or assumptions.is_of_device(result.assumes)
    return result._replace(payload=Tensor(grown=call.site)) if is_one else result


def _pads(name: str, call: Call) -> bool:
    """Whether a tensor is padded by so many elements more that it is longer for sure."""
    sizes = [literal(size) for size in elements(call.argument(1, "pad"))] if name == PADDING else []
    numbers = [size for size in sizes if isinstance(size, int)]
    return bool(numbers) and len(numbers) == len(sizes) and min(numbers) >= 0 < max(numbers)


def _watch_shape(name: str, tensor: Value, first: int, call: Call) -> Form | None:
    """The shape of the result may be decided by the numbers in a tensor, or by one that it is given.

    Returns by what it varies. The first argument is for the parameter number `first`.
    """
    if not tensor.known:
        return None
    numbers = call.argument(1 - first, "repeats")
    repeats = numbers is not None and numbers.kind is Kind.TENSOR and repeats_by_data(name, 2, call.keywords)
    if repeats or is_shaped_by_data(name, first + len(call.arguments), call.keywords):
        if repeats and numbers is not None:
            tensor = tensor._replace(assumes=both(tensor.assumes, numbers.assumes))
        runs = name not in COUNTED_BY_HOST
        call.frame.model.vary_shape(call.store.state, tensor, Form.DATA, call.spelling, call.site, runs=runs)
        return Form.DATA
    return watch_numbers(name, tensor, first, call)


def watch_numbers(name: str, where: Value, first: int, call: Call) -> Form | None:
    """A number that is another one in each step may be a part of the graph, such as a size.

    Returns by what the shape of the result varies.

    Args:
        name: The operation.
        where: The tensor that it is for, or the device.
        first: Which parameter the first argument is for.
    """
    numbers = numbers_of_graph(name, call.arguments, call.keywords, first=first)
    node = call.node
    parts = (*node.args, *(keyword.value for keyword in node.keywords)) if node is not None else ()
    return work.watch_numbers(name, where, numbers, call, call.site, call.frame, call.store, parts)


def draws_on_device(name: str, where: Value, call: Call) -> None:
    """Tell of random numbers that an operation draws on the device, where a tensor is or is to be."""
    trains = name in DROPPING
    if trains and call.flag("training", default=name != "rrelu", position=2) is False:
        return
    if trains and _drops_nothing(name, call):
        return
    draws = name in DRAWING or _picks_on_device(name, call)
    draws = draws or (where.role is Role.SAMPLER and name in SAMPLING)
    if trains or (draws and "generator" not in call.keywords and not _only_meets(call)):
        goes_on = draws and name not in DRAWN_APART
        call.frame.model.draw(
            call.store.state, call.site, trains=trains, goes_on=goes_on, assumes=where.assumes
        )


def _only_meets(call: Call) -> bool:
    """Whether what is drawn only meets that of other replicas, as to connect them: nobody asks what it is."""
    function, node = call.frame.function, call.node
    return function is not None and node is not None and _is_only_met(node, function.node)


@remembered(1024)  # asked whenever something is drawn
def _is_only_met(drawn: ast.Call, inside: ast.AST) -> bool:
    """The same of a call in a function."""
    nodes = list(within(inside))
    names = {
        each.targets[0].id
        for each in nodes
        if isinstance(each, ast.Assign) and each.value is drawn and isinstance(each.targets[0], ast.Name)
    }
    meeting = {
        id(given)
        for each in nodes
        if isinstance(each, ast.Expr)
        and isinstance(each.value, ast.Call)
        and (dotted(each.value.func) or "").rpartition(".")[2] in functions.SUMMING_UP
        for given in each.value.args
    }
    read = [
        each
        for each in nodes
        if isinstance(each, ast.Name) and each.id in names and isinstance(each.ctx, ast.Load)
    ]
    return bool(read) and all(id(each) in meeting for each in read)


def _drops_nothing(name: str, call: Call) -> bool:
    """Whether the probability is nought, or one that is not known and that the function asks for before.

    Who skips what drops nothing has models that are made so, as those of timm are by default.
    """
    given = call.argument(1, "p")
    if name == "rrelu" or given is None:
        return False
    if isinstance(given.payload, Constant):
        return not given.payload.value
    told, function = call.written("p", 1), call.frame.function
    if told is None or function is None:
        return False
    asked = _spelled(told)
    return any(
        isinstance(each, ast.If | ast.IfExp)
        and not asked.isdisjoint(_spelled(each.test))
        and any(inner is call.node for inner in within(each))
        for each in within(function.node)
    )


def _spelled(node: ast.expr) -> set[str]:
    """The names and attributes in an expression."""
    return {spelling(each) for each in within(node) if isinstance(each, ast.Name | ast.Attribute)}


def _picks_on_device(name: str, call: Call) -> bool:
    """Whether samples are picked by random numbers of the device: the host draws several that differ."""
    if name != "multinomial":
        return False
    given = call.keywords.get("num_samples") or (call.arguments[-1] if call.arguments else None)
    return literal(given) == 1 or call.flag("replacement", default=False) is True


def _marked(name: str, result: Value) -> Value:
    """What an operation gives, known for a mask where it is one, and for several tensors.

    What the host computes is there at once: the engine has run all that it is computed from.
    """
    if name in ON_HOST:
        result = result._replace(recorded=NOTHING)
    if name in PARTS:
        return of_role(result, Role.PARTS)
    return of_role(result, Role.MASK) if name in MASKS else result


def tensor_method(machine: Machine, receiver: Value, name: str, call: Call) -> Value:
    """A method of a device tensor, or of what may turn out to be something else."""
    match operation_of(name):
        case Operation.ARRAY if not call.flag("force", default=False, position=0):
            return of_numpy(Value(Kind.HOST, differs=receiver.differs))  # it returns where that is none
        case Operation.READ | Operation.ARRAY:
            if receiver.role is Role.PERHAPS_MODULE and name == "cpu":
                return UNKNOWN
            is_number = name == "item"
            number = call.read_number(receiver, Reading.EXPLICIT) if is_number else call.read_row(receiver)
            if name in COPYING:
                work.note_copy(_owner(call), receiver, call.store)
            return of_numpy(number) if is_of_numpy(number, name) else number
        case Operation.ASK:
            return call.read(receiver, Reading.BOOL)
        case Operation.HOST | Operation.FOREIGN:
            return HOST
        case Operation.SAME:
            if name.startswith("detach"):
                receiver = freed(receiver)
            return receiver if name in OF_MODULES_TOO else worked_on(receiver)
        case Operation.MOVE:
            return _move(receiver, call)
        case Operation.CAST:
            return as_long(_cast(receiver, call), receiver) if call.values else HOST
        case Operation.BACKWARD:
            call.frame.model.backward(call.store.state, call.site)
            call.store.free_history()
            _is_a_tensor(machine, receiver, call)
            return NONE
        case operation:
            # Many batches are mappings.
            is_none = operation is None and (
                OF_UNSURE.get(name) in _OF_OTHERS
                or (receiver.role is Role.PERHAPS_MODULE and name in OF_UNSURE)
            )
            if (not receiver.known and operation is not Operation.LIGHT) or is_none:
                return _unsure_method(machine, receiver, name, call)
            if operation is Operation.LIGHT and name not in OF_MODULES_TOO:
                receiver = worked_on(receiver)
            if receiver.assumes >= PART:
                receiver = _as_tensor(receiver)
                _give_back(machine, receiver, call)
            varies = _watch_shape(name, receiver, 1, call)
            of_mask = receiver.role is Role.MASK and name in MASK_KEPT
            if name in PRODUCTS:
                call.frame.model.multiply(call.store.state, call.site)
            draws_on_device(name, receiver, call)
            result = call.record((receiver, *_tensors(call)), _weight(operation))
            result = _marked(name, _shaped(name, result, varies, 0, call))
            result = of_role(result, Role.MASK) if of_mask else result
            if name == PICKING and literal(call.argument(0, "dim")) == 0:
                result = rows_of(result, receiver)
            result = as_long(result, receiver) if name in LENGTH_KEPT else result
            result = _kept_for(name, result)
            if name.endswith("_") and not name.endswith("__"):
                call.frame.model.change_alone(call.store.state, receiver, call.spelling, call.site)
                if _scales_a_gradient(name, receiver, call):
                    call.frame.model.change_gradients(call.store.state, Use.CLIP, call.spelling, call.site)
                _give_back(machine, result, call)
            return result


def _kept_for(name: str, result: Value) -> Value:
    """The result of an operation, with what stays pending or is kept by autograd for it."""
    if name in NOT_DIFFERENTIABLE:
        return result._replace(history=None)
    result = view_of(result) if name in VIEWS else result
    return result if keeps_history(name) else freed(result)


def _scales_a_gradient(name: str, receiver: Value, call: Call) -> bool:
    """Whether a gradient is scaled in place by something computed on the device, as clipping by hand does."""
    if name not in ("mul_", "div_"):
        return False
    if not any(value.kind is Kind.TENSOR and value.sure for value in call.arguments):
        return False
    match call.function:
        case ast.Attribute(value=ast.Attribute(attr="grad")):
            return True
    return receiver.role is Role.GRADIENT


_OF_OTHERS: Final = frozenset({"items", "keys", "elements", "part", "text"})


def _as_tensor(value: Value) -> Value:
    value = worked_on(value)
    return value._replace(assumes=value.assumes - PART) if value.assumes >= PART else value


def _weight(operation: Operation | None) -> Weight:
    return Weight.HEAVY if operation is Operation.HEAVY else Weight.LIGHT


def _tensors(call: Call) -> list[Value]:
    return [value for value in call.values if value.kind is Kind.TENSOR]


def _unsure_method(machine: Machine, receiver: Value, name: str, call: Call) -> Value:
    """What an unknown callable made of device values is asked for something that no tensor has."""
    if receiver.role is Role.PERHAPS_MODULE and name in OF_UNSURE:
        # Only a module has such a method: what was moved to the device is one.
        shown = assumptions.shown_by_use(receiver.assumes)
        module = Value(Kind.MODULE, shown, payload=met_at(call.site, Place.XLA))
        _give_back(machine, module, call)
        return machine.invoke(callable_value(Method(module, name)), call)
    match OF_UNSURE.get(name):
        case "same":
            return receiver
        case "parameters":
            return Value(Kind.PARAMETERS, payload=Parameters((), Place.UNKNOWN))
        case "modules":
            return UNKNOWN
        case "state dict":
            return Value(Kind.STATE_DICT, receiver.assumes, payload=StateDict(Place.UNKNOWN))
        case "items" if not call.values:
            return container_of(container([HOST, receiver]))
        case "keys" if not call.values:
            return container_of(HOST)
        case "elements" if not call.values:
            return container_of(receiver)
        case "part":
            part, default = part_of(receiver), call.argument(1, "default")
            is_sure = name != "get" or (default is not None and default.kind is not Kind.NONE)
            return part if is_sure else part._replace(present=PERHAPS)
        case "text":
            return HOST
        case _:
            return call.record((receiver,), Weight.LIGHT)


def _give_back(machine: Machine, result: Value, call: Call) -> None:
    function = call.function
    if isinstance(function, ast.Attribute):
        rebind(machine, function.value, result, call.frame, call.store)


def _is_a_tensor(machine: Machine, receiver: Value, call: Call) -> None:
    """What an unknown callee made of device values, and backward starts from, is a tensor there."""
    function = call.function
    # What is more than a chain of names would be done once more by looking at it again.
    if (
        isinstance(function, ast.Attribute)
        and isinstance(part := function.value, ast.Attribute)
        and dotted(part)
    ):
        whole = machine.evaluate(part.value, call.frame, call.store)
        if isinstance(held := whole.payload, Tensor) and held.role is Role.STRUCTURE:
            known = held._replace(tensors=held.tensors | {part.attr})
            rebind(machine, part.value, whole._replace(payload=known), call.frame, call.store)
    if (
        isinstance(function, ast.Attribute)
        and isinstance(function.value, ast.Name)
        and receiver.recorded.may is Weight.HEAVY
        and (not receiver.sure or receiver.recorded.must is not Weight.HEAVY)
        and receiver.role is not Role.PERHAPS_MODULE
    ):
        # Whatever made it, a forward stands behind it, or there would be no gradients to compute.
        shown = receiver._replace(assumes=assumptions.shown_by_backward(receiver.assumes), recorded=HEAVY)
        rebind(machine, function.value, shown, call.frame, call.store)


def _owner(call: Call) -> ast.expr | None:
    """What stands in the program before the name of a method that is called."""
    return call.function.value if isinstance(call.function, ast.Attribute) else None


def _cast(receiver: Value, call: Call) -> Value:
    return as_typed(call.record((receiver,), Weight.LIGHT), call)


def as_typed(tensor: Value, call: Call) -> Value:
    """A tensor that a call makes, known for a mask where it is told to be one of truths."""
    types = (value.payload for value in (*call.arguments[:1], *call.keywords.values()))
    is_mask = any(isinstance(held, Namespace) and held.name == OF_TRUTHS for held in types)
    is_mask = is_mask or (call.node is not None and any(map(_gathers_truths, call.node.args[:1])))
    return of_role(tensor, Role.MASK) if is_mask else tensor


def _gathers_truths(node: ast.expr) -> bool:
    """Whether a list of what comparisons come to is written down."""
    match node:
        case ast.List(elts=[first, *_]) | ast.ListComp(elt=first) | ast.GeneratorExp(elt=first):
            return isinstance(first, ast.Compare)
    return False


def _move(receiver: Value, call: Call) -> Value:
    target = call.argument(0, "device")
    if target is None:
        return as_typed(receiver, call)
    device = device_of(target)
    if device.type == "cpu":
        moved = call.read(receiver, Reading.EXPLICIT)
        work.note_copy(_owner(call), receiver, call.store)
        return moved
    if target.kind is Kind.NAMESPACE:  # a dtype
        return _cast(receiver, call)
    return receiver
