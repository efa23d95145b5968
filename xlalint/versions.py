"""Versions of torch_xla: what a project must run on, and when a name lived."""

from __future__ import annotations

import re
from typing import NamedTuple

LATEST = (2, 9)
Version = tuple[int, int]


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
        ValueError: the text is no version or range, or the range is empty.
    """
    match = re.fullmatch(r"\s*(\d+)\.(\d+)(?:\.\d+)?(?:\s*\.\.\s*(\d+)\.(\d+)(?:\.\d+)?)?\s*", text)
    if match is None:
        raise ValueError(f"{text!r} is not a version: write one as 2.5, or a range as 2.1..2.9")
    low = (int(match[1]), int(match[2]))
    high = (int(match[3]), int(match[4])) if match[3] else max(low, LATEST)
    if low > high:
        raise ValueError(f"{text!r} is an empty range: {show(low)} is later than {show(high)}")
    return VersionRange(low, high)


DEFAULT_TARGET = VersionRange(LATEST, LATEST)
