"""Iterators around other iterators."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from functools import reduce
from typing import Final

from xlalint.analysis.binding import each_key, element, one_after_other
from xlalint.analysis.call import Call
from xlalint.analysis.frame import Frame
from xlalint.analysis.library.cuts import cut
from xlalint.analysis.library.loaders import ragged_of, whole_of
from xlalint.analysis.library.padding import padded_of
from xlalint.analysis.library.reads import compare_by_key
from xlalint.analysis.machine import Effect, Machine
from xlalint.analysis.payloads import (
    ANY_KEY,
    Bound,
    Container,
    Instance,
    Iterated,
    Loader,
    Partial,
    classes_of,
    container,
    container_of,
    elements,
    listed,
    targets,
    unknown_from,
)
from xlalint.analysis.store import Store
from xlalint.knowledge import functions
from xlalint.lazy.assumptions import both
from xlalint.lazy.cuts import Cause
from xlalint.lazy.events import Reading
from xlalint.lazy.site import Site
from xlalint.lazy.state import NOTHING_DONE
from xlalint.lazy.values import (
    HOST,
    UNKNOWN,
    Kind,
    Value,
    join_all,
    kinds_that,
)
from xlalint.program.branching import as_generator
from xlalint.program.outline import Function


def around(sources: Sequence[Value], each: Value) -> Value:
    """An iterator that goes over all of `sources` at once and yields `each`."""
    over = [value.payload.over if isinstance(value.payload, Iterated) else value for value in sources]
    cutting = [value.payload.cuts for value in over if isinstance(value.payload, Loader)]
    perhaps = [value for value in over if value.kind in _MAY_BE_LOADER]
    if any(cuts is not False for cuts in cutting) or (cutting and not perhaps):
        # Another iterator may end first, and then the loader never comes to its own end.
        at_end = len(over) == 1 and iterated(over[0]).cuts_at_end
        cuts = True if True in cutting else None if None in cutting else False
        assumes = reduce(both, (value.assumes for value in over if value.kind is Kind.LOADER))
        ragged = ragged_of(over[0]) if len(over) == 1 else None
        anew = iterated(over[0]).anew if len(over) == 1 else None
        whole = whole_of(over[0]) if len(over) == 1 else None
        once = iterated(over[0]).once if len(over) == 1 else ""
        padded = next((held for held in map(padded_of, over) if held is not None), None)
        made = Loader(each, cuts, at_end, ragged, anew, whole, once=once, padded=padded)
        return Value(Kind.LOADER, assumes, payload=made)
    if not perhaps:
        return container_of(each)
    one = next((value for value in perhaps if value.kind is Kind.UNKNOWN), perhaps[0])
    if one.kind is Kind.UNKNOWN and each.kind is Kind.UNKNOWN and each.payload is None:
        return unknown_from(*over)
    return unknown_from(*over)._replace(recorded=each.recorded, payload=Iterated(each, one))


def gone_over(machine: Machine, value: Value, site: Site, frame: Frame, store: Store) -> Value:
    """What a loop goes over: of an object that is no loader of torch, what its `__iter__` gives."""
    over = machine.classes.gone_over(value)
    if over.kind is not Kind.INSTANCE:
        return over
    method = _method_of_all(machine, over, "__iter__")
    if method is None:
        return over
    given = machine.enter(Bound(method, over), Call(frame, store, site, None))
    if given.kind is Kind.INSTANCE and (taken := _taken_from(machine, given, site, frame, store)) is not None:
        return taken
    # One that gives itself takes what comes out of its own state.
    return over if given.kind in _MAY_BE_LOADER and not isinstance(given.payload, Iterated) else given


def _taken_from(machine: Machine, value: Value, site: Site, frame: Frame, store: Store) -> Value | None:
    """What a loop goes over of an object that is its own iterator: each round calls its `__next__`."""
    method = _method_of_all(machine, value, "__next__")
    if method is None:
        return None
    aside = store.copy()
    aside.state.loop = NOTHING_DONE
    muted, frame.muted = frame.muted, True
    each = machine.enter(Bound(method, value), Call(frame, aside, site, None))
    frame.muted = muted
    loop = aside.state.loop
    if not (loop.cuts or loop.may_cut):
        return container_of(each) if each.kind is not Kind.UNKNOWN else None
    by_loader = any(cause is Cause.LOADER for cause, _ in loop.all.cut_by)
    return Value(Kind.LOADER, payload=Loader(each, True if loop.cuts else None, loop.cuts and by_loader))


def _method_of_all(machine: Machine, value: Value, name: str) -> Function | None:
    """The one method that an object has under a name, of whichever of its classes it is."""
    methods = {
        None if isinstance(cls, str) else machine.classes.find_method(cls, name) for cls in classes_of(value)
    }
    return methods.pop() if len(methods) == 1 else None


def now_and_then(value: Value) -> Value:
    """What is iterated, where more than one element may be made of each of its own."""
    if isinstance(loader := value.payload, Loader) and loader.cuts:
        return value._replace(payload=loader._replace(cuts=None))
    return value


def iterated(value: Value) -> Loader:
    """How a value is iterated."""
    return value.payload if isinstance(value.payload, Loader) else Loader(element(value))


def _source(machine: Machine, call: Call) -> Value | None:
    """What an iterator around it goes over."""
    source = call.argument(0, "iterable")
    return None if source is None else gone_over(machine, source, call.site, call.frame, call.store)


def _enumerate(machine: Machine, call: Call) -> Value:
    source = _source(machine, call)
    if source is None:
        return UNKNOWN
    rows = elements(source)
    if rows and not is_keyed(source):
        return container([container([HOST, row]) for row in rows])
    return around([source], container([HOST, element(source)]))


def is_keyed(value: Value) -> bool:
    """Whether a value is a dict, which is gone over by its keys."""
    return isinstance(value.payload, Container) and value.payload.keys is not None


def _zip(machine: Machine, call: Call) -> Value:
    if call.open_ended:
        return UNKNOWN
    sources = [gone_over(machine, value, call.site, call.frame, call.store) for value in call.arguments]
    columns = [elements(value) for value in sources]
    if columns and all(columns) and not any(map(is_keyed, sources)):
        return container([container(list(row)) for row in zip(*columns, strict=False)])
    return around(sources, container([element(value) for value in sources]))


def _iterate(machine: Machine, call: Call) -> Value:
    source = _source(machine, call)
    return UNKNOWN if source is None else around([source], element(source))


def _next(machine: Machine, call: Call) -> Value:
    source = call.argument(0)
    return UNKNOWN if source is None else drawn(source, call)


def drawn(source: Value, call: Call) -> Value:
    """The next thing of an iterator: one around a loader of XLA cuts the graph before it."""
    inner = iterated(source)
    if inner.cuts is not False and call.frame.model.takes_batch(call.store.state):
        cut(call, Cause.LOADER, sure=inner.cuts is True)
    return inner.element


def _slice_iterator(machine: Machine, call: Call) -> Value:
    source = _iterate(machine, call)
    if isinstance(loader := source.payload, Loader):
        return source._replace(payload=loader._replace(cuts_at_end=False, ragged=None))
    return source


def _chain(machine: Machine, call: Call) -> Value:
    parts = [element(value) for value in call.arguments]
    if parts and not call.open_ended and all(part.kind is Kind.PARAMETERS for part in parts):
        return one_after_other(*parts)
    if any(value.kind in _MAY_BE_LOADER for value in call.arguments):
        return around(call.arguments, join_all(map(element, call.arguments), UNKNOWN))
    return join_all((value for value in call.arguments if value.kind is Kind.LOADER), UNKNOWN)


def _chain_of_all(machine: Machine, call: Call) -> Value:
    """All of what each of several things gives."""
    source = call.argument(0, "iterable")
    each = UNKNOWN if source is None else element(source)
    if each.kind is Kind.LOADER or source is None:
        return each
    return around([source], element(each)) if each.kind in _MAY_BE_LOADER else UNKNOWN


def _repeat(machine: Machine, call: Call) -> Value:
    """The same again and again."""
    given = call.argument(0, "object")
    return UNKNOWN if given is None else container_of(given)


def _progress(machine: Machine, call: Call) -> Value:
    source = _source(machine, call)
    if source is None:
        return Value(Kind.INSTANCE, payload=Instance((functions.PROGRESS,)))
    if source.kind is Kind.LOADER:
        return source
    over = source.payload.over if isinstance(source.payload, Iterated) else source
    return unknown_from(source)._replace(recorded=source.recorded, payload=Iterated(element(source), over))


def _list(machine: Machine, call: Call) -> Value:
    source = call.argument(0)
    if source is None:
        return container([])
    if isinstance(held := source.payload, Container):
        if held.keys is not None:  # a list of the keys
            names = each_key(held)
            return container(list(names)) if names or held.items == () else container_of(HOST)
        return source._replace(payload=held.map(listed))
    if source.kind in _MAY_BE_LOADER and not (source.kind is Kind.TENSOR and source.sure):
        return around([source], element(source))
    each = element(source)
    return container_of(listed(each)) if each.kind is not Kind.UNKNOWN else UNKNOWN


def _sorted(machine: Machine, call: Call) -> Value:
    """What is sorted is compared: tensors are read for that, unless they are sorted by something else."""
    source = call.argument(0)
    each = element(source) if source is not None else HOST
    if (key := call.keywords.get("key")) is not None and key.kind is not Kind.NONE:
        compare_by_key(machine, key, each, call)
    elif each.kind is Kind.TENSOR:
        call.read(each, Reading.MATH)
    return _list(machine, call)


def _dict(machine: Machine, call: Call) -> Value:
    given = call.argument(0)
    if given is not None and len(call.values) == 1:
        if is_keyed(given):
            return given
        if len(pair := elements(element(given))) == 2:  # a key and a value
            return container_of(listed(pair[-1]), keyed=True)
    if call.arguments or call.open_ended:
        return unknown_from(*call.values)
    return container(list(call.keywords.values()), tuple(call.keywords))


def _default_mapping(machine: Machine, call: Call) -> Value:
    """A mapping that makes what nobody has put in."""
    factory = call.argument(0)
    if factory is None:
        return container([], ())
    return container([machine.invoke(factory, Call(call.frame, call.store, call.site, None))], ANY_KEY)


def _map(machine: Machine, call: Call) -> Value:
    function, source = call.argument(0), call.argument(1)
    if function is None or source is None:
        return UNKNOWN
    if call.frame.outline.is_framework and elements(source):
        # What users hand to a framework is told apart.
        return container([_mapped(machine, call, function, given) for given in elements(source)])
    is_own = any(isinstance(each, Bound | Partial) for each in targets(function))
    if is_own and call.node is not None and isinstance(made := as_generator(call.node), ast.GeneratorExp):
        return machine.evaluate(made, call.frame, call.store)
    return around([source], _mapped(machine, call, function, element(source)))


def _mapped(machine: Machine, call: Call, function: Value, given: Value) -> Value:
    if function.kind is not Kind.CALLABLE:
        return UNKNOWN
    return machine.invoke(function, Call(call.frame, call.store, call.site, None, [given]))


def _filter(machine: Machine, call: Call) -> Value:
    _map(machine, call)
    source = call.argument(1)
    return UNKNOWN if source is None else around([source], element(source))


_MAY_BE_LOADER: Final = kinds_that("may_be_loader")


EFFECTS: Final[dict[str, Effect]] = {
    "enumerate": _enumerate,
    "zip": _zip,
    "iterate": _iterate,
    "next": _next,
    "slice iterator": _slice_iterator,
    "cycle": _iterate,
    "chain": _chain,
    "chain of all": _chain_of_all,
    "repeat": _repeat,
    "progress": _progress,
    "list": _list,
    "sort": _sorted,
    "dict": _dict,
    "default mapping": _default_mapping,
    "map": _map,
    "filter": _filter,
}
