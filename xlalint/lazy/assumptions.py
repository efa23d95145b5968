"""What a result takes for granted that nothing in the program shows.

An assumption is a clause that completes "assumes that", such as "`loader` is an `MpDeviceLoader`". What
follows from one assumption, however much it is, rests on one. `{owner}` in a clause stands for the line
of the scope or test that a finding is about.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import Final

Assumptions = frozenset[str]

NONE: Final[Assumptions] = frozenset()
MANY: Final[Assumptions] = frozenset({"this is so", "that is so"})
"""More than one: a finding that rests on so much stays silent, whatever it is."""

IS_SET: Final[Assumptions] = frozenset({"this is what one of the branches before it sets"})
"""What is a module, a device or a loader in one branch and unknown in another."""
STEPS_ELSEWHERE: Final[Assumptions] = frozenset({"nothing called before this cuts the graph"})
"""A caller's unknown calls, as a called function sees them."""
SUMMED_ELSEWHERE: Final[Assumptions] = frozenset({"nothing called before this sums the gradients"})
"""The same, of what becomes of gradients."""
FOLLOWED: Final[Assumptions] = frozenset({"what xlalint did not follow changes nothing"})
"""A bound of the analyzer was reached."""
MID_STEP: Final[Assumptions] = frozenset({"this is called while the work of a step is pending"})
"""A function that saves is called in mid-step, by somebody who is not seen."""
AUTOGRAD: Final[Assumptions] = frozenset({"autograd is on where this is called"})
"""A function that computes no gradients is called by somebody who is not seen."""
NOT_FINITE: Final[Assumptions] = frozenset({"a number is not finite"})
"""What a program does that looks for NaN and infinity, when it has found one: training has failed by then."""
UNSEEDED: Final[Assumptions] = frozenset({"nothing called before this gives the host a seed"})
"""Unknown calls of a function that is launched."""
LEAVES_A_REST: Final[Assumptions] = frozenset({"the number of samples is no multiple of the batch size"})
LAZY: Final[Assumptions] = frozenset({"eager mode is off"})
LAUNCHES: Final[Assumptions] = frozenset({"the launch that leads here no longer raises"})
"""What a launch would start that raises as it stands, of which XLA509 tells."""
STARTED: Final[Assumptions] = frozenset({"somebody starts several replicas"})
"""Nothing in the program does."""
MANY_NUMBERS: Final[Assumptions] = frozenset({"this is more than one number"})
"""What an f-string shows, which is mostly a loss: that of one number is read as by `.item()`."""
MOVES: Final = "moves a tensor or a module"
"""How the assumption ends that something unknown, moved to the device, is one of the two."""
IS_XLA: Final = "is an XLA device"
"""How the assumption ends that what a function moves its tensors to is a device of XLA."""
ON_FOR_XLA: Final = f"is on where the device {IS_XLA}"
"""How the assumption ends that a flag under which an autocast stands is no flag for other devices."""
RETURNS: Final = "returns a tensor"
"""How the assumption ends that what an unknown callee made of device values is a tensor."""
COMES_HERE: Final = "comes here"
"""How the assumption ends that of several functions it is this one that a call leads to."""
SEPARATES: Final = "tells the master from the others"
"""How the assumption ends that a test that hangs on more than the replica lets some of them in."""
TELLS_MASTER: Final[Assumptions] = frozenset({f"the test on line {{owner}} {SEPARATES}"})
"""A caller's test of the replicas, as a called function sees it."""
OFF_BY_DEFAULT: Final = ", which is off by default"
"""How the assumption ends that somebody gives an option of the command line."""
OFF_IN: Final = ", which is off in "
"""What comes before the file that has a setting off."""
IS_A_TENSOR: Final[Assumptions] = frozenset(
    {"this is a tensor on the device, as in one of the branches before it"}
)
"""What is a tensor in one branch and a number in another."""
PART: Final[Assumptions] = frozenset({"what is taken from the batch or output is a tensor"})
CUT_OFF: Final[Assumptions] = frozenset({"the gradients of all replicas together should be cut off"})
"""Those of each replica are, by a value: what is summed then is another step, though the same on all."""
SCALES: Final[Assumptions] = frozenset({"the scaler is enabled"})
TRAINED_ELSEWHERE: Final[Assumptions] = frozenset({"the framework trains this on an XLA device"})
"""What trains by a framework, of which only files elsewhere in the project say anything of XLA."""

CHOSEN_BY_FRAMEWORK: Final[Assumptions] = frozenset({"the framework uses an XLA device"})
"""What trains by a framework that is told no device, and may take another one by itself."""

