"""Versions of torch_xla: what a project must run on, and when a name lived."""

from __future__ import annotations

import re
from typing import NamedTuple

Version = tuple[int, int]
RELEASES: tuple[Version, ...] = (
    *((1, minor) for minor in range(8, 14)),
    *((2, minor) for minor in range(10)),
)
"""The releases that something is known of; the tables in `knowledge` begin and end with them."""
LATEST = RELEASES[-1]

_NUMBER = r"(\d{1,9})\.(\d{1,9})(?:\.\d+)?"
_RANGE = re.compile(rf"\s*{_NUMBER}(?:\s*\.\.\s*{_NUMBER})?\s*", re.ASCII)


class VersionRange(NamedTuple):
    """All versions from `low` up to and with `high`."""

    low: Version
    high: Version

    def __str__(self) -> str:
        if self.low == self.high:
            return show(self.low)
        return f"{show(self.low)}..{show(self.high)}"


def show(version: Version) -> str:
    """`(2, 9)` as `2.9`."""
    return f"{version[0]}.{version[1]}"


def parse_range(text: str) -> VersionRange:
    """Read `2.1..2.9`, or one number, which means "from there up to the last release".

    Raises:
        ValueError: the text is no version or range, the range is empty, or it begins or ends with a
            version that is no release.
    """
    match = _RANGE.fullmatch(text)
    if match is None:
        raise ValueError(f"{text!r} is not a version: write one as 2.5, or a range as 2.1..2.9")
    low = (int(match[1]), int(match[2]))
    high = (int(match[3]), int(match[4])) if match[3] else LATEST
    for version in (low, high):
        if version not in RELEASES:
            raise ValueError(f"there is no torch_xla {show(version)}: xlalint knows {_known()}")
    if low > high:
        raise ValueError(f"{text!r} is an empty range: {show(low)} is later than {show(high)}")
    return VersionRange(low, high)


def _known() -> str:
    """All releases, as one stretch for each major version."""
    majors = sorted({major for major, _ in RELEASES})
    stretches = [[release for release in RELEASES if release[0] == major] for major in majors]
    return " and ".join(f"{show(stretch[0])} to {show(stretch[-1])}" for stretch in stretches)


DEFAULT_TARGET = VersionRange(LATEST, LATEST)
