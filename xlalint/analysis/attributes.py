"""Attributes of values, by kind of value."""

from __future__ import annotations

import ast
from typing import Final

from xlalint.analysis import shared_names
from xlalint.analysis.binding import part_of
from xlalint.analysis.call import Call
from xlalint.analysis.conditions import Arms, chosen, is_contradicted, is_instance, parted
from xlalint.analysis.frame import Frame
from xlalint.analysis.importable import lacks_class
from xlalint.analysis.lacking import may_give
from xlalint.analysis.library.modules import parameter, part_by_path
from xlalint.analysis.library.optimizers import (
    gradient,
    gradient_of_parameter,
)
from xlalint.analysis.library.options import option_in
from xlalint.analysis.machine import Evaluate, Machine
from xlalint.analysis.payloads import (
    AS_MAPPING,
    DEVICE_HOST,
    DEVICE_XLA,
    SOME,
    Bound,
    Classes,
    Container,
    Device,
    Fields,
    Instance,
    Known,
    Loader,
    Method,
    Module,
    Namespace,
    Optimizer,
    Options,
    Parameters,
    Partial,
    Scoped,
    Switch,
    Targets,
    callable_value,
    classes_of,
    constant,
    container_of,
    freed,
    literal,
    placed,
    taken_from,
    targets,
    unknown_from,
)
from xlalint.analysis.store import Store
from xlalint.analysis.switches import device_set
from xlalint.knowledge import classes as library_classes
from xlalint.knowledge import functions, operations
from xlalint.knowledge.methods import METHODS, OF_DATA_LOADERS, OF_FUNCTIONS, XLA_LOADER
from xlalint.knowledge.outside import chooses_xla
from xlalint.lazy.assumptions import OFF_IN, assume, both, is_of_ways, shown_by_backward
from xlalint.lazy.scopes import ScopeKind
from xlalint.lazy.state import Raised
from xlalint.lazy.values import (
    HOST,
    UNKNOWN,
    Kind,
    Place,
    Role,
    Tensor,
    Value,
    kinds_that,
)
from xlalint.lazy.values import join as join_values
from xlalint.program.outline import Class, dotted, last_name


def _attribute(machine: Machine, node: ast.Attribute, frame: Frame, store: Store) -> Value:
    base = machine.evaluate(node.value, frame, store)
    if (chosen := option_in(machine, base, node.attr, frame.outline)) is not None:
        _note_lack_of_option(machine, base, node, frame, store)
        return chosen
    found = attribute(machine, base, node.attr, node, frame, store)
    if any(isinstance(target, Method) and target.name == node.attr for target in targets(found)):
        found = _held(base, node.attr, found)
    if found.kind is Kind.UNKNOWN and node.attr in library_classes.OF_LAYERS:
        return _of_part(machine, node.value, frame, store) or found
    if found.kind in _UNSEEN:
        return device_set(machine, node.attr, node, frame, store) or found
    return found


def _of_part(machine: Machine, node: ast.expr, frame: Frame, store: Store) -> Value | None:
    """The parameter of a layer that a chain of attributes leads to from a module of unknown layers."""
    part = part_by_path(machine, node, frame, store, "is a layer")
    if part is None or not isinstance(layer := part.payload, Module) or layer.place is Place.UNKNOWN:
        return None
    held = Parameters(layer.identity, layer.place, is_one=True)
    return Value(Kind.PARAMETERS, part.assumes, payload=held)


_UNSEEN: Final = (Kind.UNKNOWN, Kind.HOST)
"""What may be the name of a device."""


def callee(machine: Machine, node: ast.Attribute, frame: Frame, store: Store) -> Value:
    """An attribute that is called: where nothing else is known of it, it is a method."""
    base = machine.evaluate(node.value, frame, store)
    return attribute(machine, base, node.attr, node, frame, store)


