"""What an activation leaves behind beside its effects: what it rests on, and how it came about.

A summary stands for a call only where interpreting the function anew would come to the same. That is so
where nothing that it tried to enter is being entered already, where there is room for as many calls below
it, and where it needs no more contexts than there are; a trail tells all of that. Sets of what is met again
and again are kept as the bits of a number: to unite them is then one operation.
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterator
from typing import Final, Generic, TypeVar

from xlalint.remembering import remembered

_T = TypeVar("_T", bound=Hashable)


class Numbered(Generic[_T]):
    """Things in the order in which they were met first, each with a bit of its own."""

    def __init__(self) -> None:
        self._bits: dict[_T, int] = {}
        self._things: list[_T] = []
        self._told: dict[int, tuple[_T, ...]] = {}
        """What was asked before: many activations touch the same."""

    def bit(self, thing: _T) -> int:
        """The bit that stands for a thing."""
        bit = self._bits.get(thing)
        if bit is None:
            bit = self._bits[thing] = 1 << len(self._bits)
            self._things.append(thing)
        return bit

    @property
    def all(self) -> list[_T]:
        """All that was met."""
        return self._things

    def tidy(self) -> None:
        """Forget what was asked before."""
        self._told.clear()

    def one(self, bit: int) -> _T:
        """The thing that one bit stands for."""
        return self._things[bit.bit_length() - 1]

    def of(self, bits: int) -> tuple[_T, ...]:
        """The things that some bits stand for."""
        told = self._told.get(bits)
        if told is None:
            told = self._told[bits] = tuple(self._things[place] for place in places(bits))
        return told


def places(bits: int) -> Iterator[int]:
    """The numbers of the bits that are set."""
    # To test each bit would go through the whole number every time, and most of its digits are 0.
    digits = bin(bits)[:1:-1]
    place = digits.find("1")
    while place >= 0:
        yield place
        place = digits.find("1", place + 1)


def as_text(bits: int) -> str:
    """Bits as a text for another run: in hexadecimal, with a number for many zeros in a row.

    A summary rests on few of thousands of facts, and what is kept is mostly such bits.
    """
    text = f"{bits:x}"
    return _ZEROS.sub(lambda zeros: f"z{len(zeros[0])}.", text) if len(text) > _FEW else text


@remembered(8192)  # many summaries rest on the same
def as_bits(text: str) -> int:
    """The bits that were written by `as_text`."""
    first, *others = text.split("z")
    for part in others:
        count, _, rest = part.partition(".")
        first += "0" * int(count) + rest
    return int(first, 16)


_FEW: Final = 16
_ZEROS: Final = re.compile(rf"0{{{_FEW},}}")


class Trail:
    """What one activation, or a whole root, has left behind.

    Args:
        rested: The facts of the program that it rests on.
        entered: The functions that were interpreted on the way.
        tried: Those that would have been, were they not being interpreted already.
        contexts: The contexts that functions were interpreted in.
        cut_off: Functions that were not entered because they were being entered already: only while they
            all still are does a summary say what the call does.
        deepest: How many calls deep it tried to go, from the start of the root.
        too_deep: Whether a call was not followed for being too deep, or what it did elsewhere stands for it:
            then this holds at one depth of one root alone.
        narrowed: Whether a bound on contexts took away something that was known.
        recursions: Functions whose calls were cut short at a bound.
        touched: The attributes of objects that were read or assigned: no others made a difference.
        asked: The sorts of obligations that were asked for, as bits of `ASKED`: of those, no others did.
        leaning: The questions that it rests on and that were still open.
    """

    __slots__ = (
        "asked", "contexts", "cut_off", "deepest", "entered", "leaning", "narrowed", "recursions", "rested",
        "too_deep", "touched", "tried",
    )  # fmt: skip

    def __init__(
        self, rested: int = 0, entered: int = 0, tried: int = 0, contexts: int = 0, deepest: int = 0
    ) -> None:
        self.rested = rested
        self.entered = entered
        self.tried = tried
        self.contexts = contexts
        self.cut_off = 0
        self.deepest = deepest
        self.too_deep = False
        self.narrowed = False
        self.recursions = 0
        self.touched = 0
        self.asked = 0
        self.leaning = 0

    def take(self, other: Trail, deepest: int | None = None) -> None:
        """Add what an activation on the way has left behind; `deepest` where it would have led from here."""
        self.rested |= other.rested
        self.entered |= other.entered
        self.tried |= other.tried
        self.contexts |= other.contexts
        self.cut_off |= other.cut_off
        self.deepest = max(self.deepest, other.deepest if deepest is None else deepest)
        self.too_deep = self.too_deep or other.too_deep
        self.narrowed = self.narrowed or other.narrowed
        self.recursions |= other.recursions
        self.touched |= other.touched
        self.asked |= other.asked
        self.leaning |= other.leaning

    @property
    def is_clean(self) -> bool:
        """Whether no bound and no recursion had a say."""
        return not (self.cut_off or self.too_deep or self.narrowed)
