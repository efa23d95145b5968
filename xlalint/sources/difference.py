"""Which lines of two texts differ."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

_MOST: Final = 4_000_000
"""So many pairs of lines are compared at most; what is longer counts as different as a whole."""


def different(before: Sequence[str], after: Sequence[str]) -> Iterator[tuple[int, int, int, int]]:
    """Stretches of lines that differ: first and last in `before`, then in `after`, as slices take them."""
    shorter = min(len(before), len(after))
    start = next((i for i in range(shorter) if before[i] != after[i]), shorter)
    end = 0
    while end < shorter - start and before[-1 - end] == after[-1 - end]:
        end += 1
    old, new = before[start : len(before) - end], after[start : len(after) - end]
    if len(old) * len(new) > _MOST:
        yield start, start + len(old), start, start + len(new)
        return
    import difflib  # most runs compare nothing

    for kind, a, b, c, d in difflib.SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if kind != "equal":
            yield start + a, start + b, start + c, start + d