def _held(base: Value, name: str, method: Value) -> Value:
    """What a value holds under a name that may be a method's: nobody calls it here.

    Only what is known to be a method is one; `args.verbose` is as unknown as `args`.
    """
    if base.kind is Kind.TENSOR:
        if base.role in (Role.DISTRIBUTION, Role.SAMPLER):
            return base._replace(payload=None)
        if name in operations.OPERATIONS:
            return method
        if base.known and base.role is not Role.STRUCTURE:
            return freed(base) if name in operations.PARTS_OF_RESULTS else unknown_from(base)
        return part_of(base, name)
    if name in METHODS.get(base.kind, ()):
        return method
    if isinstance(optimizer := base.payload, Optimizer) and name == "param_groups":
        given = Value(Kind.PARAMETERS, payload=Parameters(optimizer.over, optimizer.place))
        group = Value(Kind.CONTAINER, payload=Container((given,), HOST, ("params",)))
        return container_of(group)
    if isinstance(module := base.payload, Module):
        if name == "device" and module.place is not Place.UNKNOWN:
            return DEVICE_XLA if module.place is Place.XLA else DEVICE_HOST
        if name in library_classes.OF_LAYERS and not module.of:
            layer = Parameters(module.identity, module.place, is_one=True)
            return Value(Kind.PARAMETERS, base.assumes, payload=layer)
        return base if name in library_classes.WRAPPED else unknown_from(base)
    if isinstance(mapping := base.payload, Container) and mapping.keys is not None:
        return mapping.under(name)  # of a tokenizer's: no dict of Python's has such attributes
    if base.kind in (Kind.HOST, Kind.CONSTANT, Kind.ORDINAL):
        held = None if name in operations.HOST_ATTRIBUTES else taken_from(base)
        return Value(Kind.HOST, differs=base.differs, payload=held)
    return unknown_from(base)


def attribute(
    machine: Machine, base: Value, name: str, node: ast.Attribute | None, frame: Frame, store: Store
) -> Value:
    """An attribute of a value, which is a method where nothing else is known.

    `node`, when there is one, says by which path it was reached.
    """
    kind, payload = base.kind, base.payload
    if isinstance(payload, Namespace):
        return _in_namespace(machine, payload, name, node, frame, store)
    if isinstance(payload, Module) and name == "training" and payload.training is not None:
        return constant(payload.training)
    if isinstance(payload, Loader) and payload.of_xla and name in OF_DATA_LOADERS and node is not None:
        _note_lack_of_loader(machine, base, node, frame, store)
    if classes := classes_of(base):
        found = _of_instance(machine, base, classes, name, node, frame, store)
        if found is not None:
            if found.kind is Kind.UNKNOWN:
                return machine.names.flag(name, frame.outline) or found
            return found
    if kind is Kind.TENSOR:
        return _of_tensor(base, name)
    if isinstance(payload, Parameters) and name in operations.PARAMETER_ATTRIBUTES:
        of_grad = name == "grad" and payload.place is Place.XLA
        held = gradient_of_parameter(store) if of_grad else _of_tensor(parameter(payload, store), name)
        return held._replace(assumes=both(held.assumes, base.assumes)) if base.assumes else held
    if isinstance(payload, Fields) and (given := payload.under(name)) is not None:
        return given
    if kind is Kind.UNKNOWN and name in ("grad", "found_inf") and store.state.scopes.of(ScopeKind.OPTIMIZER):
        return gradient(store) if name == "grad" else gradient(store)._replace(payload=Tensor(Role.FOUND_INF))
    if isinstance(payload, Device):
        if name in METHODS[Kind.DEVICE]:
            return callable_value(Method(base, name))
        return constant(payload.type) if name == "type" and payload.type else HOST
    if isinstance(payload, Classes):
        found = _of_class(machine, payload, name, frame, store)
        if found is not None:
            return found
    if isinstance(payload, Module) and payload.parts is not None:
        parts = payload.held  # an `nn.ModuleDict` has its parts as attributes, too
        if parts is not None and parts.keys is not None and name in parts.keys:
            return parts.under(name)
    if isinstance(payload, Module) and payload.asks_as:
        part = library_classes.PARTS_ASKING.get(payload.asks_as, {}).get(name)
        if part is not None:
            return base._replace(payload=payload._replace(asks_as=part, is_part=True))
    if kind in _WITH_METHODS:
        return callable_value(Method(base, name, dotted(node.value) if node is not None else ""))
    if kind is Kind.CONSTANT and name == "value":
        return base  # of a member of an enumeration, which counts as what stands there
    if kind in (Kind.HOST, Kind.CONSTANT, Kind.ORDINAL):
        return callable_value(Method(base, name))
    flag = machine.names.flag(name, frame.outline)
    if flag is not None:
        return flag
    if isinstance(payload, Targets):
        (target, *others) = payload.of
        if not others and isinstance(target, Known) and f"{target.name}.{name}" in functions.FUNCTIONS:
            return callable_value(Known(f"{target.name}.{name}"))  # a class makes objects in several ways
        if node is not None:
            _miss_method(payload, name, node, frame, store)
        return UNKNOWN
    return callable_value(Method(base, name, dotted(node.value) if node is not None else ""))


