"""Names, literals, subscripts, comprehensions and the like: what value each has."""

from __future__ import annotations

import ast
from typing import Final

from xlalint.analysis import shared_names
from xlalint.analysis.arguments import capture, capture_beside, defaults
from xlalint.analysis.attributes import attribute, named_in_library
from xlalint.analysis.binding import (
    bind,
    element,
    holds_part,
    holds_some,
    indexed,
    is_uneven,
    one_after_other,
    part_of,
    read_index,
    round_of,
    told_by_kind,
    watch_index,
    with_entries,
)
from xlalint.analysis.call import Call
from xlalint.analysis.frame import Frame, Yielded
from xlalint.analysis.holding import may_hold_work
from xlalint.analysis.library.iteration import around, now_and_then
from xlalint.analysis.library.modules import parameter
from xlalint.analysis.library.optimizers import (
    gradient,
)
from xlalint.analysis.library.replicas import of_variable
from xlalint.analysis.machine import Evaluate, Machine
from xlalint.analysis.moments import moment_of
from xlalint.analysis.operators import ask, evaluate_test, truth
from xlalint.analysis.payloads import (
    AS_MAPPING,
    Bound,
    Compiled,
    Container,
    Fields,
    Instance,
    Loader,
    Module,
    Namespace,
    Parameters,
    Scoped,
    StateDict,
    Targets,
    Uneven,
    callable_value,
    computed_of,
    constant,
    container,
    container_of,
    counter_of,
    counts,
    elements,
    identifier,
    listed,
    literal,
    run,
    taken_from,
    targets,
    unknown_from,
    view_of,
)
from xlalint.analysis.separate_reads import note_numbers
from xlalint.analysis.store import Store, merge_into
from xlalint.analysis.switches import device_set
from xlalint.analysis.work import note_copy, read, record
from xlalint.knowledge import functions
from xlalint.lazy.cuts import Cause
from xlalint.lazy.events import Reading
from xlalint.lazy.scopes import Between, ScopeKind
from xlalint.lazy.site import Site
from xlalint.lazy.state import Raised
from xlalint.lazy.transitions import note
from xlalint.lazy.values import (
    HOST,
    NONE,
    NOTHING,
    UNKNOWN,
    Form,
    Kind,
    Place,
    Role,
    Tensor,
    Value,
    Weight,
    join_all,
    of_role,
    rows_of,
    varying,
)
from xlalint.program.branching import as_loop
from xlalint.program.outline import named as named_in
from xlalint.program.outline import within
from xlalint.program.unbound import unbound
from xlalint.spelling import spelling


def _name(machine: Machine, node: ast.Name, frame: Frame, store: Store) -> Value:
    value = store.names.get(node.id)
    if value is None:
        value = frame.captured.get(node.id)
        if value is None:
            if frame.function is not None and frame.function.binds(node.id):
                if store.state.trust.raised is None and node in unbound(frame.function):
                    store.state.raises(Raised(frame.site(node), f"`{node.id}` has no value yet"))
                return machine.names.flag(node.id, frame.outline) or UNKNOWN
            value = machine.names.global_name(node.id, frame.outline, frame.function, moment_of(frame))
            value = shared_names.now(machine, node.id, frame.outline, store, value)
            if value is UNKNOWN and node.id not in frame.outline.bindings:
                _note_undefined(machine, node, frame, store)
            return store.as_moved(value) if store.moved and value.kind is Kind.MODULE else value
    elif value.kind is Kind.CALLABLE and frame.function is not None:
        return _recapture(value, frame, store)
    if value.kind is Kind.UNKNOWN:
        return machine.names.flag(node.id, frame.outline) or value
    return value


def _note_undefined(machine: Machine, node: ast.Name, frame: Frame, store: Store) -> None:
    """A name that nothing binds is used: that raises."""
    state = store.state
    if state.trust.raised is None and machine.names.is_undefined(node, frame.outline):
        state.raises(Raised(frame.site(node), f"`{node.id}` is not defined"))


def _recapture(value: Value, frame: Frame, store: Store) -> Value:
    fresh = []
    changed = False
    for target in targets(value):
        if isinstance(target, Bound) and target.function.parent is not None:
            if target.function.parent is frame.function:
                own = target.function.locals()
                captured = capture(target.function, frame, store)
                captured += tuple(held for held in target.captured if held[0] in own)
            else:
                captured = capture_beside(target, frame, store)
            if captured != target.captured:
                target = target._replace(captured=captured)
                changed = True
        elif isinstance(target, Scoped | Compiled) and target.target.kind is Kind.CALLABLE:
            inner = _recapture(target.target, frame, store)
            changed = changed or inner is not target.target
            target = target._replace(target=inner)
        fresh.append(target)
    return value._replace(payload=Targets(tuple(fresh))) if changed else value


