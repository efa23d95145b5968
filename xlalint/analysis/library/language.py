"""Functions of the language that concern the engine little."""

from __future__ import annotations

import ast
from typing import Final

from xlalint.analysis.attributes import attribute, named_in_library
from xlalint.analysis.binding import bind, bind_attribute, element
from xlalint.analysis.call import Call
from xlalint.analysis.library.devices import device_of
from xlalint.analysis.library.options import option_in
from xlalint.analysis.machine import Effect, Machine
from xlalint.analysis.payloads import (
    Bound,
    Classes,
    Constant,
    Container,
    Instance,
    Known,
    Method,
    Module,
    Namespace,
    Partial,
    callable_value,
    classes_of,
    constant,
    elements,
    literal,
    targets,
)
from xlalint.analysis.unknown import call_unknown
from xlalint.knowledge import classes as library_classes
from xlalint.knowledge import functions, lifecycle
from xlalint.lazy.assumptions import both
from xlalint.lazy.values import (
    HOST,
    NONE,
    UNKNOWN,
    XLA,
    Kind,
    Role,
    Value,
    Weight,
)
from xlalint.program.outline import within
from xlalint.remembering import remembered
from xlalint.versions import LATEST


def _nothing(machine: Machine, call: Call) -> Value:
    return NONE


def _seed_of_host(machine: Machine, call: Call) -> Value:
    seed, rank = call.argument(0, "seed") or UNKNOWN, call.argument(1, "rank") or NONE
    differs, assumes = seed.differs or rank.differs, both(seed.assumes, rank.assumes)
    call.frame.model.seed_host(call.store.state, call.site, differs=differs, assumes=assumes)
    return HOST


def _seed_of_device(machine: Machine, call: Call) -> Value:
    call.frame.model.seed_device(call.store.state, call.site)
    return NONE


def _generator(machine: Machine, call: Call) -> Value:
    """A generator of random numbers: one of the host serves tensors of all devices."""
    device = call.argument(0, "device")
    if device is not None and device_of(device).type == XLA and not _is_tried(call):
        call.frame.model.refuse_generator(call.store.state, call.spelling, call.site, assumes=device.assumes)
    return HOST


def _is_tried(call: Call) -> bool:
    """Whether the program goes on some other way if a call raises."""
    function = call.frame.function
    return function is not None and call.node is not None and call.node in _tried(function.node)


@remembered(1024)
def _tried(function: ast.AST) -> frozenset[ast.AST]:
    """What stands in a function where errors are caught."""
    tries = [node for node in within(function) if isinstance(node, ast.Try) and node.handlers]
    return frozenset(each for node in tries for part in node.body for each in within(part))


def _host(machine: Machine, call: Call) -> Value:
    return Value(Kind.HOST, differs=any(v.differs for v in call.values))


def _same(machine: Machine, call: Call) -> Value:
    return call.arguments[0] if call.arguments else next(iter(call.keywords.values()), UNKNOWN)


def _replaced(machine: Machine, call: Call) -> Value:
    """An object like another, of which some fields are others."""
    value = call.argument(0) or UNKNOWN
    for cls in classes_of(value):
        if not isinstance(cls, str):
            for name, given in call.keywords.items():
                bind_attribute(machine, cls, name, given, call.store)
    return value


def _functional_call(machine: Machine, call: Call) -> Value:
    """A module is called with parameters that are handed over, and with what is in a tuple, or that alone."""
    module, given = call.argument(0), call.argument(2, "args") or UNKNOWN
    if module is None or module.kind is not Kind.MODULE:
        return call_unknown(machine, call)
    made = Call(call.frame, call.store, call.site, None, elements(given) or [given])
    return machine.invoke(module, made)


def _settings_of_adapters(machine: Machine, call: Call) -> Value:
    """Adapters that are told to drop draw random numbers."""
    rate = call.argument(-1, "lora_dropout")
    drops = rate is not None and isinstance(rate.payload, Constant) and literal(rate) not in (None, 0)
    return Value(Kind.HOST, payload=_DROPPING_ADAPTERS) if drops else UNKNOWN


