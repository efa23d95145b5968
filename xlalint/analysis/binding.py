"""Assignment: values to names, attributes and items, containers taken apart; and what iterating yields."""

from __future__ import annotations

import ast
from collections import Counter as Counted
from typing import Final

from xlalint.analysis import shared_names
from xlalint.analysis.call import Call
from xlalint.analysis.conditions import forget
from xlalint.analysis.frame import Frame
from xlalint.analysis.machine import Machine
from xlalint.analysis.payloads import (
    Bound,
    Classes,
    Collator,
    Compiled,
    Constant,
    Container,
    Counter,
    Fields,
    Iterated,
    Loader,
    Module,
    Namespace,
    OfAllHosts,
    OfHost,
    OfNumpy,
    Options,
    Parameters,
    Shared,
    StateDict,
    Switch,
    classes_of,
    comes_again_in_each_epoch,
    constant,
    container,
    container_of,
    counts,
    drawn_of,
    elements,
    is_host_tensor,
    literal,
    of_model,
    taken_from,
    targets,
    unknown_from,
)
from xlalint.analysis.store import Store
from xlalint.analysis.work import name_that_counts, read, read_into_host, record
from xlalint.knowledge import functions
from xlalint.knowledge.methods import CALLED
from xlalint.knowledge.operations import PARTS_OF_OUTPUTS
from xlalint.lazy.assumptions import IS_A_TENSOR, PART, either, shown_by_use
from xlalint.lazy.events import Reading
from xlalint.lazy.sharding import Mesh
from xlalint.lazy.state import Raised
from xlalint.lazy.values import (
    HOST,
    UNKNOWN,
    XLA,
    Form,
    Kind,
    Place,
    Recorded,
    Role,
    Tensor,
    Value,
    Weight,
    join_all,
    kinds_that,
    of_role,
    worked_on,
)
from xlalint.lazy.values import join as join_values
from xlalint.program.outline import Class, Function, last_name, within
from xlalint.remembering import remembered
from xlalint.spelling import THE_FRAMEWORK, spelling


def element(value: Value) -> Value:
    """What iterating a value yields."""
    if isinstance(value.payload, Container) and value.payload.keys is not None:
        return HOST  # the keys of a dict
    if isinstance(held := value.payload, Container):
        return _each(held)
    if isinstance(value.payload, Iterated | Loader):
        return value.payload.element
    if value.kind is Kind.TENSOR:
        return part_of(value)
    if value.kind in (Kind.HOST, Kind.CONSTANT):
        return Value(Kind.HOST, differs=value.differs, payload=taken_from(value) or drawn_of(value))
    if isinstance(held := value.payload, Parameters):
        return value if held.is_one else value._replace(payload=held._replace(is_one=True))
    if isinstance(module := value.payload, Module):
        if module.held is not None:
            return module.held.element
        return value._replace(payload=module.plain()._replace(parts=None))
    return unknown_from(value)


def round_of(over: Value, frame: Frame, store: Store) -> Value:
    """What a round gets of what is gone over. A row of a tensor is work, which runs when the row is read."""
    each = element(over)
    if (
        over.kind is Kind.TENSOR
        and over.role in _HAVING_ROWS
        and over.known
        and frame.model.records(store.state)
    ):
        return each._replace(recorded=each.recorded.at_least(Weight.LIGHT))
    return each


_HAVING_ROWS: Final = frozenset({Role.PLAIN, Role.MASK})


def mapped(value: Value) -> Value:
    """What a mapping holds under its keys, such as what `**value` passes on."""
    return value.payload.element if isinstance(value.payload, Container) else element(value)


def _each(held: Container) -> Value:
    """What a loop over a container gets: where its items are known, the heaviest comes, too."""
    each = held.element
    if held.items is None or each.kind is not Kind.TENSOR:
        if each.kind is Kind.CONTAINER and held.items is not None:
            return _each_of_many(held.items) or each
        return each
    must = max(item.recorded.must for item in held.items)
    return each._replace(recorded=Recorded(must, max(must, each.recorded.may)))