def _in_namespace(
    machine: Machine, namespace: Namespace, name: str, node: ast.Attribute | None, frame: Frame, store: Store
) -> Value:
    if namespace.outline is not None:
        value = shared_names.in_module(machine, namespace.outline, name, store)
        if value is not None:
            return value
        value = machine.names.flag(name, frame.outline) or machine.names.in_module(name, namespace.outline)
        if value is not None:
            return value
        inner = machine.names.find_module(f"{namespace.name}.{name}", namespace.outline)
        if inner is not None:
            return Value(Kind.NAMESPACE, payload=Namespace(inner.name, inner))
        if (
            node is not None
            and store.state.trust.raised is None
            and lacks_class(machine, namespace.name, name, frame.outline)
        ):
            store.state.raises(Raised(frame.site(node), f"`{namespace.name}` has no `{name}`"))
        return UNKNOWN
    return machine.names.library(f"{namespace.name}.{name}", frame.outline)


def named_in_library(machine: Machine, module: str, name: object, frame: Frame) -> Value:
    """What a module of a library has under a name: where settings hold that, one of many, such as models or
    optimizers."""
    if isinstance(name, str):
        return machine.names.library(f"{module}.{name}", frame.outline)
    return Value(Kind.NAMESPACE, payload=Namespace(f"{module}.{SOME}"))


def _of_instance(
    machine: Machine,
    base: Value,
    classes: tuple[Class | str, ...],
    name: str,
    node: ast.Attribute | None,
    frame: Frame,
    store: Store,
) -> Value | None:
    joined: Value | None = None
    for number, cls in enumerate(classes):
        if isinstance(cls, str):
            found: Value | None = callable_value(Method(base, name, dotted(node.value) if node else ""))
            known = f"{cls}.{name}"
            if known in functions.FUNCTIONS:
                found = callable_value(Known(known))
        else:
            receiver = _as_receiver(base, cls)
            asked = node if len(classes) == 1 else None
            found = _of_project_class(machine, receiver, cls, name, asked, frame, store)
        if found is None:
            return None
        if joined is None:
            joined = found
        elif joined != found:
            either = None if node is None else chosen(joined, found, _by_class(node.value, classes, number))
            joined = either or join_values(joined, found)
    module = base.payload
    if joined is not None and joined.kind is Kind.CALLABLE and isinstance(module, Module) and module.or_other:
        plain = callable_value(Method(base._replace(payload=module.plain()), name))
        return join_values(joined, plain)
    return joined


def _by_class(node: ast.expr, classes: tuple[Class | str, ...], number: int) -> Arms:
    """That an object is of one of several classes, or of those before it."""
    names = (cls if isinstance(cls, str) else cls.name for cls in classes)
    return parted([is_instance(node, name) for name in names], number)


