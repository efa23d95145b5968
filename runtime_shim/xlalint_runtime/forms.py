"""Operations whose shape, or place in a tensor, is another one in each round of a loop."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise, starmap
from typing import NamedTuple

from xlalint.knowledge.operations import APPENDING, is_shaped_by_data
from xlalint.lazy.events import Form
from xlalint_runtime.traces import Operation, Trace

_INDEXED = frozenset({"__getitem__", "__setitem__"})
_PLACED = _INDEXED | {"roll", "narrow", "select", "pow", "__pow__"}
"""Functions of which a number that is no tensor is a part of the graph."""
ROUNDS = 3
"""In so many rounds of a loop something must be another one each time: twice may be the end of a warm-up."""


class Varying(NamedTuple):
    """An operation, and by what its shape or its place changes; `fills` as `ShapeVaries` has it."""

    by: Form
    operation: Operation
    fills: bool = False


def varying(traces: Sequence[Trace]) -> Iterator[Varying]:
    """What varies in the last of some steps of one loop: by the data, or beside the steps before."""
    for operation in traces[-1].operations:
        if _takes_by_mask(operation):
            fills = operation.name == "__setitem__" and len(operation.inputs) == 2
            yield Varying(Form.MASK, operation, fills)
        elif is_shaped_by_data(operation.name, *_given(operation)):
            yield Varying(Form.DATA, operation)
    if len(traces) >= ROUNDS:
        yield from _more_or_less(traces[-ROUNDS:])
        for same in _side_by_side(traces[-ROUNDS:]):
            by = _changed(same)
            if by is not None:
                yield Varying(by, same[-1])


def _takes_by_mask(operation: Operation) -> bool:
    return operation.name in _INDEXED and any(each.dtype == "bool" for each in operation.inputs[1:])


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
            if operation.name in _PLACED or operation.name in APPENDING:
                places.setdefault((operation.site, operation.name), []).append(operation)
        sorted_by_place.append(places)
    for place in sorted_by_place[-1]:
        same = [places.get(place, []) for places in sorted_by_place]
        if len({len(each) for each in same}) == 1:
            yield from zip(*same, strict=True)


def _more_or_less(traces: Sequence[Trace]) -> Iterator[Varying]:
    """Calls that one round makes more often than another, in a loop within it."""
    counted = [Counter(operation.site for operation in trace.operations) for trace in traces]
    first = {operation.site: operation for operation in reversed(traces[-1].operations)}
    for site, operation in first.items():
        times = [each[site] for each in counted]
        if all(times) and all(now != before for before, now in pairwise(times)):
            yield Varying(Form.TRIPS, operation)


def _changed(same: tuple[Operation, ...]) -> Form | None:
    if same[0].name in APPENDING:
        return Form.GROWTH if all(starmap(_is_appended, pairwise(same))) else None
    arguments = {(each.arguments, each.numbers if "pow" in each.name else ()) for each in same}
    return Form.INDEX if len(arguments) == len(same) else None


def _is_appended(before: Operation, now: Operation) -> bool:
    return now.outputs != before.outputs and before.outputs[0] in now.inputs