def _each_of_many(rows: tuple[Value, ...]) -> Value | None:
    """What a loop over rows of one length gets, such as the pairs of `zip`; None where they are no such."""
    columns = [
        row.payload.items for row in rows if isinstance(row.payload, Container) and not row.payload.keys
    ]
    if len(columns) != len(rows) or any(
        items is None or len(items) != len(columns[0] or ()) for items in columns
    ):
        return None
    each = zip(*(items or () for items in columns), strict=True)
    return container([_each(Container(column, join_all(column, HOST))) for column in each])


def holds_some(over: Value) -> bool:
    """Whether there surely is something in what is gone over."""
    if over.kind in _NEVER_EMPTY:
        return True
    return isinstance(held := over.payload, Container) and (bool(held.items) or of_model(held.element))


def holds_part(item: Value) -> bool:
    """Whether an item is a part of a training, such as a model or its optimizer, or one beside its name."""
    if isinstance(held := item.payload, Container) and held.items is not None and held.keys is None:
        return any(each.kind in _PARTS for each in held.items)
    return item.kind in _PARTS


def told_by_kind(held: Container) -> tuple[Value, ...]:
    """What each round over a container gets of which some items are tensors on the device, alone or beside
    their names, and others are none: numbers to be logged, of which a loop over all reads the former only."""
    items = held.items or ()
    on_device = 0
    for item in items:
        inner = item.payload
        of: tuple[Value, ...] = (item,)
        if isinstance(inner, Container) and inner.items is not None and inner.keys is None:
            of = inner.items
        on_device += any(each.kind is Kind.TENSOR for each in of)
    if not 0 < on_device < len(items):
        return ()
    return items if held.keys is None else each_key(held)


def each_key(held: Container) -> tuple[Value, ...]:
    """The keys of a mapping; empty where one of them is not known."""
    keys = held.keys or ()
    return () if None in keys else tuple(constant(key) for key in keys)


MOST_APPENDED: Final = 8
"""Up to so many appended elements are told apart."""


def joined(held: Container, given: Value) -> Value | None:
    """A list and what another holds, one after the other, where all of it is known and there is little."""
    other = given.payload
    if not isinstance(other, Container) or held.items is None or other.items is None:
        return None
    few = len(held.items) + len(other.items) <= MOST_APPENDED
    return (
        container([*held.items, *other.items]) if few and held.keys is None and other.keys is None else None
    )


def one_after_other(*elements: Value) -> Value:
    """A list of what several hold, of each any number. Parameters of several models stay those of each."""
    if all(each.kind is Kind.PARAMETERS for each in elements):
        return container(list(elements))
    return container_of(join_all(elements, UNKNOWN))


def with_entries(held: Container, given: Value) -> Value:
    """A mapping with the entries of another. Where nobody knows the keys of these, any setting may be another
    one now; what is saved or trained is not put there twice."""
    if held.items == ():
        is_mapping = isinstance(other := given.payload, Container) and other.keys is not None
        return given if is_mapping else container_of(mapped(given), keyed=True)
    if held.items is None:
        return container_of(join_values(held.element, mapped(given)), keyed=True)
    keys, items = [*(held.keys or ())], [*held.items]
    for key, item in _entries(given):
        if key is None:
            items = [
                each if name is not None and each.kind in _NOT_SET_ANEW else join_values(each, item)
                for name, each in zip(keys, items, strict=True)
            ]
        if key not in keys:
            keys.append(key)
            items.append(item)
        elif key is not None:
            items[keys.index(key)] = item
    return container(items, tuple(keys))


def _entries(given: Value) -> list[tuple[object, Value]]:
    """What stands under which keys of a mapping: where nobody knows these, any of it under None."""
    held = given.payload
    if isinstance(held, Container) and held.keys is not None and held.items is not None:
        return [*zip(held.keys, held.items, strict=True)]
    return [(None, mapped(given))]


_NOT_SET_ANEW: Final = frozenset({
    Kind.TENSOR, Kind.MODULE, Kind.PARAMETERS, Kind.OPTIMIZER, Kind.STATE_DICT, Kind.CONTAINER,
})  # fmt: skip
"""What a mapping has that is no setting."""
_PARTS: Final = frozenset({Kind.MODULE, Kind.OPTIMIZER})
_NEVER_EMPTY: Final = frozenset({Kind.PARAMETERS, Kind.MODULE, Kind.TENSOR})
"""Kinds of what has a first element: nobody goes over the rows of a tensor that has none."""


