"""By what the graph of one step differs from another: the first operation, and how it is another one."""

from __future__ import annotations

import difflib
from collections import Counter
from collections.abc import Callable, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

from xlalint.lazy.events import Change, Changed
from xlalint_runtime.traces import Operation, Shaped, Trace

MOST_SHOWN = 40
"""So many operations are shown by which two graphs differ."""
_AHEAD = 256
"""So far it is looked for where two traces come together again."""

Key = Callable[[Operation], object]


def first_difference(now: Trace, known: Sequence[Trace]) -> tuple[Operation, Change] | None:
    """The first operation by which a trace differs from the one of `known` that it is most like.

    Numbers are looked at where nothing else differs. Those that are computed with are data, but for 0 and 1,
    which the engine makes part of the graph.
    """
    for key in (_form, _with_numbers):
        pairs = [now.beside(other) for other in known]
        found = [(_common(ours, theirs, key), (ours, theirs)) for ours, theirs in pairs]
        if any(length == len(pair[0]) == len(pair[1]) for length, pair in found):
            continue  # By what this key sees, there was such a graph before.
        if found:
            at, (ours, theirs) = max(
                reversed(found), key=lambda each: (-_others(each[1][0], each[1][1], key), each[0])
            )
            return _at(at, ours, theirs, key)
    return None


def by_line(now: Trace, known: Sequence[Trace]) -> tuple[str, ...]:
    """All operations by which a trace differs from the one of `known` that it is most like, with their lines.

    What has gone begins with `-`, what is new with `+`.
    """
    found = min((_differing_lines(*now.beside(other)) for other in reversed(known)), key=len)
    more = len(found) - MOST_SHOWN
    return (*found[:MOST_SHOWN], *([f"and {more} more"] if more > 0 else []))


def _differing_lines(now: Sequence[Operation], before: Sequence[Operation]) -> list[str]:
    matcher = difflib.SequenceMatcher(None, [*map(_form, before)], [*map(_form, now)], autojunk=False)
    found = []
    for how, first, last, start, stop in matcher.get_opcodes():
        if how != "equal":
            found += [f"- {_at_line(each)}" for each in before[first:last]]
            found += [f"+ {_at_line(each)}" for each in now[start:stop]]
    return found


def _at_line(operation: Operation) -> str:
    site, result = operation.site, " and ".join(str(each.shape) for each in operation.outputs)
    given = ", ".join([*(str(each.shape) for each in operation.inputs), *operation.arguments])
    return f"{Path(site.path).name}:{site.line}  {operation.name}({given})" + (
        f" = {result}" if result else ""
    )


def _form(operation: Operation) -> object:
    return operation.form


def _with_numbers(operation: Operation) -> object:
    if operation.computes_with_numbers:
        return operation.form, tuple(number if number in (0, 1) else None for number in operation.numbers)
    return operation.form, operation.numbers


def _common(one: Sequence[Operation], other: Sequence[Operation], key: Key) -> int:
    pairs = enumerate(zip(one, other, strict=False))
    differing = (index for index, (here, there) in pairs if here is not there and key(here) != key(there))
    return next(differing, min(len(one), len(other)))


def _others(one: Sequence[Operation], other: Sequence[Operation], key: Key) -> int:
    """How many operations one has that the other has not. A step in which an optimizer makes its state may
    begin as another does, and be like it in little else."""
    here, there = Counter(map(key, one)), Counter(map(key, other))
    return (here - there).total() + (there - here).total()


def _at(at: int, now: Sequence[Operation], before: Sequence[Operation], key: Key) -> tuple[Operation, Change]:
    if at >= len(now):
        last = before[at]
        return last, Change(Changed.GONE, last.name, _call(last), "", before_line=last.site.line)
    ours = now[at]
    if at >= len(before):
        return ours, Change(Changed.NEW, ours.name, "", _call(ours))
    theirs = before[at]
    added, left_out = _again(now, at, theirs, key), _again(before, at, ours, key)
    if added and left_out:  # Either is here and there: what there is more of in all tells.
        more, fewer = _has_more(now, before, ours, key), _has_more(before, now, theirs, key)
        added, left_out = added * (more or not fewer), left_out * (fewer or not more)
    same_name = ours.name == theirs.name
    if same_name and not (ours.site != theirs.site and (added or left_out)):
        return ours, _same(ours, theirs)
    if added and (not left_out or added <= left_out):
        return ours, Change(Changed.NEW, ours.name, "", _call(ours))
    how, name = (Changed.GONE, theirs.name) if left_out else (Changed.OTHER, ours.name)
    return ours, Change(how, name, _call(theirs), _call(ours), before_line=theirs.site.line)


def _again(operations: Sequence[Operation], at: int, wanted: Operation, key: Key) -> int:
    """After how many operations more the one comes that was expected; 0: not soon."""
    following = islice(operations, at + 1, at + _AHEAD)
    return next((n for n, each in enumerate(following, 1) if key(each) == key(wanted)), 0)


def _has_more(one: Sequence[Operation], other: Sequence[Operation], of: Operation, key: Key) -> bool:
    wanted = key(of)
    return sum(key(each) == wanted for each in one) > sum(key(each) == wanted for each in other)


def _same(ours: Operation, theirs: Operation) -> Change:
    """What is another in two calls of one function."""
    name = ours.name
    if len(ours.inputs) != len(theirs.inputs):
        return Change(Changed.COUNT, name, str(len(theirs.inputs)), str(len(ours.inputs)))
    for kind, part in ((Changed.SHAPE, 0), (Changed.DTYPE, 1)):
        for here, there in zip(ours.inputs, theirs.inputs, strict=True):
            if here[part] != there[part]:
                return Change(kind, name, str(there[part]), str(here[part]))
    if ours.arguments != theirs.arguments:
        return Change(Changed.ARGUMENT, name, *_differing(theirs.arguments, ours.arguments, name))
    if ours.outputs != theirs.outputs:
        part = int([each.shape for each in ours.outputs] == [each.shape for each in theirs.outputs])
        return Change(Changed.RESULT, name, _listed(theirs.outputs, part), _listed(ours.outputs, part))
    pairs = [(a, b) for a, b in zip(theirs.numbers, ours.numbers, strict=False) if a != b]
    before, now = pairs[0] if pairs else (theirs.numbers, ours.numbers)
    return Change(Changed.NUMBER, name, _number(before), _number(now))


def _number(value: Any) -> str:
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def _differing(before: Sequence[str], now: Sequence[str], name: str) -> tuple[str, str]:
    """Those arguments that differ, as the program writes them."""
    if len(before) != len(now):
        return ", ".join(before) or "nothing", ", ".join(now) or "nothing"
    pairs = [(one, other) for one, other in zip(before, now, strict=True) if one != other]
    olds, news = (", ".join(each) for each in zip(*pairs, strict=True))
    if name in ("__getitem__", "__setitem__"):
        return f"[{_bare(olds)}]", f"[{_bare(news)}]"
    return olds, news


def _bare(index: str) -> str:
    return index[1:-1] if index.startswith("(") else index


def _call(operation: Operation) -> str:
    return f"{operation.name}({', '.join(str(each.shape) for each in operation.inputs)})"


def _listed(outputs: Sequence[Shaped], part: int) -> str:
    return " and ".join(str(each[part]) for each in outputs)


def in_short(change: Change) -> str:
    """A change in a few words, for a list."""
    if change.how is Changed.NEW:
        return f"{change.now} is new"
    if change.how is Changed.GONE:
        return f"{change.before} is gone"
    name = "" if change.how is Changed.OTHER else f"{change.operation}: "
    return f"{name}{change.before} -> {change.now}"
