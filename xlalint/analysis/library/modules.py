"""Modules: forward, moves, parameters."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Final

from xlalint.analysis.binding import element, rebind
from xlalint.analysis.call import Call
from xlalint.analysis.frame import Frame
from xlalint.analysis.library.devices import device_of
from xlalint.analysis.library.inference import refuse_inference
from xlalint.analysis.machine import Machine
from xlalint.analysis.payloads import (
    AS_MAPPING,
    Bound,
    Buffer,
    Container,
    Instance,
    Method,
    Module,
    Parameters,
    StateDict,
    Target,
    Targets,
    Tie,
    container,
    container_of,
    each_of,
    freed,
    gathered,
    is_off_device,
    literal,
    unknown_from,
)
from xlalint.analysis.store import AttributeKey, Move, Store
from xlalint.analysis.ties import is_tied_in, tie_by_call, tie_by_hand, tie_in
from xlalint.analysis.unknown import call_unknown, holds_tensor
from xlalint.knowledge import classes, functions, packages
from xlalint.knowledge.methods import METHODS, OF_MODULE_CONTAINERS, SAVES, TYING, is_named_as_hosts
from xlalint.lazy import assumptions
from xlalint.lazy.assumptions import PART, assume, both
from xlalint.lazy.events import Reading
from xlalint.lazy.sharding import Misuse
from xlalint.lazy.site import Path
from xlalint.lazy.state import Raised
from xlalint.lazy.values import (
    HOST,
    NONE,
    NOTHING,
    UNKNOWN,
    XLA,
    Kind,
    Place,
    Recorded,
    Role,
    Tensor,
    Value,
    Weight,
)
from xlalint.lazy.values import join as join_values
from xlalint.program.outline import Function, Outline
from xlalint.spelling import THE_FRAMEWORK
from xlalint.writing import written

_ON_DEVICE: Final = assume("these parameters are on the device")

_OF_FRAMEWORK: Final = assume(f"the model of {THE_FRAMEWORK} returns tensors")

_WITH_PARTS: Final = {name: how for methods in OF_MODULE_CONTAINERS.values() for name, how in methods.items()}


def make_module(name: str, call: Call, *, draws: bool = False, weighs: bool = False) -> Value:
    """A module of a library, of which `name` is the class; `draws` if it surely draws while it trains, and
    `weighs` if it surely wants tensors of its own device."""
    drops = (name in classes.DROPPING and not _is_without(name, call)) or _is_told_to_drop(name, call)
    stacked = call.argument(0, classes.STACKS[name]) if name in classes.STACKS else None
    if stacked is not None and isinstance(layer := stacked.payload, Module):
        drops, weighs = layer.draws, layer.weighs
    by_default = call.frame.default_device
    place = Place.HOST if by_default is None else _place(device_of(by_default).type)
    made = Module(
        (call.site,), place, draws=draws or drops, on_host=name in classes.ON_HOST,
        weighs=weighs or name in classes.WEIGHING, pairs=name in classes.COMPARING,
        asks_as=name if name in classes.ASKING_OF_MASKS else "",
    )  # fmt: skip
    if name in classes.MODULE_CONTAINERS:
        parts = _parts(name, call)
        held = parts.payload if parts is not None else None
        if parts is not None and isinstance(held, Container) and (held.items == () or _is_of_project(parts)):
            made = made._replace(parts=parts, in_turn=name == classes.IN_TURN)
        elif parts is not None and isinstance(held, Container):
            every = [
                each.payload for each in held.items or (held.element,) if isinstance(each.payload, Module)
            ]
            draws, weighs = any(each.draws for each in every), any(each.weighs for each in every)
            made = made._replace(draws=draws, weighs=weighs and name == classes.IN_TURN)
    elif place is not Place.XLA and (
        (name in classes.WEIGHING and name not in classes.BEGINNING_ALIKE)
        or (weighs and not _is_trained_before(name, call))
    ):
        call.frame.model.draw_weights(call.store.state, call.site)
    return Value(Kind.MODULE, payload=made)


def _is_trained_before(name: str, call: Call) -> bool:
    """Whether what makes a model may be told to load its weights."""
    told = any(
        given.kind is not Kind.NONE and literal(given) is not False
        for keyword, given in call.keywords.items()
        if keyword in packages.OF_TRAINED
    )
    return told or len(call.arguments) > 1 or call.open_ended or name == packages.FROM_PRETRAINED


def _place(device: str) -> Place:
    """Where what is put on a device of some type is."""
    return Place.XLA if device == XLA else Place.HOST if device else Place.UNKNOWN


def _refuse_the_host(machine: Machine, call: Call) -> None:
    """A layer that is on the device takes no tensor that is surely on the CPU."""
    given, state = call.argument(0, "input"), call.store.state
    if given is None or state.trust.raised is not None or not is_off_device(given):
        return
    if not machine.sets_default_device(call.frame.outline):
        why = f"`{call.spelling}` is on the XLA device, and gets a tensor on the CPU"
        state.raises(Raised(call.site, why))


def pairs_devices(machine: Machine, call: Call) -> bool:
    """Whether a call gets a tensor on the CPU beside one on the device."""
    on_device = any(value.kind is Kind.TENSOR and value.sure for value in call.values)
    on_host = on_device and any(map(is_off_device, call.values))
    return on_host and not machine.sets_default_device(call.frame.outline)


TWO_DEVICES: Final = "`{}` gets a tensor on the CPU and one on the XLA device"


def _ask_of_masks(name: str, module: Value, call: Call) -> None:
    """A layer compares each mask that it gets with the causal one, unless it is told whether they differ."""
    for (place, parameter), (of_telling, telling) in classes.ASKING_OF_MASKS[name].values():
        mask, told = call.argument(place, parameter), call.argument(of_telling, telling)
        is_told = told is not None and told.kind is not Kind.NONE
        if mask is None or mask.kind is not Kind.TENSOR or is_told:
            continue
        asked = mask._replace(assumes=both(mask.assumes, module.assumes), recorded=_COMPARED)
        call.frame.model.read(call.store.state, asked, Reading.MASK, call.spelling, call.site, unless=telling)


_COMPARED: Final = Recorded(Weight.LIGHT, Weight.LIGHT)
"""What asks for the numbers of a mask records."""


def _parts(name: str, call: Call) -> Value | None:
    """The container of the modules that such a container is made with."""
    given = call.arguments[0] if call.arguments else None
    if name != classes.IN_TURN and given is None:
        return container([])
    if given is not None and given.kind is Kind.CONTAINER and len(call.arguments) == 1:
        return given
    if name == classes.IN_TURN:
        every = [*call.arguments, *call.spread]
        return container_of(each_of(every)) if call.spread else container(every)
    return None if given is None else container_of(element(given))


def _is_without(name: str, call: Call) -> bool:
    """Whether a layer is made with a probability of nought, or one that nobody knows."""
    given = call.argument(*classes.DROPPING[name])
    return call.open_ended if given is None else not literal(given)


def _is_told_to_drop(name: str, call: Call) -> bool:
    """Whether a layer that drops nothing by default is surely given a probability, and uses it."""
    if name not in classes.DROPPING_IF_TOLD or not literal(call.keywords.get("dropout")):
        return False
    layers = literal(call.argument(_LAYERS, "num_layers"))
    return name not in classes.DROPPING_BETWEEN or (isinstance(layers, int) and layers > 1)


_LAYERS: Final = 2
"""Where a recurrent module is told of how many layers it is."""


def _is_of_project(value: Value) -> bool:
    held = value.payload
    if isinstance(held, Container):
        return any(map(_is_of_project, (held.element, *(held.items or ()))))
    return isinstance(held, Module) and (bool(held.of) or held.parts is not None)


def _call_in_turn(machine: Machine, parts: Container, call: Call) -> Value:
    """Each part is called with what the one before it returned."""
    result: Value | None = None
    for part in parts.items if parts.items is not None else (parts.element,):
        given = call.arguments if result is None else [result]
        result = machine.invoke(part, Call(call.frame, call.store, call.site, None, list(given)))
    return UNKNOWN if result is None else result


def call_module(machine: Machine, module: Value, call: Call) -> Value:
    """Run a module: autograd keeps what it computes on the way, as long as somebody holds the result.

    In training a backward will free that; in evaluation nobody computes gradients.
    """
    info = module.payload
    assert isinstance(info, Module)
    refuse_inference(machine, module, info, call)
    result = _run_forward(machine, module, call)
    if info.sharded:
        result = gathered(result)
    keeps = info.training is False and not machine.mentions(call.frame.outline, functions.FREEZING)
    inside = call.store.state.scopes.in_forward or any(value.history for value in call.values)
    return result if keeps or inside else freed(result)


def _run_forward(machine: Machine, module: Value, call: Call) -> Value:
    info = module.payload
    assert isinstance(info, Module)
    state, model = call.store.state, call.frame.model
    outermost = model.enter_forward(state)
    try:
        forwards = _forwards(machine, module, info)
        if forwards:
            if info.draws and info.training is not False and info.place is Place.XLA:
                model.draw(state, call.site, trains=True, assumes=module.assumes)
            result = machine.invoke(Value(Kind.CALLABLE, payload=Targets(forwards)), call)
            _shard_output(module, info, result, call)
            if len(forwards) == 1 or result.kind is not Kind.UNKNOWN:
                return result
        held = info.held if info.in_turn else _begun_with(machine, info, call.store)
        if held is not None and held.items != ():
            return _call_in_turn(machine, held, call)
    finally:
        model.leave_forward(call.store.state, outermost=outermost)
    if info.place is not Place.XLA and not any(map(holds_tensor, call.values)):
        if info.place is Place.UNKNOWN:
            call.frame.model.work_unseen(call.store.state)
        return unknown_from(*call.values)
    inputs = [value for value in call.values if value.kind is Kind.TENSOR]
    if info.weighs and info.place is Place.XLA and not module.assumes:
        _refuse_the_host(machine, call)
    if info.pairs and pairs_devices(machine, call) and state.trust.raised is None:
        state.raises(Raised(call.site, TWO_DEVICES.format(call.spelling)))
    if info.asks_as and info.place is Place.XLA:
        _ask_of_masks(info.asks_as, module, call)
    if info.draws and info.training is not False:
        call.frame.model.draw(state, call.site, trains=True, assumes=module.assumes)
    if info.place is Place.XLA:
        # A module on the device takes nothing else, and gives nothing else.
        inputs = [value._replace(assumes=module.assumes) for value in inputs]
    result = call.record(inputs, Weight.HEAVY)
    if info.on_host:
        result = result._replace(recorded=NOTHING)
    assumes = module.assumes if info.place is Place.XLA else both(result.assumes, module.assumes)
    if not assumes:
        confirm_arguments(machine, call)
    engine = call.store.state.engine
    # Parameters that wait for the other replicas' gradients make all that is computed with them wait.
    waits = engine.parameters_reduced and engine.parameters.must is Weight.HEAVY
    off = call.store.state.scopes.no_grad
    return result._replace(
        differs=result.differs or not inputs,
        assumes=assumes,
        reduced=True if waits else result.reduced,
        payload=Tensor(Role.STRUCTURE, varies=result.varies),
        history=None if off else off is False,
    )


def _shard_output(module: Value, info: Module, result: Value, call: Call) -> None:
    """FSDPv2 shards what it gets by itself only if that is a tensor, or a tuple that begins with one."""
    held = result.payload
    if info.shards_output_at is not None and isinstance(held, Container) and held.keys is not None:
        misuse = Misuse.OUTPUT
        assumes = both(module.assumes, result.assumes)
        call.frame.model.shard_fully(
            call.store.state, call.site, info.shards_output_at, misuse, assumes=assumes
        )


def _forwards(machine: Machine, module: Value, info: Module) -> tuple[Target, ...]:
    """What a call may run: of each class that the module may be of, its `forward`."""
    found: list[Target] = []
    # Of several, those for GPUs alone are for other devices.
    of = tuple(cls for cls in info.of if len(info.of) == 1 or not machine.classes.needs_gpu(cls))
    for cls in of:
        forward = machine.classes.find_method(cls, "forward") or machine.classes.find_method(cls, "__call__")
        if forward is not None:
            one = info._replace(of=(cls,), or_other=False)
            found.append(Bound(forward, module._replace(payload=one)))
    if found and (info.or_other or len(found) < len(of)):
        found.append(Method(module._replace(payload=info.plain()), "forward"))
    return tuple(found)


def module_method(machine: Machine, receiver: Value, name: str, call: Call) -> Value:
    """A method of a module."""
    info = receiver.payload
    assert isinstance(info, Module)
    how = _WITH_PARTS.get(name)
    if info.held is not None and how is not None:
        return _use_parts(machine, receiver, info, how, call)
    match METHODS[Kind.MODULE].get(name):
        case "move":
            return _move(machine, receiver, info, name, call)
        case "parameters":
            return _parameters(machine, receiver, info, call)
        case "named parameters":
            parameters = _parameters(machine, receiver, info, call, is_one=True)
            return container_of(container([HOST, parameters]))
        case "state dict":
            return Value(
                Kind.STATE_DICT, receiver.assumes, payload=StateDict(info.place, sharded=info.sharded)
            )
        case "same":
            return receiver
        case "mode":
            return _set_mode(machine, receiver, info, name, call)
        case "call":
            return call_module(machine, receiver, call)
        case "zero gradients":
            call.frame.model.zero_gradients(call.store.state)
            return NONE
        case "clip":
            return call.record((Value(Kind.TENSOR),), Weight.HEAVY)
        case "keep buffer":
            return _keep_buffer(machine, info, call)
        case "load state":
            call.frame.model.load_weights(call.store.state)
            return UNKNOWN
        case "unknown object":
            return UNKNOWN
        case _ if name == "__init__" and _begin(machine, info, call):
            return NONE
        case _ if name == SAVES:
            _save_to_safetensors(receiver, info, call)
            return NONE
        case _ if name in TYING:
            call.frame.model.tie_again(call.store.state)
            return UNKNOWN
        case _:
            result = call_unknown(machine, call)
            if result.kind is Kind.TENSOR and any(cls.outline.is_framework for cls in info.of):
                return result._replace(assumes=_OF_FRAMEWORK)
            return result


def _begin(machine: Machine, info: Module, call: Call) -> bool:
    """What the constructor of torch does for a module class of the project: it keeps the parts that it is
    given, and runs nothing. False if it is that of another library."""
    bases = {machine.classes.module_of_torch(cls) for cls in info.of}
    if len(bases) != 1 or "" in bases:
        return False
    base = bases.pop()
    parts = _parts(base, call) if base in classes.MODULE_CONTAINERS else None
    if parts is not None and base == classes.IN_TURN and _is_of_project(parts):
        for cls in info.of:
            machine.touch((cls, AS_MAPPING))
            call.store.attributes[cls, AS_MAPPING] = parts
    return True


def _begun_with(machine: Machine, info: Module, store: Store) -> Container | None:
    """The parts that an `nn.Sequential` has which is of a class of the project, where they lie."""
    if len(info.of) != 1 or info.or_other or machine.classes.module_of_torch(info.of[0]) != classes.IN_TURN:
        return None
    key = info.of[0], AS_MAPPING
    machine.touch(key)
    parts = store.attributes.get(key) or machine.classes.attributes(info.of[0]).get(AS_MAPPING)
    return None if parts is None else info._replace(parts=parts).held


def _parameters(
    machine: Machine, receiver: Value, info: Module, call: Call, *, is_one: bool = False
) -> Value:  # fmt: skip
    """The parameters of a module. One that nobody saw made, and that is a part of another, moves with it."""
    assumes = assumptions.NONE if is_one else receiver.assumes
    if not info.identity:
        part = part_by_method(machine, call, clause="moves with what it is a part of")
        if part is not None and isinstance(held := part.payload, Module):
            info, assumes = held, part.assumes
    return Value(Kind.PARAMETERS, assumes, payload=Parameters(info.identity, info.place, is_one=is_one))


def part_by_method(machine: Machine, call: Call, *, clause: str = "") -> Value | None:
    """What a method is called of that the parts of a module have, where nobody knows the parts of this one.

    `clause` says what must be so of it.
    """
    node = call.function.value if isinstance(call.function, ast.Attribute) else None
    return None if node is None else part_by_path(machine, node, call.frame, call.store, clause)


def part_by_path(machine: Machine, node: ast.expr, frame: Frame, store: Store, clause: str) -> Value | None:
    """The part of a module that a chain of attributes and indexes leads to, where nobody knows its parts."""
    whole = node if _is_path(node) else None
    while isinstance(whole, ast.Attribute | ast.Subscript):
        if isinstance(whole, ast.Attribute) and is_named_as_hosts(whole.attr):
            return None
        whole = whole.value
        owner = machine.evaluate(whole, frame, store)
        if isinstance(info := owner.payload, Module):
            part = Module(info.identity, info.place, is_part=True, sharded=info.sharded)
            # A framework's module may stand for one of the user's, which nobody sees.
            of = f" of {THE_FRAMEWORK}" if any(cls.outline.is_framework for cls in info.of) else ""
            assumes = assume(f"`{written(node)}`{of} {clause}") if clause else assumptions.NONE
            return Value(Kind.MODULE, both(owner.assumes, assumes), payload=part)
    return None


def _is_path(node: ast.expr) -> bool:
    """Whether an expression is a chain of attributes and plain indexes: looking at it again does no more."""
    while isinstance(node, ast.Attribute | ast.Subscript):
        if isinstance(node, ast.Subscript) and not isinstance(node.slice, ast.Constant | ast.Name):
            return False
        node = node.value
    return isinstance(node, ast.Name)


def _save_to_safetensors(receiver: Value, info: Module, call: Call) -> None:
    """What the module has goes to safetensors."""
    given = call.keywords.get("state_dict")
    if info.place is Place.XLA and given is None and call.flag("safe_serialization", default=True) is True:
        assumes = both(receiver.assumes, assume(f"`{call.spelling}` writes with safetensors"))
        refused = receiver._replace(assumes=assumes)
        call.frame.model.refuse_save(call.store.state, call.spelling, refused, call.site)


def _keep_buffer(machine: Machine, info: Module, call: Call) -> Value:
    """`register_buffer`: what is given goes where the module goes, under its name."""
    name, given = literal(call.argument(0, "name")), call.argument(1, "tensor")
    if not isinstance(name, str) or given is None or given.kind not in (Kind.HOST, Kind.TENSOR):
        return NONE
    for cls in info.of:
        machine.touch((cls, name))
        on_host = given.kind is Kind.HOST
        call.store.attributes[cls, name] = Value(Kind.HOST, payload=Buffer()) if on_host else given
    return NONE


def _set_mode(machine: Machine, receiver: Value, info: Module, name: str, call: Call) -> Value:
    """`train()` or `eval()`."""
    training = False if name == "eval" else call.flag("mode", default=True, position=0)
    changed = receiver._replace(payload=info._replace(training=training))
    if isinstance(function := call.function, ast.Attribute):
        rebind(machine, function.value, changed, call.frame, call.store)
        if training is False and isinstance(function.value, ast.Call):
            # What is made and moved for evaluation, all in one, such as a teacher: nobody trains it.
            call.frame.model.tie_again(call.store.state, info.identity)
    return changed


def _use_parts(machine: Machine, receiver: Value, info: Module, how: str, call: Call) -> Value:
    assert info.held is not None
    if how == "parts":
        return container_of(info.held.element)
    if how == "named parts":
        return container_of(container([HOST, info.held.element]))
    given = call.arguments[-1] if call.arguments else UNKNOWN
    function = call.function
    if isinstance(function, ast.Attribute):
        changed = with_part(receiver, element(given) if how == "add all" else given)
        rebind(machine, function.value, changed, call.frame, call.store)
    return NONE


def with_part(module: Value, part: Value) -> Value:
    """A module that holds one more, where what it holds is told apart."""
    info = module.payload
    if not isinstance(info, Module) or info.held is None:
        return module
    parts = container_of(part if info.held.items == () else join_values(info.held.element, part))
    return module._replace(payload=info._replace(parts=parts))


def _held_by_self(machine: Machine, call: Call) -> list[tuple[AttributeKey, Value]]:
    """What the present object holds, where a module is moved by a name: it may be an attribute, too."""
    match call.node, call.store.names.get("self"):
        case ast.Call(func=ast.Attribute(value=ast.Name())), Value(payload=Instance(of=own)):
            return [
                ((cls, name), value)
                for cls in own
                if not isinstance(cls, str) and not machine.classes.is_tabulating(cls)
                for name, value in machine.classes.attributes(cls).items()
            ]
    return []


def _move(machine: Machine, receiver: Value, info: Module, name: str, call: Call) -> Value:
    assumes = assumptions.NONE
    if name == "to":
        target = call.argument(0, "device")
        given_none = target is None and not call.open_ended
        if given_none or (target is not None and target.kind is Kind.NAMESPACE):
            return receiver  # it changes the dtype, or how memory is laid out
        name = device_of(target).type
        assumes = target.assumes if target is not None and name == XLA else assumes
    place = _place(name)
    if place is Place.XLA:
        call.frame.model.use_device(call.store.state, call.spelling, call.site)
        _come_apart(machine, info, assumes, call)
    if place is Place.XLA and not machine.swaps_parameters(call.frame.outline):
        unseen = assumptions.NONE
        if info.or_other and not info.of and info.place is Place.UNKNOWN:
            unseen = assume(f"what `{call.spelling}` moves was on the CPU before")
        others = _held_by_self(machine, call)
        for identity in _identities(info):
            move = Move((call.site,), assumes, unseen=unseen)
            for attribute in call.store.move_module(identity, move, others=others):
                machine.touch(attribute)
    leaves = name == "cpu" and info.place is Place.XLA
    if leaves and info.identity and not machine.swaps_parameters(call.frame.outline):
        call.store.move_module(info.identity, Move((call.site,), to=Place.HOST, left=(call.site,)))
    moved = receiver._replace(assumes=both(receiver.assumes, assumes), payload=info._replace(place=place))
    if call.node is not None and isinstance(call.node.func, ast.Attribute):
        rebind(machine, call.node.func.value, moved, call.frame, call.store)
    return moved


def _identities(info: Module) -> Iterator[Path]:
    """Where a module was made, and where the parts were that it was given."""
    if info.identity:
        yield info.identity
    if info.held is not None:
        for part in info.held.items or ():
            if isinstance(part.payload, Module):
                yield from _identities(part.payload)


def _come_apart(machine: Machine, info: Module, assumes: assumptions.Assumptions, call: Call) -> None:
    """On its way to XLA each part of a module gets parameters of its own, also where two had the same.

    One that is in evaluation already is none that is trained, and one with adapters trains only these.
    """
    if info.place is not Place.HOST or len(info.of) != 1 or info.or_other or info.training is False:
        return
    if info.adapted:
        return
    user, tied = call.frame.outline, info.tied
    maker = _made_for(machine, info) if user.is_framework else user
    tie = tie_in(machine, info.of[0], user, maker, call.frame.function)
    if tied is not None and (tied.file == user.file or not is_tied_in(machine, user)):
        tie = tied
    if tie is not None and not machine.swaps_parameters(user):
        names = ", ".join((tie.one, tie.other, tie.again))
        call.frame.model.come_apart(call.store.state, call.site, names, made=info.identity, assumes=assumes)


def _made_for(machine: Machine, info: Module) -> Outline | None:
    """The file that has a module made."""
    made = next((site for site in reversed(info.identity) if not site.in_framework), None)
    return machine.project.outline(machine.project.path(made.path)) if made is not None else None


def tie_by_method(machine: Machine, receiver: Value, method: Function, call: Call) -> None:
    """A method of a module that is called from outside, and says that it ties, ties its weights."""
    info, node = receiver.payload, call.node
    if node is None or not isinstance(node.func, ast.Attribute) or not isinstance(info, Module):
        return
    if info.place is Place.XLA:
        call.frame.model.tie_again(call.store.state, info.identity)
    if _may_be_tied(info) and not _is_own(node.func.value, call.frame):
        tie = tie_by_call(machine, info.of[0], method, node, call.frame.outline)
        if tie is not None:
            tied = receiver._replace(payload=info._replace(tied=tie))
            rebind(machine, node.func.value, tied, call.frame, call.store)


def tie_parts(machine: Machine, node: ast.Assign, frame: Frame, store: Store) -> None:
    """`model.head.weight = model.embedding.weight`, outside of the class of the model."""
    match node:
        case ast.Assign([ast.Attribute() as target], ast.Attribute() as value) if target.attr == value.attr:
            pass
        case _:
            return
    one, other = written(target), written(value)
    chain: list[ast.expr] = [target.value]
    while isinstance(inner := chain[-1], ast.Attribute):
        chain.append(inner.value)
    for whole in reversed(chain[1:]):
        shown = f"{written(whole)}."
        if not other.startswith(shown) or _is_own(whole, frame):
            continue
        module = machine.evaluate(whole, frame, store)
        info = module.payload
        if isinstance(info, Module):
            if info.place is Place.XLA:
                frame.model.tie_again(store.state, info.identity)
            parts = Tie(one.removeprefix(shown), other.removeprefix(shown))
            if not _may_be_tied(info) or "." not in parts.other:
                return
            tie = tie_by_hand(machine, info.of[0], parts, node, frame.outline)
            if tie is not None:
                tied = module._replace(payload=info._replace(tied=tie))
                rebind(machine, whole, tied, frame, store)
            return


def _may_be_tied(info: Module) -> bool:
    """Whether a module is one of the host whose class is known."""
    return info.place is Place.HOST and len(info.of) == 1 and not info.or_other


def _is_own(node: ast.expr, frame: Frame) -> bool:
    """Whether a name is that of the object whose method runs: what its class ties is known of the class."""
    function = frame.function
    if not isinstance(node, ast.Name) or function is None or function.owner is None:
        return False
    return function.receiver == node.id


def parameter(parameters: Parameters, store: Store) -> Value:
    """One parameter of a module, as the tensor it is."""
    if parameters.place is Place.HOST:
        return HOST
    if parameters.place is not Place.XLA:
        return Value(Kind.TENSOR, _ON_DEVICE, NOTHING)
    engine = store.state.engine
    return Value(Kind.TENSOR, recorded=engine.parameters, reduced=engine.parameters_reduced)


def as_tensor(value: Value, store: Store) -> Value:
    """A parameter on the device as the tensor that it is; anything else as it is."""
    held = value.payload
    if isinstance(held, Parameters) and held.place is Place.XLA:
        return parameter(held, store)
    return value


def confirm_arguments(machine: Machine, call: Call) -> None:
    """What is given where only a tensor of the device will do is one from here on."""
    for node in call.node.args if call.node is not None else ():
        if isinstance(node, ast.Name):
            value = call.store.names.get(node.id)
            if value is not None and value.kind is Kind.TENSOR and value.assumes >= PART:
                rebind(machine, node, value._replace(assumes=value.assumes - PART), call.frame, call.store)