_DROPPING_ADAPTERS: Final = Namespace("adapters that drop")


def _adapted(machine: Machine, call: Call) -> Value:
    """A model gets adapters, which are where it is; all else in it is trained no more."""
    value = _same(machine, call)
    if not isinstance(module := value.payload, Module):
        return UNKNOWN
    settings = call.argument(1, "peft_config")
    draws = module.draws or (settings is not None and settings.payload == _DROPPING_ADAPTERS)
    return value._replace(payload=module._replace(draws=draws, adapted=True))


def _deep_copy(machine: Machine, call: Call) -> Value:
    """A module that is copied has parameters of its own."""
    value = _same(machine, call)
    if isinstance(module := value.payload, Module):
        return value._replace(payload=module._replace(identity=(call.site,)))
    return value


def _same_or_light(machine: Machine, call: Call) -> Value:
    value = _same(machine, call)
    if value.kind is Kind.TENSOR:
        return call.record((value,), Weight.LIGHT)
    return value


def _second(machine: Machine, call: Call) -> Value:
    return call.argument(1) or UNKNOWN


def _unknown_object(machine: Machine, call: Call) -> Value:
    return UNKNOWN


def _isinstance(machine: Machine, call: Call) -> Value:
    value, wanted = call.argument(0), call.argument(1)
    if call.frame.outline.is_framework and value is not None and wanted is not None:
        return _is_of_kind(machine, value, wanted)
    if value is None or wanted is None:
        return HOST
    if asked := _collections(wanted):
        known = _is_collection(value, asked)
        return HOST if known is None else constant(known)
    answers = [_is_of(value, _name_of(each)) for each in elements(wanted) or (wanted,)]
    if True in answers:
        return constant(True)
    return HOST if None in answers else constant(False)


def _name_of(wanted: Value) -> str:
    """The name of a class of a library; empty for what is none."""
    if isinstance(wanted.payload, Namespace):
        return wanted.payload.name
    return next((target.name for target in targets(wanted) if isinstance(target, Known)), "")


def _is_of(value: Value, asked: str) -> bool | None:
    """Whether a value is of a class of torch's, where that is known."""
    if asked == functions.TENSOR and value.kind in _NO_TENSORS:
        return False
    kind = _KINDS.get(asked)
    if kind is None:
        return None
    if value.kind is kind:
        return True if value.known and kind is not Kind.LOADER else None
    return False if value.kind in _TOLD_APART and not value.assumes else None


_KINDS: Final = {
    functions.TENSOR: Kind.TENSOR,
    "torch.nn.Module": Kind.MODULE,
    "torch.optim.Optimizer": Kind.OPTIMIZER,
    "torch.utils.data.DataLoader": Kind.LOADER,
}
"""What an instance of a class is. Loaders are of many classes."""
_TOLD_APART: Final = frozenset(
    {
        Kind.TENSOR,
        Kind.MODULE,
        Kind.OPTIMIZER,
        Kind.SCALER,
        Kind.LOADER,
        Kind.DEVICE,
        Kind.CONSTANT,
        Kind.NONE,
    }
)
"""What is one of them is none of the others."""


def _collections(wanted: Value) -> frozenset[str]:
    """Which of Python's own collections are asked for; none if anything else is asked for, too."""
    names: set[str] = set()
    for each in elements(wanted) or (wanted,):
        asked = [target.name if isinstance(target, Known) else "" for target in targets(each)]
        if not asked or not _COLLECTIONS.issuperset(asked):
            return frozenset()
        names.update(asked)
    return frozenset(names)


def _is_collection(value: Value, asked: frozenset[str]) -> bool | None:
    """Whether a value is one of some collections, where that is known; lists are not told from tuples."""
    if isinstance(held := value.payload, Container):
        if held.keys is not None:
            return None if functions.MAPPING in asked else False
        return True if asked >= _SEQUENCES else None if asked != {functions.MAPPING} else False
    is_tensor = value.kind is Kind.TENSOR and value.known and value.role is Role.PLAIN
    return False if is_tensor or value.kind in _NO_COLLECTIONS else None