def part_of(tensor: Value, name: object = None) -> Value:
    """What is taken out of what counts as one tensor, but may be made of tensors and numbers.

    Args:
        name: Under which it stands there, as an attribute or a key.
    """
    if tensor.role is Role.STRUCTURE:
        held = tensor.payload
        known = name in PARTS_OF_OUTPUTS or (isinstance(held, Tensor) and name in held.tensors)
        assumes = tensor.assumes if known else either(tensor.assumes, PART)
        return tensor._replace(assumes=assumes, payload=None)
    return tensor if tensor.payload is None else tensor._replace(payload=None)


def indexed(base: Value, index: Value, node: ast.Subscript) -> Value:
    """What is indexed: by a tensor, or in several dimensions, only a tensor can be."""
    if base.role is Role.STRUCTURE and isinstance(node.slice, ast.Tuple):
        return of_role(base, Role.PLAIN)
    if index.kind is Kind.TENSOR or isinstance(node.slice, ast.Tuple):
        return worked_on(base)
    return base


def bind(machine: Machine, target: ast.expr, value: Value, frame: Frame, store: Store) -> None:
    """Assign a value to a target, taking containers apart."""
    if isinstance(target, ast.Name):
        if store.state.obligations:
            frame.model.bind_anew(store.state, target.id, frame.site(target))
        bind_name(target.id, value, frame, store)
        if frame.function is not None:  # what a module binds itself is found out of it
            shared_names.keep(machine, target.id, value, frame, store)
    elif isinstance(target, ast.Attribute):
        owner = machine.evaluate(target.value, frame, store)
        if isinstance(module := owner.payload, Module) and target.attr == CALLED:
            _put_in_place(machine, target.value, owner, module, value, frame, store)
        classes = classes_of(owner)
        if classes and not isinstance(classes[0], str):
            setter = machine.classes.find_method(classes[0], f"{target.attr}.setter")
            if setter is not None:
                machine.enter(Bound(setter, owner), Call(frame, store, frame.site(target), None, [value]))
                return
            bind_attribute(machine, classes[0], target.attr, value, store)
            if value.kind in _GIVEN and isinstance(target.value, ast.Name):
                shared_names.keep(machine, target.value.id, owner, frame, store)
        elif isinstance(of := owner.payload, Namespace) and of.outline is not None:
            shared_names.give(machine, of.outline, target.attr, value, store)
        elif isinstance(of, Classes) and isinstance(cls := of.of[0], Class):
            shared_names.give_class(machine, cls, target.attr, value, store)
        elif isinstance(held := owner.payload, Container):
            # No dict of Python's takes attributes, but one of a class whose items are attributes does.
            _put(machine, target.value, held, target.attr, value, frame, store)
        elif owner.kind in (Kind.UNKNOWN, Kind.HOST):
            _give(machine, target.value, owner, target.attr, value, frame, store)
    elif isinstance(target, ast.Tuple | ast.List):
        _unpack(machine, target.elts, value, frame, store)
    elif isinstance(target, ast.Starred):
        bind(machine, target.value, container_of(value), frame, store)
    elif isinstance(target, ast.Subscript):
        _bind_item(machine, target, value, frame, store)


def _put_in_place(
    machine: Machine, node: ast.expr, owner: Value, module: Module, value: Value, frame: Frame, store: Store
) -> None:
    """`model.forward = torch.compile(model.forward)`: whoever calls the module runs what that has made."""
    made = next((each for each in targets(value) if isinstance(each, Compiled)), None)
    if made is not None:
        rebind(machine, node, owner._replace(payload=module._replace(by=made.by)), frame, store)


def is_on_cpu(machine: Machine, value: Value, frame: Frame) -> bool:
    """Whether a value is surely a tensor on the CPU: no other device is the default."""
    return is_host_tensor(value) and not machine.sets_default_device(frame.outline)