def _constant(machine: Machine, node: ast.Constant, frame: Frame, store: Store) -> Value:
    return constant(node.value) if not isinstance(node.value, bytes) else HOST


def _joined_string(machine: Machine, node: ast.JoinedStr, frame: Frame, store: Store) -> Value:
    differs = False
    parts: list[object] = []
    for part in node.values:
        if isinstance(part, ast.FormattedValue):
            value = machine.evaluate(part.value, frame, store)
            differs = differs or value.differs
            parts.append(literal(value) if part.conversion < 0 and part.format_spec is None else None)
            if value.kind in (Kind.TENSOR, Kind.CONTAINER):
                shown = "f-string of " + spelling(part.value)
                is_number = value.kind is Kind.TENSOR and part.conversion < 0
                reading = Reading.FORMAT if is_number else Reading.TEXT
                site = _within(node, part, frame)
                read(value, reading, shown, site, frame, store)
                if reading is Reading.TEXT:
                    note_copy(part.value, value, store)
                if part.format_spec is not None:  # which only a number takes
                    note_numbers((value,), shown, site, frame)
        elif isinstance(part, ast.Constant):
            parts.append(part.value)
    return identifier(parts) or Value(Kind.HOST, differs=differs)


def _list(machine: Machine, node: ast.List | ast.Tuple | ast.Set, frame: Frame, store: Store) -> Value:
    items: list[Value] = []
    open_ended = False
    for item in node.elts:
        if isinstance(item, ast.Starred):
            value = machine.evaluate(item.value, frame, store)
            held = value.payload
            if isinstance(held, Container) and held.items is not None and held.keys is None:
                items.extend(held.items)
                continue
            open_ended = True
            items.append(listed(element(value)))
        else:
            items.append(machine.evaluate(item, frame, store))
    return one_after_other(*items) if open_ended else container(items)


def _dict(machine: Machine, node: ast.Dict, frame: Frame, store: Store) -> Value:
    items: list[Value] = []
    keys: list[object] = []
    made: Value | None = None
    """What stands before another mapping, and that."""
    for key, item in zip(node.keys, node.values, strict=True):
        value = machine.evaluate(item, frame, store)
        if key is None:
            made = _one_more(_one_more(made, container(items, tuple(keys))), value)
            items, keys = [], []
            continue
        name = machine.evaluate(key, frame, store)
        keys.append(literal(name))
        items.append(value)
    return _one_more(made, container(items, tuple(keys)))


def _one_more(before: Value | None, given: Value) -> Value:
    """What a mapping holds with the entries of another."""
    held = before.payload if before is not None else None
    return with_entries(held, given) if isinstance(held, Container) else given


def _is_window(base: Value, node: ast.Subscript) -> bool:
    """Whether a stretch is cut out of a tensor that grows."""
    if not (isinstance(base.payload, Tensor) and base.payload.grown is not None):
        return False
    indexes = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
    return any(isinstance(each, ast.Slice) and (each.lower or each.upper) for each in indexes)


def _picks_rows(node: ast.Subscript, index: Value) -> bool:
    """Whether whole rows are taken by their numbers: `tokens[best]`, `tokens[best, :]`."""
    if isinstance(node.slice, ast.Tuple):
        rest = node.slice.elts[1:]
        if not all(isinstance(each, ast.Slice) and not (each.lower or each.upper) for each in rest):
            return False
        index = (elements(index) or (index,))[0]
    return index.kind is Kind.TENSOR and index.sure and index.role is not Role.MASK


def _entry(machine: Machine, value: Value, key: object, frame: Frame) -> Value:
    """What a mapping has under a key. A switch that chooses XLA is on in a program that is checked for it."""
    is_off = literal(value) is False and isinstance(key, str)
    return (machine.names.flag(str(key), frame.outline) if is_off else None) or value


