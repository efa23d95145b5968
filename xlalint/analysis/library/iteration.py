"""Iterators around other iterators."""

from __future__ import annotations

from xlalint.analysis.binding import element
from xlalint.analysis.call import Call
from xlalint.analysis.library.cuts import cut
from xlalint.analysis.machine import Effect, Machine
from xlalint.analysis.payloads import (
    Instance,
    Loader,
    container,
    container_of,
    unknown_from,
)
from xlalint.knowledge import functions
from xlalint.lazy.state import (
    Cause,
)
from xlalint.lazy.values import (
    HOST,
    UNKNOWN,
    Kind,
    Value,
)
from xlalint.lazy.values import join as join_values


def iterated(value: Value | None) -> Loader:
    """How a value is iterated."""
    if value is None:
        return Loader(UNKNOWN)
    return value.payload if isinstance(value.payload, Loader) else Loader(element(value))


def _loader(payload: Loader, source: Value | None) -> Value:
    """Something iterated like `source`: a loader if that was one, else only a container."""
    if source is not None and source.kind is Kind.LOADER:
        return Value(Kind.LOADER, source.sure, payload=payload)
    if payload.element.kind is Kind.UNKNOWN:
        return UNKNOWN
    return container_of(payload.element)


def _enumerate(machine: Machine, call: Call) -> Value:
    source = call.argument(0, "iterable")
    inner = iterated(source)
    pair = container([HOST, inner.element])
    if source is not None and source.kind is Kind.LOADER:
        return Value(Kind.LOADER, source.sure, payload=inner._replace(element=pair))
    return container_of(pair)


def _zip(machine: Machine, call: Call) -> Value:
    parts = [iterated(value) for value in call.arguments]
    pair = container([part.element for part in parts])
    cutting = [part for part in parts if part.cuts is not False]
    if any(value.kind is Kind.LOADER for value in call.arguments):
        cuts = cutting[0].cuts if cutting else False
        # Another iterator may end first, and then the loader never comes to its own end.
        return Value(Kind.LOADER, payload=Loader(pair, cuts, len(parts) == 1 and parts[0].cuts_at_end))
    return container_of(pair)


def _iterate(machine: Machine, call: Call) -> Value:
    source = call.argument(0, "iterable")
    return _loader(iterated(source), source)


def _next(machine: Machine, call: Call) -> Value:
    source = call.argument(0)
    if source is None:
        return UNKNOWN
    inner = iterated(source)
    if inner.cuts is not False:
        cut(call, Cause.LOADER, sure=inner.cuts is True)
    return inner.element


def _slice_iterator(machine: Machine, call: Call) -> Value:
    source = call.argument(0)
    return _loader(iterated(source)._replace(cuts_at_end=False), source)


def _cycle(machine: Machine, call: Call) -> Value:
    source = call.argument(0)
    return _loader(iterated(source), source)


def _chain(machine: Machine, call: Call) -> Value:
    loaders = [value for value in call.arguments if value.kind is Kind.LOADER]
    if loaders:
        joined = loaders[0]
        for other in loaders[1:]:
            joined = join_values(joined, other)
        return joined
    return UNKNOWN


def _progress(machine: Machine, call: Call) -> Value:
    source = call.argument(0, "iterable")
    if source is None:
        return Value(Kind.INSTANCE, payload=Instance((functions.PROGRESS,)))
    inner = iterated(source)
    return Value(Kind.LOADER, source.sure, payload=inner)


def _list(machine: Machine, call: Call) -> Value:
    source = call.argument(0)
    if source is None:
        return container([])
    if source.kind is Kind.CONTAINER:
        return source
    each = element(source)
    return container_of(each) if each.kind is not Kind.UNKNOWN else UNKNOWN


def _dict(machine: Machine, call: Call) -> Value:
    if call.arguments or call.open_ended:
        return unknown_from(*call.values)
    return container(list(call.keywords.values()), tuple(call.keywords))


def _map(machine: Machine, call: Call) -> Value:
    function, source = call.argument(0), call.argument(1)
    if function is None or source is None:
        return UNKNOWN
    inner = Call(call.frame, call.store, call.site, None, [element(source)])
    result = machine.invoke(function, inner) if function.kind is Kind.CALLABLE else UNKNOWN
    return container_of(result)


EFFECTS: dict[str, Effect] = {
    "enumerate": _enumerate,
    "zip": _zip,
    "iterate": _iterate,
    "next": _next,
    "slice iterator": _slice_iterator,
    "cycle": _cycle,
    "chain": _chain,
    "progress": _progress,
    "list": _list,
    "dict": _dict,
    "map": _map,
}