_SEQUENCES: Final = frozenset({"builtins.list", "builtins.tuple"})
_COLLECTIONS: Final = _SEQUENCES | {functions.MAPPING, "builtins.set"}
_NO_COLLECTIONS: Final = frozenset({Kind.NONE, Kind.MODULE, Kind.OPTIMIZER, Kind.DEVICE})


def _is_tensor(machine: Machine, call: Call) -> Value:
    value = call.argument(0, "obj")
    known = None if value is None else _known_as_tensor(value)
    return HOST if known is None else constant(known)


def _known_as_tensor(value: Value) -> bool | None:
    """Whether a value is a tensor, where that is known."""
    if value.kind is Kind.TENSOR and value.role in (Role.PLAIN, Role.GRADIENT):
        return True  # what is said of it is said of the tensor that it is
    return False if value.kind in _NO_TENSORS else None


_NO_TENSORS: Final = frozenset({Kind.CONSTANT, Kind.NONE, Kind.CONTAINER, Kind.MODULE})


def _is_of_kind(machine: Machine, value: Value, wanted: Value) -> Value:
    """Programs of frameworks ask what users hand to them; what is not known is nothing of that."""
    if isinstance(classes := wanted.payload, Classes):
        made_of = value.payload.of if isinstance(value.payload, Instance) else ()
        derived = [base for cls in made_of if not isinstance(cls, str) for base in machine.classes.bases(cls)]
        return constant(not set(classes.of).isdisjoint((*made_of, *derived)))
    asked = _name_of(wanted)
    if asked == "builtins.str":
        return constant(isinstance(literal(value), str))
    kind = machine.classes.gone_over(value).kind
    return constant(kind is _KINDS.get(asked, Kind.LOADER if asked in _LOADERS else None))


_LOADERS: Final = frozenset(name for name, effect in functions.FUNCTIONS.items() if effect.endswith("loader"))


def _length(machine: Machine, call: Call) -> Value:
    given = call.argument(0)
    if given is not None and isinstance(held := given.payload, Container):
        if held.items is not None and call.frame.outline.is_framework:
            return constant(len(held.items))
        if held.length is not None:
            return Value(Kind.HOST, payload=held.length)
    return HOST  # as long on each replica: a sampler fills up what it deals out


def _type(machine: Machine, call: Call) -> Value:
    value = call.argument(0)
    if value is not None and isinstance(value.payload, Instance):
        return Value(Kind.CLASS, payload=Classes(value.payload.of))
    return UNKNOWN


def _hasattr(machine: Machine, call: Call) -> Value:
    """A gate for older releases is open: the one that code is checked for has the name. So is one for other
    objects than those of a class that has the method."""
    base, name = call.argument(0), literal(call.argument(1))
    classes = classes_of(base) if base is not None and isinstance(name, str) else ()
    known = [cls for cls in classes if not isinstance(cls, str)]
    if known and known == [*classes] and all(machine.classes.find_method(cls, str(name)) for cls in known):
        return constant(True)
    module = base.payload if base is not None else None
    if not (isinstance(module, Namespace) and module.outline is None):
        return HOST
    return constant(True) if lifecycle.exists(f"{module.name}.{name}", LATEST) else HOST


def _getattr(machine: Machine, call: Call) -> Value:
    base, name = call.argument(0), literal(call.argument(1))
    if base is None or name is None:
        module = base.payload if base is not None else None
        if isinstance(module, Namespace) and module.outline is None:
            return named_in_library(machine, module.name, None, call.frame)
        return UNKNOWN
    if (chosen := option_in(machine, base, str(name), call.frame.outline)) is not None:
        return chosen
    found = attribute(machine, base, str(name), None, call.frame, call.store)
    if found.kind is Kind.CALLABLE and any(isinstance(t, Method) for t in targets(found)):
        if base.kind is Kind.MODULE and name in library_classes.WRAPPED:
            return base
        if base.kind in (Kind.TENSOR, Kind.MODULE, Kind.OPTIMIZER):
            return found
        return machine.names.flag(str(name), call.frame.outline) or UNKNOWN
    return found