def _subscript(machine: Machine, node: ast.Subscript, frame: Frame, store: Store) -> Value:
    base = machine.evaluate(node.value, frame, store)
    index = machine.evaluate(node.slice, frame, store)
    if isinstance(given := base.payload, Parameters) and given.is_one and given.place is Place.XLA:
        base = parameter(given, store)._replace(assumes=base.assumes)
    if base.kind is Kind.TENSOR:
        base = indexed(base, index, node)
        varies = watch_index(base, index, node, frame, store)
        if isinstance(literal(index), str) or base.role is Role.STRUCTURE:
            return part_of(base, literal(index))
        taken = varying(record((base,), Weight.LIGHT, frame.site(node), frame, store), varies)
        taken = taken if index.kind is Kind.TENSOR else view_of(taken)
        if _picks_rows(node, index):
            return rows_of(taken, base)
        role = Role.WINDOW if _is_window(base, node) else base.role if base.role is Role.MASK else Role.PLAIN
        return taken if role is Role.PLAIN else of_role(taken, role)
    held = base.payload
    if isinstance(held, Module) and held.held is not None:
        held = held.held
    elif isinstance(held, Instance) and held.holds and held.holds[0][0] == AS_MAPPING:
        held = held.holds[0][1].payload
    if isinstance(held, Container):
        if index.kind is Kind.TENSOR and held.keys is None:
            read(index, Reading.INDEX, spelling(node), frame.site(node), frame, store)
        wanted = literal(index)
        if wanted is not None and held.items is not None:
            if held.keys is not None:
                return _entry(machine, held.under(wanted), wanted, frame)
            if isinstance(wanted, int) and -len(held.items) <= wanted < len(held.items):
                return held.items[wanted]
        if isinstance(node.slice, ast.Slice):
            return container_of(held.element)
        return held.under(wanted)
    if isinstance(held, Module):
        return base._replace(payload=held.plain())
    if isinstance(held, Instance):
        method = attribute(machine, base, "__getitem__", None, frame, store)
        if any(isinstance(target, Bound) for target in targets(method)):
            found = machine.invoke(method, Call(frame, store, frame.site(node), None, [index]))
            return container_of(found) if isinstance(node.slice, ast.Slice) else found
    if base.kind is Kind.PARAMETERS:
        return base
    if isinstance(held, StateDict) and held.optimizer is None:
        if held.place is Place.XLA:
            return parameter(Parameters((), held.place), store)._replace(assumes=base.assumes)
        return Value(Kind.PARAMETERS, base.assumes, payload=Parameters((), held.place))
    named = literal(index)
    if isinstance(held, Namespace) and held.name == functions.ENVIRONMENT:
        return of_variable(machine, named, frame.site(node), frame)
    if isinstance(held, Namespace) and held.name.endswith(_NAMES_OF_MODULE):
        return named_in_library(machine, held.name.removesuffix(_NAMES_OF_MODULE), named, frame)
    if isinstance(named, str) and "found_inf" in named and store.state.scopes.of(ScopeKind.OPTIMIZER):
        return container_of(gradient(store)._replace(payload=Tensor(Role.FOUND_INF)))
    device = device_set(machine, named, node, frame, store)
    if device is not None:
        return device
    if base.kind is Kind.HOST:
        read_index(machine, base, index, node, frame, store)
        uneven = Uneven(Form.LENGTH) if is_uneven(node.slice, index) else None
        payload = uneven or taken_from(base) or computed_of(base)
        return Value(Kind.HOST, differs=base.differs or index.differs, payload=payload)
    given = held.under(named) if isinstance(held, Fields) and isinstance(named, str) else None
    return unknown_from(base) if given is None else given


_NAMES_OF_MODULE: Final = ".__dict__"
"""By `models.__dict__[name]` a module is asked for a name, as by `getattr`."""


def _slice(machine: Machine, node: ast.Slice, frame: Frame, store: Store) -> Value:
    counting = []
    for part in (node.lower, node.upper, node.step):
        if part is not None:
            value = machine.evaluate(part, frame, store)
            read(value, Reading.INDEX, f"[{spelling(node)}]", frame.site(part), frame, store)
            if counts(value):
                counting.append(value)
    if not counting:
        return HOST
    # Where both bounds are others each time, they are mostly as far apart as before.
    return Value(Kind.HOST, payload=counter_of(*counting, is_length=len(counting) == 1))