SET_IN_TIME: Final[Assumptions] = frozenset({"it is set before torch_xla asks for it"})
"""A variable of the environment that a function sets, which may be called when torch_xla has been at work."""


def assume(clause: str) -> Assumptions:
    """That one thing is so."""
    return frozenset({clause})


def both(a: Assumptions, b: Assumptions) -> Assumptions:
    """What rests on `a` and on `b`."""
    if a == b or not b:
        return a
    if not a:
        return b
    together = a | b
    return together if weight(together) == 1 and len(together) <= _MOST_KEPT else MANY


def either(a: Assumptions, b: Assumptions) -> Assumptions:
    """What holds in two ways, of which one rests on `a` and the other on `b`.

    On either way one of them is enough, so the larger counts; the order of the two does not.
    """
    if a == b:
        return a
    if len(a) != len(b):
        return a if (weight(a), len(a)) > (weight(b), len(b)) else b
    return min(a, b, key=sorted)


def weight(assumes: Assumptions) -> int:
    """How many things are assumed.

    By which ways the program came here counts as one thing, and as none beside something else: there is such
    a way, and what else is assumed must be so on it.
    """
    others = sum(not _is_of_way(clause) for clause in assumes)
    return others or min(len(assumes), 1)


@lru_cache(maxsize=4096)  # 2 % of dense code: few clauses are asked for again and again
def _is_of_way(clause: str) -> bool:
    return clause in IS_SET or _OF_TEST.fullmatch(clause) is not None


def is_of_ways(assumes: Assumptions) -> bool:
    """Whether all that is assumed is by which ways the program came here: what is met there is sure."""
    return all(map(_is_of_way, assumes))


def is_of_device(assumes: Assumptions) -> bool:
    """Whether nothing is assumed but that, on some way to it, the device is one of XLA."""
    return all(_is_of_way(clause) or clause.endswith(IS_XLA) for clause in assumes)


def option_in(clause: str) -> str | None:
    """What was tested, as text, where an assumption is that a test came out so; else None."""
    match = _OF_TEST.fullmatch(clause)
    return None if match is None else match[1]


_OF_TEST: Final = re.compile(rf"(?:not )?`([^`]*)`(?:{OFF_BY_DEFAULT}|{OFF_IN}`[^`]*`)?")
"""How it is spelled that a test came out so."""
_MOST_KEPT: Final = 4
"""More tests than these on the way to a value are too many to rest on."""


def is_guess(assumes: Assumptions) -> bool:
    """Whether something is assumed of a kind that seldom came true, in code that nobody here had seen.

    Of the findings that rested on such an assumption three in four or more would be wanted to be true, and it
    was one in two or less; docs/precision.md has the numbers.
    """
    return any(clause in _GUESSED or clause.endswith(_GUESSED_AS) or OFF_IN in clause for clause in assumes)


_GUESSED: Final = (
    STEPS_ELSEWHERE
    | MID_STEP
    | LEAVES_A_REST
    | SCALES
    | CUT_OFF
    | TRAINED_ELSEWHERE
    | LAUNCHES
    | NOT_FINITE
    | STARTED
    | MANY_NUMBERS
    | IS_A_TENSOR
    | LAZY
)
_GUESSED_AS: Final = (COMES_HERE, SEPARATES, OFF_BY_DEFAULT, ON_FOR_XLA)


def shown_by_use(assumes: Assumptions) -> Assumptions:
    """What is still assumed of something that was moved to the device, once it is used as only a module, or
    only a tensor, can be."""
    return frozenset(clause for clause in assumes if not clause.endswith(MOVES))


def shown_by_test(assumes: Assumptions) -> Assumptions:
    """What is still assumed of something, once a test has found that it is a tensor."""
    others = assumes - IS_A_TENSOR - PART
    return frozenset(clause for clause in others if not clause.endswith(RETURNS))


def shown_by_backward(assumes: Assumptions) -> Assumptions:
    """What is still assumed of what backward starts from: that it is a tensor no longer, but its device."""
    return frozenset(clause for clause in assumes if not ("tensor" in clause or clause in MANY))


def least(ways: Iterable[Assumptions]) -> Assumptions:
    """What must be assumed where any of several ways to a result is enough; nothing where there is none."""
    held = [*ways]
    if len(held) == 1:
        return held[0]
    if not all(held):
        return NONE
    return min(held, key=lambda assumes: (weight(assumes), len(assumes), sorted(assumes)), default=NONE)