def bind_name(name: str, value: Value, frame: Frame, store: Store) -> None:
    """Assign a value to a name, which may be that of a function around this one."""
    store.names[name] = value
    if store.state.facts or store.state.obligations:
        forget(name, store)


def bind_attribute(machine: Machine, cls: Class, name: str, value: Value, store: Store) -> None:
    """Give an attribute of a class's instances a value."""
    machine.touch((cls, name))
    before = store.attributes.get((cls, name))
    if before is not None and isinstance(before.payload, Shared):
        store.attributes[cls, name] = _shared(before, before.payload, value)
        return
    parted = any(not split.is_rank_test for split in store.state.replicas.splits)
    # Where a method has the name, the table is not asked; where replicas have parted, the other arm is.
    if (
        not parted
        and not machine.classes.is_tabulating(cls)
        and machine.classes.find_method(cls, name) is None
    ):
        held = machine.classes.attributes(cls).get(name)
        known = held == value and value.kind is not Kind.OPTIMIZER
        is_open = held is not None and held.kind is Kind.UNKNOWN and begins_sum(value)
        if known or (
            _says_little(machine, cls, value) and not is_open and (held is None or held.kind in _IDLE)
        ):
            # The table says it already; summaries are shared the more, the less they start from. An
            # optimizer changes when its model moves.
            if (cls, name) in store.attributes:
                store.attributes[cls, name] = value  # a caller may hold another value for it
            return
    if value.surely_differs and before is not None and before.kind is Kind.HOST and not before.differs:
        value = value._replace(differs=False)  # it may be another object that holds the same on all replicas
    store.attributes[cls, name] = value


def _shared(before: Value, shared: Shared, value: Value) -> Value:
    """What one of several objects holds from now on, as what is told of all of them."""
    if begins_sum(value):
        return Value(Kind.HOST, payload=Shared())
    if value.kind is Kind.TENSOR:
        return UNKNOWN  # the others may hold numbers
    if value.kind not in (Kind.HOST, Kind.CONSTANT):
        return value
    differs = value.surely_differs and (before.differs or not shared.begun)
    return Value(Kind.HOST, differs=differs, payload=Shared(begun=True))


def begins_sum(value: Value) -> bool:
    """Whether it is the zero from which a sum begins, which is of what is added then."""
    number = literal(value)
    return type(number) in (int, float) and number == 0


def _says_little(machine: Machine, cls: Class, value: Value) -> bool:
    """Whether it does not matter which value it is: it has nothing to do with the engine, and is no mesh, no
    collator, no name of a device, no number that is another one in each step or on each replica, and none in
    a class that starts processes, as many as it may say.
    """
    if not is_idle(value) or isinstance(value.payload, Collator | Mesh | Options | Switch) or counts(value):
        return False
    if value.surely_differs or _names_device(literal(value)):
        return False
    return not isinstance(literal(value), int) or not any(
        machine.mentions(base.outline, functions.TOLD_HOW_MANY) for base in machine.classes.bases(cls)
    )


def _names_device(text: object) -> bool:
    """Whether a text is the name of the host or of a device of XLA, as `.to` takes it."""
    return isinstance(text, str) and text.partition(":")[0] in _DEVICES


_DEVICES: Final = functions.HOSTS | {XLA}


def _refuses(base: Value, value: Value) -> bool:
    """Whether this is the environment, which takes nothing but texts, and a number for it."""
    environment = isinstance(base.payload, Namespace) and base.payload.name == functions.ENVIRONMENT
    return environment and not value.assumes and isinstance(literal(value), int | float)