def _comprehension(
    machine: Machine,
    node: ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp,
    frame: Frame,
    store: Store,
) -> Value:
    inner = store.copy()
    was_in_loop = inner.state.scopes.in_loop
    read_before = len(frame.reads)
    opened_step = inner.state.loop.own.opens_step
    sources = []
    for generator in node.generators:
        over = machine.evaluate(generator.iter, frame, inner)
        sources.append(over)
        if not isinstance(node, ast.GeneratorExp):  # whoever goes over that asks for the next batch
            _fetch(over, generator.iter, frame, inner)
        row = round_of(over, frame, inner)
        is_now = not isinstance(node, ast.GeneratorExp)  # that asks for its elements later
        bind(machine, generator.target, listed(row) if is_now else row, frame, inner)
        inner.state.scopes = inner.state.scopes._replace(in_loop=True)
        for condition in generator.ifs:
            test = evaluate_test(machine, condition, frame, inner)
            ask(test, "if", condition, condition, frame, inner)
    around_it, frame.in_elements = frame.in_elements, True
    held, attributes = inner.state.engine, inner.attributes.copy()
    trained, all_at_once = inner.state.loop.all.trained, node is frame.at_once
    apart, keys = list[Value](), list[Value]()
    rounds = _told_apart(node, sources)
    is_filtered = any(generator.ifs for generator in node.generators)
    if is_apart := bool(rounds):
        rounds, is_filtered = _passing(machine, node.generators[0], rounds, frame, inner)
    for each in rounds if is_apart else (None,):
        if each is not None:
            bind(machine, node.generators[0].target, each, frame, inner)
        if isinstance(node, ast.DictComp):
            keys.append(machine.evaluate(node.key, frame, inner))
            apart.append(machine.evaluate(node.value, frame, inner))
        else:
            apart.append(machine.evaluate(node.elt, frame, inner))
    made = join_all(apart, HOST)
    frame.in_elements = around_it
    engine = inner.state.engine
    if made.kind is Kind.HOST and engine.recorded.may is Weight.LIGHT and inner.attributes == attributes:
        # What was computed to be read is gone with each element.
        inner.state.engine = engine._replace(recorded=held.recorded, since=held.since)
    inner.state.scopes = inner.state.scopes._replace(in_loop=was_in_loop)
    loop = inner.state.loop
    inner.state.loop = loop._replace(own=loop.own._replace(opens_step=opened_step))
    over = sources[0]
    if inner.state.loop.all.trained != trained and (all_at_once or not isinstance(node, ast.GeneratorExp)):
        del frame.reads[read_before:]
        made = _train(machine, node, made, frame, store)
        return container_of(made, keyed=isinstance(node, ast.DictComp))
    if (
        not isinstance(node, ast.GeneratorExp)
        and isinstance(over.payload, Loader)
        and over.payload.cuts_at_end
    ):
        if made.recorded.may is not Weight.HEAVY and not may_hold_work(machine, frame, inner):
            frame.model.let_die(inner.state, NOTHING)  # what was only read, no cut runs again
        made = run(made) if _fetch(over, node.generators[0].iter, frame, inner) else made
    pending = [over for over in sources if over.kind is Kind.TENSOR and over.recorded.must is Weight.HEAVY]
    frame.reads[read_before:] = [
        read._replace(each=True, again=bool(pending) and read.value.recorded.must is Weight.HEAVY)
        for read in frame.reads[read_before:]
        if not read.row or any(over.kind is Kind.TENSOR for over in sources)
    ]
    for generator in node.generators:
        for target in within(generator.target):
            if isinstance(target, ast.Name):
                inner.names.pop(target.id, None)
                if target.id in store.names:
                    inner.names[target.id] = store.names[target.id]
    if all(map(holds_some, sources)) and not is_filtered:
        store.take(inner)
    else:
        # The body may have run no time at all: what it recorded is "perhaps".
        merge_into(store, inner)
    if is_apart and not is_filtered and not isinstance(node, ast.GeneratorExp):
        return container(apart, tuple(map(literal, keys)) if isinstance(node, ast.DictComp) else None)
    if not isinstance(node, ast.GeneratorExp):
        return container_of(made, keyed=isinstance(node, ast.DictComp))
    # Only the innermost is asked for the next element each time.
    return around([*map(now_and_then, sources[:-1]), sources[-1]], made)


def _train(
    machine: Machine,
    node: ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp,
    made: Value,
    frame: Frame,
    store: Store,
) -> Value:
    """The elements of a comprehension train: it goes round as a loop does. Returns what an element is."""
    bound = {name for generator in node.generators for name in named_in(generator.target, ast.Store)}
    names = {name: store.names.get(name) for name in bound}
    discarded = frame.discarded
    after = machine.run_block([as_loop(node)], frame, store.copy())
    frame.discarded = discarded
    if after is None:
        return made
    cuts = after.state.engine.recorded.may is Weight.NONE
    store.take(after)
    for name, value in names.items():
        store.names.pop(name, None)
        if value is not None:
            store.names[name] = value
    return run(made) if cuts else made


def _told_apart(
    node: ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp, sources: list[Value]
) -> tuple[Value, ...]:
    """What each round gets of a few models, optimizers and the like, alone or beside their names, or of
    tensors among numbers."""
    held = sources[0].payload
    if len(sources) > 1 or not isinstance(held, Container) or held.items is None:
        return ()
    if apart := told_by_kind(held):
        return apart
    if isinstance(node, ast.GeneratorExp) or node.generators[0].ifs or held.keys is not None:
        return ()
    return held.items if any(map(holds_part, held.items)) else ()


