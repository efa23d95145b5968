"""What a result takes for granted that nothing in the program shows.

An assumption is a clause that completes "assumes that", such as "`loader` is an `MpDeviceLoader`". What
follows from one assumption, however much it is, rests on one. `{owner}` in a clause stands for the line
of the scope or test that a finding is about.
"""

from __future__ import annotations

from collections.abc import Iterable

Assumptions = frozenset[str]

NONE: Assumptions = frozenset()
MANY: Assumptions = frozenset({"this is so", "that is so"})
"""More than one: a finding that rests on so much stays silent, whatever it is."""

STEPS_ELSEWHERE: Assumptions = frozenset({"nothing called before this cuts the graph"})
"""A caller's unknown calls, as a called function sees them."""
FOLLOWED: Assumptions = frozenset({"what xlalint did not follow changes nothing"})
"""A bound of the analyzer was reached."""
MID_STEP: Assumptions = frozenset({"this is called while the work of a step is pending"})
"""A function that saves is called in mid-step, by somebody who is not seen."""
LAZY: Assumptions = frozenset({"eager mode is off"})
TELLS_MASTER: Assumptions = frozenset({"the test on line {owner} tells the master from the others"})
"""A caller's test of the replicas, as a called function sees it."""


def assume(clause: str) -> Assumptions:
    """That one thing is so."""
    return frozenset({clause})


def both(a: Assumptions, b: Assumptions) -> Assumptions:
    """What rests on `a` and on `b`."""
    if a == b or not b:
        return a
    return b if not a else MANY


def either(a: Assumptions, b: Assumptions) -> Assumptions:
    """What holds in two ways, of which one rests on `a` and the other on `b`.

    On either way one of them is enough, so the larger counts; the order of the two does not.
    """
    if a == b:
        return a
    if len(a) != len(b):
        return a if len(a) > len(b) else b
    return min(a, b, key=sorted)


def least(ways: Iterable[Assumptions]) -> Assumptions:
    """What must be assumed where any of several ways to a result is enough; nothing where there is none."""
    return min(ways, key=lambda assumes: (len(assumes), sorted(assumes)), default=NONE)