def _bind_item(machine: Machine, target: ast.Subscript, value: Value, frame: Frame, store: Store) -> None:
    base = machine.evaluate(target.value, frame, store)
    index = machine.evaluate(target.slice, frame, store)
    if _refuses(base, value):
        why = f"`{functions.ENVIRONMENT}` holds texts, and gets a number"
        store.state.raises(Raised(frame.site(target), why))
    read_index(machine, base, index, target, frame, store)
    if isinstance(held := base.payload, Container):
        _put(machine, target.value, held, literal(index), value, frame, store)
    elif base.kind is Kind.TENSOR:
        base = indexed(base, index, target)
        watch_index(base, index, target, frame, store, fills=value.kind is Kind.CONSTANT)
        made = record((base, value), Weight.LIGHT, frame.site(target), frame, store)
        if base.known and base.role is Role.PLAIN and not isinstance(literal(index), str):
            changed = base._replace(recorded=made.recorded, differs=made.differs, reduced=made.reduced)
            rebind(machine, target.value, changed, frame, store)
    elif value.kind is Kind.TENSOR and is_on_cpu(machine, base, frame):
        read_into_host(target, value, frame, store)
    elif value.kind is Kind.TENSOR and isinstance(base.payload, OfNumpy) and not base.assumes:
        if not isinstance(target.slice, ast.Slice):
            read_into_host(target, value, frame, store, of_numpy=True)
        elif value.sure:
            why = f"`{spelling(target)}` is a part of an array, and gets what is on the XLA device"
            store.state.raises(Raised(frame.site(target), why))
    elif value.surely_differs and is_on_cpu(machine, base, frame):
        rebind(machine, target.value, base._replace(differs=True), frame, store)
    elif base.kind is Kind.STATE_DICT and value.kind is not Kind.TENSOR and literal(index) is None:
        # A loop over its keys puts something else in the place of all tensors, such as copies on the host.
        place = Place.HOST if value.kind is Kind.HOST else Place.UNKNOWN
        rebind(machine, target.value, base._replace(payload=StateDict(place)), frame, store)
    elif base.kind is Kind.UNKNOWN and isinstance(key := literal(index), str):
        _give(machine, target.value, base, key, value, frame, store)


def read_index(
    machine: Machine, base: Value, index: Value, node: ast.Subscript, frame: Frame, store: Store
) -> None:
    """Where an element of a tensor on the CPU, or of an array, is named by numbers of the device, each of
    these is read. By one alone it may be many that are asked for, which raises."""
    if base.kind is not Kind.HOST:
        return
    numbers = [each for each in elements(index) if each.kind is Kind.TENSOR and each.role is not Role.MASK]
    of_numpy = isinstance(base.payload, OfNumpy) and not base.assumes
    if len(numbers) > 1 and (of_numpy or is_on_cpu(machine, base, frame)):
        for each in numbers:
            read(each, Reading.INDEX, spelling(node), frame.site(node), frame, store)


def _put(
    machine: Machine, node: ast.expr, held: Container, key: object, value: Value, frame: Frame, store: Store
) -> None:
    """Put a value into a container that is reached by `node`, under a key where one is known."""
    if held.items is not None and isinstance(key, str) and (held.keys or not held.items):
        keys = list(held.keys or ())
        items = list(held.items)
        if key in keys:
            items[keys.index(key)] = value
        else:
            keys.append(key)
            items.append(value)
        changed = container(items, tuple(keys))
    elif held.keys and held.items:
        # Which key it is nobody knows, but what stands under the others is not mixed up with it.
        changed = container([join_values(item, value) for item in held.items], held.keys)
    else:
        empty = held.items == ()
        keyed = held.keys is not None
        changed = container_of(value if empty else join_values(held.element, value), keyed=keyed)
    rebind(machine, node, changed, frame, store)


