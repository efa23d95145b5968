"""What two runs of a program have computed, compared: bit for bit, or by how far the numbers differ."""

from __future__ import annotations

import array
import json
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

TOLERANCE = 1e-4
"""Two numbers agree if they differ by no more than this part of the larger one, or of 1."""


class NoNumbers(ValueError):
    """A run has left no numbers; the message says why."""


@dataclass(frozen=True)
class Numbers:
    """What one run has computed.

    Args:
        losses: What `backward` was called on, in this order.
        shapes: Of each parameter that an optimizer holds, its shape.
        values: All elements of these, one parameter after the other.
    """

    losses: tuple[float, ...]
    shapes: tuple[tuple[int, ...], ...]
    values: Sequence[float]


@dataclass(frozen=True)
class Difference:
    """How two rows of numbers differ.

    Args:
        counts: How many there are in each.
        largest: The largest difference, as a part of the larger number or of 1; None where the counts differ.
    """

    counts: tuple[int, int]
    largest: float | None

    @property
    def agree(self) -> bool:
        """Whether they are the same but for rounding."""
        return self.largest is not None and self.largest <= TOLERANCE

    def __str__(self) -> str:
        if self.largest is None:
            return f"{self.counts[0]} before, {self.counts[1]} after: they cannot be compared"
        if self.largest == 0:
            return f"{self.counts[0]}, equal bit for bit"
        return f"{self.counts[0]}, largest relative difference {self.largest:.1e}"


def write(file: Path, numbers: Numbers) -> None:
    """Write numbers: a line of JSON, and after it the elements as doubles."""
    head = {"losses": [each.hex() for each in numbers.losses], "shapes": numbers.shapes}
    data = array.array("d", numbers.values)
    file.write_bytes(json.dumps(head).encode() + b"\n" + data.tobytes())


def read(file: Path) -> Numbers:
    """What `write` wrote.

    Raises:
        NoNumbers: it is not there, or something else.
    """
    try:
        head, _, data = file.read_bytes().partition(b"\n")
        held = json.loads(head)
        values = array.array("d")
        values.frombytes(data)
        losses = tuple(float.fromhex(each) for each in held["losses"])
        return Numbers(losses, tuple(tuple(shape) for shape in held["shapes"]), values)
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise NoNumbers("the program left no numbers: it did not come to its end") from error


def compare(before: Iterable[float], after: Iterable[float]) -> Difference:
    """How two rows of numbers differ; two that are no numbers are equal."""
    first, second = list(before), list(after)
    if len(first) != len(second):
        return Difference((len(first), len(second)), None)
    largest = max((_difference(a, b) for a, b in zip(first, second, strict=True)), default=0.0)
    return Difference((len(first), len(second)), largest)


def _difference(a: float, b: float) -> float:
    if a == b or (math.isnan(a) and math.isnan(b)):
        return 0.0
    return math.inf if math.isnan(a - b) else abs(a - b) / max(1.0, abs(a), abs(b))