def _passing(
    machine: Machine, generator: ast.comprehension, rounds: tuple[Value, ...], frame: Frame, store: Store
) -> tuple[tuple[Value, ...], bool]:
    """The rounds that pass the tests of a comprehension, and whether nobody knows that of some."""
    passing, is_open = [], False
    for each in rounds:
        bind(machine, generator.target, each, frame, store)
        outcomes = [truth(evaluate_test(machine, test, frame, store)) for test in generator.ifs]
        if False not in outcomes:
            passing.append(each)
            is_open |= None in outcomes
    return tuple(passing), is_open


def _fetch(over: Value, node: ast.expr, frame: Frame, store: Store) -> bool:
    """A comprehension asks for the next element, which surely cuts the graph if this is True."""
    loader = over.payload
    if not isinstance(loader, Loader) or loader.cuts is False:
        return False
    frame.model.cut(
        store.state,
        Cause.LOADER,
        spelling(node),
        frame.site(node),
        sure=loader.cuts is True,
        assumes=over.assumes,
    )
    store.run_all() if loader.cuts else store.maybe_run_all()
    return loader.cuts is True


def _lambda(machine: Machine, node: ast.Lambda, frame: Frame, store: Store) -> Value:
    function = frame.outline.function(node, frame.function)
    by_default = defaults(machine, function, frame, store)
    return callable_value(Bound(function, None, capture(function, frame, store) + by_default))


def _named(machine: Machine, node: ast.NamedExpr, frame: Frame, store: Store) -> Value:
    value = machine.evaluate(node.value, frame, store)
    bind(machine, node.target, value, frame, store)
    return value


def _await(machine: Machine, node: ast.Await, frame: Frame, store: Store) -> Value:
    return machine.evaluate(node.value, frame, store)


def _yield(machine: Machine, node: ast.Yield, frame: Frame, store: Store) -> Value:
    value = NONE if node.value is None else machine.evaluate(node.value, frame, store)
    frame.yields.append(Yielded(value, frame.site(node), store.state.loop.cuts, frame.over))
    if frame.resume is not None:
        resume, frame.resume = frame.resume, None
        after = resume(store)
        if after is not None:
            store.state, store.attributes = after.state, after.attributes
    elif store.state.scopes.between is Between.READS:
        note(store.state, reads=True)
    elif (
        store.state.scopes.between is None
        and store.state.loop.all.trains
        and store.state.engine.recorded.may is Weight.HEAVY
    ):
        # Whoever goes over it may cut before the next round.
        frame.model.cut(store.state, Cause.SCOPE_EXIT, "yield", frame.site(node), sure=False)
        store.maybe_run_all()
    return UNKNOWN


def _yield_from(machine: Machine, node: ast.YieldFrom, frame: Frame, store: Store) -> Value:
    over = machine.evaluate(node.value, frame, store)
    cuts = isinstance(over.payload, Loader) and over.payload.cuts is True
    frame.yields.append(Yielded(element(over), frame.site(node), cuts, over))
    return UNKNOWN


def _starred(machine: Machine, node: ast.Starred, frame: Frame, store: Store) -> Value:
    return machine.evaluate(node.value, frame, store)


def _within(whole: ast.JoinedStr, part: ast.FormattedValue, frame: Frame) -> Site:
    """The place of a replacement field: of the whole string where older hosts know no better."""
    inner = frame.site(part.value)
    outer = frame.site(whole)
    starts_later = (outer.line, outer.column) < (inner.line, inner.column)
    ends_before = (inner.end_line, inner.end_column) <= (outer.end_line, outer.end_column)
    return inner if starts_later and ends_before else outer


EVALUATORS: Final[dict[type, Evaluate]] = {
    ast.Name: _name,
    ast.Constant: _constant,
    ast.JoinedStr: _joined_string,
    ast.List: _list,
    ast.Tuple: _list,
    ast.Set: _list,
    ast.Dict: _dict,
    ast.Subscript: _subscript,
    ast.Slice: _slice,
    ast.ListComp: _comprehension,
    ast.SetComp: _comprehension,
    ast.GeneratorExp: _comprehension,
    ast.DictComp: _comprehension,
    ast.Lambda: _lambda,
    ast.NamedExpr: _named,
    ast.Await: _await,
    ast.Yield: _yield,
    ast.YieldFrom: _yield_from,
    ast.Starred: _starred,
}