def _setattr(machine: Machine, call: Call) -> Value:
    given, name, value = call.argument(0), literal(call.argument(1)), call.argument(2) or UNKNOWN
    named = call.node.args[0] if call.node is not None and call.node.args else None
    if isinstance(name, str) and isinstance(named, ast.Name | ast.Attribute):
        target = ast.copy_location(ast.Attribute(named, name, ast.Store()), named)
        bind(machine, target, value, call.frame, call.store)
        return NONE
    for cls in classes_of(given) if given is not None else ():
        if isinstance(cls, str):
            continue
        # What a framework's class holds it is told by its name.
        bases = [base for base in machine.classes.bases(cls) if not base.outline.is_framework]
        constants = {held for base in bases for held in base.constants}
        constants |= {
            held
            for (owner, held), kept in call.store.attributes.items()
            if owner is cls and kept.kind in _SETTINGS
        }
        for held in sorted(constants):
            machine.touch((cls, held))
            call.store.attributes[cls, held] = UNKNOWN
    return NONE


_SETTINGS: Final = frozenset({Kind.CONSTANT, Kind.NONE})
"""What an attribute may hold that is set anew by a name which nobody knows."""


def _super(machine: Machine, call: Call) -> Value:
    return UNKNOWN


def _import(machine: Machine, call: Call) -> Value:
    name = literal(call.argument(0, "name"))
    return machine.names.qualified(name, call.frame.outline) if isinstance(name, str) else UNKNOWN


def _import_package(machine: Machine, call: Call) -> Value:
    """`__import__("a.b")` gives `a`, and `a.b` only where it is told what to take from there."""
    name = literal(call.argument(0, "name"))
    taken = call.argument(3, "fromlist")
    if not isinstance(name, str) or call.argument(4, "level") is not None or call.open_ended:
        return UNKNOWN
    if taken is None:
        name = name.partition(".")[0]
    elif not elements(taken):
        return UNKNOWN
    return machine.names.qualified(name, call.frame.outline)


def _find_module(machine: Machine, call: Call) -> Value:
    """Whether a package is installed: what the program is checked for is."""
    name = literal(call.argument(0, "name"))
    if isinstance(name, str) and name.partition(".")[0] in functions.LIBRARIES:
        return machine.names.qualified(name, call.frame.outline)
    return UNKNOWN


def _thread(machine: Machine, call: Call) -> Value:
    """A thread, or a process, runs what it is given: a launch, for one. What that leaves is its own."""
    target = call.argument(1, "target")
    if target is not None and not all(isinstance(each, Bound) for each in targets(target)):
        aside = call.store.copy()
        aside.state.obligations = frozenset()
        given = elements(call.argument(3, "args"))
        machine.invoke(target, Call(call.frame, aside, call.site, None, given))
    return call_unknown(machine, call)


def _partial(machine: Machine, call: Call) -> Value:
    target = call.argument(0)
    if target is None or call.open_ended:
        return UNKNOWN
    return callable_value(Partial(target, tuple(call.arguments[1:]), tuple(call.keywords.items())))


def _field(machine: Machine, call: Call) -> Value:
    """What a field of a dataclass holds where nobody gives it anything, if that is made anew for each.

    Fields with a default are often options of a command line, which may be given.
    """
    factory = call.keywords.get("default_factory")
    return (
        UNKNOWN if factory is None else machine.invoke(factory, Call(call.frame, call.store, call.site, None))
    )


def _device_module(machine: Machine, call: Call) -> Value:
    """PyTorch is given a module for a kind of devices."""
    if literal(call.argument(0, "device_type")) == functions.XLA_DEVICE:
        call.frame.model.register_device(call.store.state)
    return NONE


