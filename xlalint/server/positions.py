"""Columns in the units that a client counts in, and back.

xlalint counts code points; a client counts the code units of an encoding, which it and the server agree on.
"""

from __future__ import annotations

from collections.abc import Callable

from lsprotocol import types

from xlalint.diagnostic import Position, Range

_BYTES = {"utf-8": 1, "utf-16": 2, "utf-32": 4}
_CODECS = {"utf-8": "utf-8", "utf-16": "utf-16-le", "utf-32": "utf-32-le"}


class Units:
    """How a client counts columns."""

    def __init__(self, encoding: str) -> None:
        """Args: encoding: utf-8, utf-16 or utf-32."""
        self._codec = _CODECS[encoding]
        self._bytes = _BYTES[encoding]

    def before(self, line: str, column: int) -> int:
        """How many units stand before a column of a line, which is a 0-based number of code points."""
        text = line[:column]
        return len(text) if text.isascii() else len(text.encode(self._codec, "surrogatepass")) // self._bytes

    def column(self, line: str, units: int) -> int:
        """The column behind so many units; at most that behind the line."""
        if line.isascii():
            return min(units, len(line))
        encoded = line.encode(self._codec, "surrogatepass")[: units * self._bytes]
        return len(encoded.decode(self._codec, "ignore"))

    def position(self, place: Position, line: Callable[[int], str], above: int = 0) -> types.Position:
        """A position as the client counts it.

        Args:
            line: The text of a line by its 1-based number, without its end.
            above: How many lines stand above the client's first one.
        """
        units = self.before(line(place.line), place.column - 1)
        return types.Position(max(place.line - 1 - above, 0), units)

    def range(self, place: Range, line: Callable[[int], str], above: int = 0) -> types.Range:
        """A range as the client counts it; the others are as of `position`."""
        return types.Range(self.position(place.start, line, above), self.position(place.end, line, above))

    def place(self, position: types.Position, line: Callable[[int], str], above: int = 0) -> Position:
        """A position of the client as we count it; the others are as of `position`."""
        number = position.line + 1 + above
        return Position(number, self.column(line(number), position.character) + 1)