def watch_index(
    base: Value, index: Value, node: ast.Subscript, frame: Frame, store: Store, *, fills: bool = False
) -> Form | None:
    """What an index takes of a tensor, or where, may be something else in each step.

    Returns by what the shape of that varies.
    """
    masks = (
        [each for each in elements(index) if each.role is Role.MASK] if index.kind is Kind.CONTAINER else ()
    )
    if masks or index.role is Role.MASK:
        index = masks[0] if masks else index
        # Whoever compares something to take a part of a tensor compares tensors.
        value, by = index._replace(assumes=shown_by_use(index.assumes - PART)), Form.MASK
        if base.known:
            # What it takes varies, wherever the mask itself is.
            value = value._replace(assumes=value.assumes - IS_A_TENSOR)
    elif _counts_in(node.slice, index) and base.role not in (Role.STRUCTURE, Role.PARTS):
        value, by = base, Form.INDEX
    else:
        return None
    # In several dimensions only tensors are indexed: it is one in each branch that made it.
    if by is Form.INDEX and isinstance(node.slice, ast.Tuple):
        value = value._replace(assumes=value.assumes - PART)
    is_one = by is Form.INDEX and isinstance(node.slice, ast.Tuple) and value.assumes == IS_A_TENSOR
    if value.known or is_one:
        text = THE_FRAMEWORK if frame.outline.is_framework else spelling(node)
        fills = fills and by is Form.MASK and not masks
        again = by is Form.INDEX and comes_again_in_each_epoch(index)
        number = name_that_counts((node.slice,), frame, store) if by is Form.INDEX else ""
        frame.model.vary_shape(
            store.state, value, by, text, frame.site(node), fills=fills, comes_again=again, number=number
        )
        return by if by is Form.MASK or is_uneven(node.slice, index) else None
    return None


def is_uneven(written: ast.expr, index: Value) -> bool:
    """Whether an index takes a stretch of another length in each step."""
    if isinstance(written, ast.Tuple):
        return any(map(is_uneven, written.elts, elements(index)))
    return isinstance(written, ast.Slice) and isinstance(held := index.payload, Counter) and held.is_length


def _counts_in(written: ast.expr, index: Value) -> bool:
    """Whether a number that is another one in each step is a part of an index; a list of numbers is data."""
    if isinstance(written, ast.Tuple):
        return any(map(_counts_in, written.elts, elements(index)))
    return index.kind is not Kind.CONTAINER and counts(index)


def _give(
    machine: Machine, node: ast.expr, owner: Value, name: str, value: Value, frame: Frame, store: Store
) -> None:
    """Something unknown is given what may matter to the engine, under a name."""
    options = owner.payload._replace(followed=False) if isinstance(owner.payload, Options) else None
    held = owner.payload if isinstance(owner.payload, Fields) else Fields((), options)
    matters = value.kind in _GIVEN or isinstance(value.payload, OfHost | OfAllHosts)
    if isinstance(node, ast.Name) and (matters or held.under(name) is not None):
        fields = held.with_(name, value)
        given = Value(Kind.UNKNOWN, recorded=fields.recorded, differs=owner.differs, payload=fields)
        bind_name(node.id, given, frame, store)
        shared_names.keep(machine, node.id, given, frame, store)


def rebind(machine: Machine, node: ast.expr, value: Value, frame: Frame, store: Store) -> None:
    """Give a changed value back to the name, the attribute or the mapping it was reached by."""
    match node:
        case ast.Call(ast.Attribute(mapping, "setdefault"), [key, *_]):
            node = ast.copy_location(ast.Subscript(mapping, key, ast.Store()), node)
        case ast.IfExp(body=ast.Name() as one, orelse=ast.Name() as another):
            # `(decay if p.dim() > 1 else rest).append(p)`: either is changed, and may be what it was.
            for each in (one, another):
                before_it = machine.evaluate(each, frame, store)
                rebind(machine, each, join_values(before_it, value), frame, store)
            return
    if isinstance(node, ast.Name):
        before = store.names.get(node.id)
        bind(machine, node, value, frame, store)
        if frame.function is None:
            shared_names.keep(machine, node.id, value, frame, store)
        if before is not None and value.kind in _CHANGED_IN_PLACE and frame.function is not None:
            for other in _names_of_one(frame.function).get(node.id, ()):
                if store.names.get(other) == before:
                    bind_name(other, value, frame, store)
    elif isinstance(node, ast.Attribute):
        bind(machine, node, value, frame, store)
    elif isinstance(node, ast.Subscript) and value.kind is Kind.CONTAINER and _is_kept_in_mapping(node):
        held = machine.evaluate(node.value, frame, store).payload
        if isinstance(held, Container) and held.keys is not None:
            _bind_item(machine, node, value, frame, store)


_CHANGED_IN_PLACE: Final = frozenset({Kind.CONTAINER, Kind.STATE_DICT})