def _as_receiver(base: Value, cls: Class) -> Value:
    """What may be of several classes, as what it is in a method of one of them."""
    held = base.payload
    if isinstance(held, Module) and (len(held.of) > 1 or held.or_other):
        return base._replace(payload=held._replace(of=(cls,), or_other=False))
    if isinstance(held, Instance) and len(held.of) > 1:
        return base._replace(payload=held._replace(of=(cls,)))
    return base


def _of_project_class(
    machine: Machine,
    base: Value,
    cls: Class,
    name: str,
    node: ast.Attribute | None,
    frame: Frame,
    store: Store,
) -> Value | None:
    if isinstance(held := base.payload, Instance) and held.holds:
        for field, registered in held.holds:
            if field == name:
                return registered
            if field == AS_MAPPING and name in METHODS[Kind.CONTAINER]:
                return callable_value(Method(registered, name))
    machine.touch((cls, name))
    value = store.attributes.get((cls, name))
    if value is None:
        found = machine.classes.find_method(cls, name)
        if found is not None:
            by = library_classes.PROPERTIES.intersection(map(last_name, found.decorators))
            if by:
                site = frame.site(found.node) if found.outline is frame.outline else found.site
                value = machine.enter(Bound(found, base), Call(frame, store, site, None))
                if library_classes.CACHED in by:
                    store.attributes[cls, name] = value  # it is run once
                return value
            return callable_value(Bound(found, None if found.is_static else base))
        table = machine.classes.attributes(cls)
        value = table.get(name)
        if value is not None and value.assumes and is_contradicted(value.assumes, store.state.facts):
            value = UNKNOWN
        if value is not None and value.kind is Kind.INSTANCE:
            _bring_parts(machine, value, name, table, store)
    if value is None:
        for base_class in machine.classes.bases(cls):
            if name in base_class.constants:
                value = shared_names.in_class(machine, base_class, name, store)
                if value is not None:
                    break
                value = machine.classes.constant(base_class, name)
                if name in base_class.fields():
                    value = _given(machine, value, base_class, name, frame)
                break
    if value is None and node is not None:
        _note_lack(machine, base, cls, node, frame, store)
    module = base.payload
    if not isinstance(module, Module):
        return UNKNOWN if value is None else value
    if value is None:
        return None
    if module.place is not Place.HOST or isinstance(value.payload, Module):
        return placed(value, module)
    # What another instance, one on the device, holds under the name may not be this one's.
    return value._replace(assumes=_SAME_INSTANCE) if value.kind is Kind.TENSOR else value


def _given(machine: Machine, default: Value, cls: Class, name: str, frame: Frame) -> Value:
    """What a field is: what is None may be given though nobody is seen to do so, and a flag that is on, and
    that the program sets itself, may be either, or is off on XLA.

    One that is off is mostly set where somebody asks for it.
    """
    if default.kind is Kind.NONE:
        return UNKNOWN
    if literal(default) is not True or chooses_xla(name):
        return default
    where = machine.classes.where_set(cls, name, frame.outline)
    if where is None:
        return default
    return Value(Kind.HOST, payload=Switch(f"`{name}`{OFF_IN}`{where}`")) if where else UNKNOWN


def _note_lack(
    machine: Machine, base: Value, cls: Class, node: ast.Attribute, frame: Frame, store: Store
) -> None:
    """An object is asked for what nothing gives it: that raises."""
    if store.state.trust.raised is not None or base.assumes:
        return
    if machine.classes.lacks(cls, node.attr, frame.outline):
        store.state.raises(Raised(frame.site(node), f"a `{cls.name}` has no `{node.attr}`"))


def _note_lack_of_loader(
    machine: Machine, loader: Value, node: ast.Attribute, frame: Frame, store: Store
) -> None:
    """A loader of torch_xla is asked for what only the one has that it goes over: that raises."""
    if store.state.trust.raised is not None or loader.assumes:
        return
    machine.rest_on("gives", frame.outline.file, f"{XLA_LOADER} {node.attr}")
    if not may_give(frame.outline, XLA_LOADER, node.attr):
        why = f"a `{XLA_LOADER}` has no `{node.attr}`, unlike the loader that it goes over"
        store.state.raises(Raised(frame.site(node), why))


