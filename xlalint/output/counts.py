"""How many diagnostics there are, by rule and by file, and how a number of things is written."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence

from xlalint.diagnostic import Diagnostic


def count_of(number: int, noun: str, nouns: str = "") -> str:
    """Such as `1 file` and `2 files`.

    Args:
        nouns: What more than one are called, if it does not end in `s` alone.
    """
    return f"{number} {noun}" if number == 1 else f"{number} {nouns or noun + 's'}"


def by_rule(diagnostics: Sequence[Diagnostic]) -> list[tuple[tuple[str, str], int]]:
    """Code and name of each rule, and how many diagnostics it gave, the most frequent first."""
    counts = Counter((diagnostic.code, diagnostic.name) for diagnostic in diagnostics)
    return sorted(counts.items(), key=lambda row: (-row[1], row[0]))


def by_file(diagnostics: Sequence[Diagnostic]) -> list[tuple[str, list[Diagnostic]]]:
    """The path of each file, and its diagnostics; the file with most comes first."""
    within: dict[str, list[Diagnostic]] = defaultdict(list)
    for diagnostic in diagnostics:
        within[diagnostic.path].append(diagnostic)
    return sorted(within.items(), key=lambda file: (-len(file[1]), file[0]))
