"""Summaries of functions are kept between runs: whatever one may hold can be packed."""

from __future__ import annotations

from typing import get_args, get_type_hints

from xlalint.analysis.payloads import PAYLOADS
from xlalint.analysis.reuse.packing import PACKED
from xlalint.analysis.store import Store
from xlalint.judging import Occurrence
from xlalint.program.outline import Class, Function, Outline

TOLD_BY_KEY = (Function, Class, Outline)
"""Of these a row holds no parts."""


def parts(hint: object) -> set[type]:
    """The classes of ours that what is annotated with `hint` may consist of."""
    met: set[type] = set()
    left = [hint]
    while left:
        hint = left.pop()
        left += get_args(hint)
        if isinstance(hint, type) and hint.__module__.startswith("xlalint.") and hint not in met:
            met.add(hint)
            left += () if hint in TOLD_BY_KEY else get_type_hints(hint).values()
    return met


def test_whatever_a_summary_may_hold_can_be_packed() -> None:
    held = {cls for row in PAYLOADS.values() for cls in row}
    for hint in (Store, Occurrence, *held, *PACKED):
        assert parts(hint) <= PACKED, hint