def _note_lack_of_option(
    machine: Machine, holder: Value, node: ast.Attribute, frame: Frame, store: Store
) -> None:
    """The command line is asked for an option that the program does not add: that raises."""
    if store.state.trust.raised is not None or holder.assumes:
        return
    match holder.payload:
        case Options(outline=outline, fields=False) if outline is frame.outline:
            if machine.names.lacks_option(outline, node.attr):
                store.state.raises(Raised(frame.site(node), f"the program has no option `{node.attr}`"))


def _bring_parts(machine: Machine, part: Value, name: str, table: dict[str, Value], store: Store) -> None:
    """An object that another has made for itself is asked for: so is what it holds since then."""
    for path, value in table.items():
        holder, _, attribute = path.partition(".")
        if holder == name and attribute:
            for cls in classes_of(part):
                if not isinstance(cls, str) and attribute not in machine.classes.attributes(cls):
                    machine.touch((cls, attribute))
                    store.attributes.setdefault((cls, attribute), value)


def _of_class(machine: Machine, classes: Classes, name: str, frame: Frame, store: Store) -> Value | None:
    for cls in classes.of:
        if isinstance(cls, str):
            return machine.names.library(f"{cls}.{name}", frame.outline)
        method = machine.classes.find_method(cls, name)
        if method is not None:
            if any(
                isinstance(d, ast.Name) and d.id in library_classes.CLASS_METHODS for d in method.decorators
            ):
                return callable_value(Bound(method, Value(Kind.CLASS, payload=Classes((cls,)))))
            return callable_value(Bound(method))
        for base in machine.classes.bases(cls):
            given = shared_names.in_class(machine, base, name, store)
            if given is not None:
                return given
            if name in base.constants:
                return machine.classes.constant(base, name)
        if name == library_classes.RUNS_FORWARD and machine.classes.is_differentiated_by_hand(cls):
            return _forward_of(machine, cls)
    return None


def _forward_of(machine: Machine, cls: Class) -> Value | None:
    """What autograd runs of a function whose backward is written by hand: its `forward`, with a context
    unless that is set up apart."""
    forward = machine.classes.find_method(cls, "forward")
    if forward is None or not forward.is_static:
        return None
    apart = machine.classes.find_method(cls, "setup_context") is not None
    return callable_value(Partial(callable_value(Bound(forward)), () if apart else (UNKNOWN,), ()))


def _miss_method(targets: Targets, name: str, node: ast.Attribute, frame: Frame, store: Store) -> None:
    """What `torch_xla.compile` made of a module is a function, without the module's methods."""
    (target, *others) = targets.of
    if others or not isinstance(target, Scoped) or target.target.kind is not Kind.MODULE:
        return
    if name in METHODS[Kind.MODULE] and name not in OF_FUNCTIONS:
        frame.model.miss_method(store.state, name, frame.site(node), assumes=target.target.assumes)


def _of_tensor(base: Value, name: str) -> Value:
    # Where it is a tensor at all, it is one of the device.
    known = base.kind is Kind.TENSOR and is_of_ways(shown_by_backward(base.assumes))
    if known and name in operations.ON_OTHER_DEVICES:
        return constant(False)._replace(assumes=base.assumes)
    if name in operations.HOST_ATTRIBUTES:
        return HOST
    if name == "device":
        return Value(Kind.DEVICE, base.assumes, payload=Device("xla" if known else ""))
    if name in operations.TENSOR_ATTRIBUTES:
        return freed(base)
    return callable_value(Method(base, name))


_SAME_INSTANCE: Final = assume("this object and the one that was moved to the device are the same")

_WITH_METHODS: Final = kinds_that("has_methods")


EVALUATORS: Final[dict[type, Evaluate]] = {ast.Attribute: _attribute}
