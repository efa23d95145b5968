"""Edits of one text, by character offsets."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple


class Edit(NamedTuple):
    """The characters from `start` up to `end` give way to `text`; with `start == end` it is inserted."""

    start: int
    end: int
    text: str

    def overlaps(self, other: Edit) -> bool:
        """Whether both would change the same characters, or insert at the same place."""
        if self.start == other.start:
            return True
        first, second = (self, other) if self.start < other.start else (other, self)
        return second.start < first.end


def applied(text: str, edits: Iterable[Edit]) -> str:
    """The text after all edits, none of which overlaps another.

    Raises:
        ValueError: two of them overlap.
    """
    parts: list[str] = []
    position = 0
    last: Edit | None = None
    for edit in sorted(set(edits)):
        if last is not None and last.overlaps(edit):
            raise ValueError("edits overlap")
        parts += text[position : edit.start], edit.text
        position, last = edit.end, edit
    return "".join((*parts, text[position:]))