@remembered(1024)
def _names_of_one(function: Function) -> dict[str, list[str]]:
    """The other names of what a name of a function holds, if they are bound to it by that name, and to
    nothing else."""
    bound, copies, sources = Counted[str](), Counted[str](), dict[str, set[str]]()
    for node in within(function.node):
        match node:
            case ast.Name(id=name, ctx=ast.Store()):
                bound[name] += 1
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Name(id=source)) if name != source:
                copies[name] += 1
                sources.setdefault(name, set()).add(source)
            case ast.Assign(targets=targets, value=ast.Constant(value=None)):
                bound.subtract(target.id for target in targets if isinstance(target, ast.Name))
    groups: dict[str, list[str]] = {}
    for name, of in sources.items():
        if len(of) == 1 and bound[name] == copies[name]:
            source = next(iter(of))
            groups.setdefault(source, [source]).append(name)
    return {name: [other for other in group if other != name] for group in groups.values() for name in group}


def _is_kept_in_mapping(node: ast.Subscript) -> bool:
    """Whether a subscript can be evaluated once more without doing anything."""
    if isinstance(node.value, ast.Subscript):
        return isinstance(node.slice, ast.Constant | ast.Name) and _is_kept_in_mapping(node.value)
    return isinstance(node.value, ast.Name | ast.Attribute) and isinstance(
        node.slice, ast.Constant | ast.Name
    )


def _unpack(machine: Machine, targets: list[ast.expr], value: Value, frame: Frame, store: Store) -> None:
    items = value.payload.items if isinstance(value.payload, Container) else None
    starred = [i for i, e in enumerate(targets) if isinstance(e, ast.Starred)]
    if items is not None and not starred and len(items) == len(targets):
        for target, item in zip(targets, items, strict=True):
            bind(machine, target, item, frame, store)
        return
    if items is not None and len(starred) == 1 and len(items) >= len(targets) - 1:
        first, after = starred[0], len(targets) - starred[0] - 1
        rest = container(list(items[first : len(items) - after]))
        for target, item in zip(targets[:first], items, strict=False):
            bind(machine, target, item, frame, store)
        bind(machine, targets[first].value, rest, frame, store)  # type: ignore[attr-defined]
        for target, item in zip(targets[first + 1 :], items[len(items) - after :], strict=True):
            bind(machine, target, item, frame, store)
        return
    classes = classes_of(value)
    if not starred and len(classes) == 1 and not isinstance(cls := classes[0], str):
        held = _held_in_order(machine, cls, store)
        if len(held) == len(targets):
            for target, item in zip(targets, held, strict=True):
                bind(machine, target, item, frame, store)
            return
    if not starred and classes and not isinstance(classes[0], str):
        # As Python does for a class without `__iter__`.
        method = machine.classes.find_method(classes[0], "__getitem__")
        if method is not None and machine.classes.find_method(classes[0], "__iter__") is None:
            for index, target in enumerate(targets):
                call = Call(frame, store, frame.site(target), None, [constant(index)])
                bind(machine, target, machine.enter(Bound(method, value), call), frame, store)
            return
    # What an unknown callable returned may be a pair of anything: each is as unsure as the whole.
    each = element(value) if value.sure or value.kind is not Kind.TENSOR else value
    for target in targets:
        bind(machine, target, each, frame, store)


def _held_in_order(machine: Machine, cls: Class, store: Store) -> list[Value]:
    """What an object holds in the order of its fields, which is a tuple with names for these."""
    if not any(last_name(base) == _NAMED_TUPLE for base in cls.bases):
        return []
    held: list[Value] = []
    for name in cls.fields():
        machine.touch((cls, name))
        value = store.attributes.get((cls, name))
        held.append(value or machine.classes.attributes(cls).get(name, UNKNOWN))
    return held


_NAMED_TUPLE: Final = "NamedTuple"

_GIVEN: Final = kinds_that("concerns_engine")

_IDLE: Final = kinds_that("idle")


def is_idle(value: Value) -> bool:
    """Whether a value has nothing to do with the engine, nor decides a branch."""
    if isinstance(value.payload, Constant):
        return not isinstance(value.payload.value, bool)
    return value.kind in _IDLE