def _checkpoint_by_torch(machine: Machine, call: Call) -> Value:
    """Activation checkpointing of PyTorch, which asks the tensors that it is given for their device."""
    _ask_for_device(machine, call, call.arguments[1:])
    return _call_with_the_rest(machine, call)


def _checkpoint_in_turn(machine: Machine, call: Call) -> Value:
    """The same of a sequence, in so many parts, of which the last is computed as it is."""
    function, given = call.argument(0, "functions"), call.argument(2, "input")
    if function is None or given is None:
        return call_unknown(machine, call)
    if literal(call.argument(1, "segments")) != 1:
        _ask_for_device(machine, call, [given])
    return machine.invoke(function, Call(call.frame, call.store, call.site, None, [given]))


def _ask_for_device(machine: Machine, call: Call, given: list[Value]) -> None:
    """PyTorch asks for a module of the device, to keep its random numbers, and torch_xla has none."""
    # Where it is one of several functions, or tried, those who chose know of the device. The body of a module
    # goes through what it sets up in its order.
    served = call.frame.function is not None and machine.serves_checkpointing(call.frame.outline)
    unaware = not (call.store.state.trust.bounded or _is_tried(call) or served)
    for value in given if unaware else ():
        tensor = element(value) if value.kind is Kind.CONTAINER else value
        if tensor.kind is Kind.TENSOR and tensor.known:
            reentrant = call.flag("use_reentrant", default=True)
            call.frame.model.checkpoint(
                call.store.state, tensor, call.spelling, call.site, reentrant=reentrant
            )
            break


def _call_with_the_rest(machine: Machine, call: Call) -> Value:
    """The first argument is called with the others, as activation checkpointing does."""
    if not call.arguments:
        return call_unknown(machine, call)
    function, *given = call.arguments
    named = {name: value for name, value in call.keywords.items() if name not in _OF_CHECKPOINT}
    inner = Call(
        call.frame, call.store, call.site, None, given, named, open_ended=call.open_ended, spread=call.spread
    )
    return machine.invoke(function, inner)


_OF_CHECKPOINT: Final = frozenset({
    "use_reentrant", "context_fn", "determinism_check", "debug", "preserve_rng_state",
})  # fmt: skip


def _run_text(machine: Machine, call: Call) -> Value:
    """Text is run as a part of the module: what names hold that are set to constants may have changed."""
    if call.frame.function is None:
        for name, value in call.store.names.items():
            if value.kind is Kind.CONSTANT:
                call.store.names[name] = HOST
    return NONE


def _decorator_maker(machine: Machine, call: Call) -> Value:
    return callable_value(Known("functools.update_wrapper"))


def _exit(machine: Machine, call: Call) -> Value:
    call.frame.model.end(call.store.state, call.site)
    return NONE


EFFECTS: Final[dict[str, Effect]] = {
    "nothing": _nothing,
    "seed of the host": _seed_of_host,
    "seed of the device": _seed_of_device,
    "host": _host,
    "generator": _generator,
    "length": _length,
    "same": _same,
    "replaced": _replaced,
    "functional call": _functional_call,
    "settings of adapters": _settings_of_adapters,
    "adapted model": _adapted,
    "deep copy": _deep_copy,
    "same or light": _same_or_light,
    "second": _second,
    "unknown object": _unknown_object,
    "unknown truth": _host,
    "isinstance": _isinstance,
    "tensor test": _is_tensor,
    "type": _type,
    "getattr": _getattr,
    "hasattr": _hasattr,
    "setattr": _setattr,
    "super": _super,
    "import": _import,
    "import package": _import_package,
    "find module": _find_module,
    "partial": _partial,
    "field": _field,
    "thread": _thread,
    "checkpoint by torch": _checkpoint_by_torch,
    "checkpoint in turn by torch": _checkpoint_in_turn,
    "device module": _device_module,
    "call with the rest": _call_with_the_rest,
    "run text": _run_text,
    "decorator maker": _decorator_maker,
    "exit": _exit,
}
