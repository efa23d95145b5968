"""How far an analysis has come, for whoever shows it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass
class Progress:
    """What is written by one thread and read by another.

    Args:
        done: How many functions and module bodies have been analyzed by themselves.
        total: How many there are, as far as that is known beforehand.
        file: The file of the last of them.
    """

    done: int = 0
    total: int = 0
    file: str = ""

    def expect(self, count: int) -> None:
        """There are so many more to come."""
        self.total = self.done + count

    def advance(self, file: str) -> None:
        """One more is done."""
        self.done += 1
        self.total = max(self.total, self.done)
        self.file = file
