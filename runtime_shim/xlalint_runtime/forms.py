"""Operations whose shape, or place in a tensor, is another one in each round of a loop."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise, starmap
from typing import Final, NamedTuple

from xlalint.knowledge.operations import (
    GATHERING,
    GRAPH_NUMBERS,
    GROWING,
    is_shaped_by_data,
    numbers_of_graph,
    repeats_by_data,
)
from xlalint.lazy.values import Form
from xlalint_runtime.sites import goes_over
from xlalint_runtime.traces import WRITING, Operation, Trace

_INDEXED = frozenset({"__getitem__", "__setitem__"})
_MOVING = frozenset({"to", "xla"})
_WATCHED = _INDEXED | _MOVING | GRAPH_NUMBERS.keys() | GATHERING
"""Functions whose calls are compared from one round to the next."""
ROUNDS = 3
"""In so many rounds of a loop something must be another one each time: twice may be the end of a warm-up."""


class Varying(NamedTuple):
    """An operation, and by what its shape or its place changes; `fills` as `ShapeVaries` has it."""

    by: Form
    operation: Operation
    fills: bool = False


def varying(traces: Sequence[Trace], *, are_rounds: bool) -> Iterator[Varying]:
    """What varies in the last of some steps of one loop: by the data, or beside the steps before.

    `are_rounds` tells that nothing but rounds of it was recorded, and none of what comes before it begins.
    """
    for operation in traces[-1].operations:
        if _takes_by_mask(operation):
            fills = operation.name == WRITING and len(operation.inputs) == 2
            yield Varying(Form.MASK, operation, fills)
        elif _is_shaped_by_data(operation):
            yield Varying(Form.DATA, operation)
    if len(traces) >= ROUNDS:
        if are_rounds:
            yield from _more_or_less(traces[-ROUNDS:])
        beside = list(_side_by_side(traces[-ROUNDS:]))
        found = [(by, same) for same in beside if (by := _changed(same))]
        grown = [lengths for same in beside if (lengths := _lengths(same))]
        # Where a library does it, several are asked for at one place: what grows is the reason.
        for by, same in sorted(found, key=lambda each: each[0] is not Form.GROWTH):
            if by is not Form.NUMBER or not any(_is_as_long(same, lengths) for lengths in grown):
                yield Varying(by, same[-1])


def _takes_by_mask(operation: Operation) -> bool:
    if operation.name not in _INDEXED:
        return False
    index = operation.inputs[1:-1] if _puts_tensor(operation) else operation.inputs[1:]
    return any(each.dtype == "bool" for each in index)


def _puts_tensor(operation: Operation) -> bool:
    """Whether an operation writes a tensor, which is the last of its inputs, and no number."""
    texts = operation.arguments
    return operation.name == WRITING and len(texts) < 2 and texts not in _NUMBERS


_NUMBERS: Final = (("#",), ("True",), ("False",))
"""What is said of a write by tensors alone that puts a number."""


def _is_shaped_by_data(operation: Operation) -> bool:
    given, names = _given(operation)
    return is_shaped_by_data(operation.name, given, names) or repeats_by_data(
        operation.name, len(operation.inputs), names
    )


def _given(operation: Operation) -> tuple[int, list[str]]:
    """How many arguments an operation got by position, and which by name."""
    names = [text.partition("=")[0] for text in operation.arguments if "=" in text]
    return len(operation.inputs) + len(operation.arguments) - len(names), names


def _side_by_side(traces: Sequence[Trace]) -> Iterator[tuple[Operation, ...]]:
    """The same calls of each step, where all steps do them equally often."""
    sorted_by_place: list[dict[object, list[Operation]]] = []
    for trace in traces:
        places: dict[object, list[Operation]] = {}
        for operation in trace.operations:
            if operation.name in _WATCHED:
                places.setdefault((operation.site, operation.name), []).append(operation)
        sorted_by_place.append(places)
    for place in sorted_by_place[-1]:
        same = [places.get(place, []) for places in sorted_by_place]
        if len({len(each) for each in same}) == 1:
            yield from zip(*same, strict=True)


def _more_or_less(traces: Sequence[Trace]) -> Iterator[Varying]:
    """Calls that one round makes more often than another, in a loop within it that goes round more often."""
    counted = [Counter(operation.site for operation in trace.operations) for trace in traces]
    first = {operation.site: operation for operation in reversed(traces[-1].operations)}
    times = {site: [each[site] for each in counted] for site in first}
    varying = [
        site for site, each in times.items()
        if all(each) and all(now != before for before, now in pairwise(each))
    ]  # fmt: skip
    # Where something is called equally often in a loop, only an arm in it is run more or less often.
    steady = {goes_over(site) for site, each in times.items() if len({*each}) == 1} if varying else ()
    for site in varying:
        if goes_over(site) not in steady:
            yield Varying(Form.TRIPS, first[site])


def _changed(same: tuple[Operation, ...]) -> Form | None:
    if same[0].name in GROWING and all(starmap(_is_appended, pairwise(same))):
        return Form.GROWTH
    if same[0].name in GATHERING:
        return Form.GROWTH if all(starmap(_is_of_more, pairwise(same))) else None
    by, told = _told_apart(same)
    return by if len(told) == len(same) else None


def _told_apart(same: tuple[Operation, ...]) -> tuple[Form, set[tuple[object, ...]]]:
    """What of some calls may be a part of the graph that changes."""
    if same[0].name in _MOVING:
        return Form.LENGTH, {each.outputs if _comes_from_host(each) else () for each in same}
    if same[0].name in _INDEXED:
        return Form.INDEX, {each.arguments for each in same}
    # What is given another shape already is told where it comes to that.
    is_given_the_same = len({each.inputs for each in same}) == 1
    return Form.NUMBER, set(map(_of_graph, same)) if is_given_the_same else set()


def _comes_from_host(operation: Operation) -> bool:
    return all(each.on_host for each in operation.inputs)


def _of_graph(operation: Operation) -> tuple[object, ...]:
    """The arguments of an operation that are a part of the graph, if they are numbers."""
    given = [text for text in operation.arguments if "=" not in text]
    named = dict(text.split("=", 1) for text in operation.arguments if "=" in text)
    numbers = numbers_of_graph(operation.name, given, named, first=len(operation.inputs))
    return (*numbers, *(operation.numbers if not GRAPH_NUMBERS[operation.name] else ()))


def _lengths(same: tuple[Operation, ...]) -> list[int]:
    """How long what was appended to is in each round, if it is another length in each; else empty."""
    if same[0].name not in GROWING:
        return []
    sizes = zip(*(each.outputs[0].shape for each in same), strict=False)
    return next((list(each) for each in sizes if len({*each}) == len(each)), [])


def _is_as_long(same: tuple[Operation, ...], lengths: list[int]) -> bool:
    """Whether those numbers of an operation that are others in each round are such lengths."""
    numbers = [[int(number) for text in each.arguments for number in _NUMBER.findall(text)] for each in same]
    if len({*map(len, numbers)}) != 1:
        return False
    changed = [column for column in zip(*numbers, strict=True) if len({*column}) > 1]
    return bool(changed) and all(list(column) == lengths for column in changed)


_NUMBER = re.compile(r"\d+")


def _is_of_more(before: Operation, now: Operation) -> bool:
    """Whether a list of tensors has become longer."""
    return len(now.inputs) > len(before.inputs)


def _is_appended(before: Operation, now: Operation) -> bool:
    return now.outputs != before.outputs and before.outputs[0] in now.inputs
