"""How many diagnostics there are, by rule and by file."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence

from xlalint.diagnostic import Diagnostic


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
