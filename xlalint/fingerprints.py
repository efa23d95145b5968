"""What a diagnostic is known by from one run to the next, whatever lines move around it."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from xlalint.diagnostic import Diagnostic
from xlalint.sources.file import SourceFile

_DIGITS = 32


class Identity(NamedTuple):
    """The rule, the file and the text of the line that a diagnostic starts on, without its indentation.

    The message is no part of it, as it names other lines.
    """

    path: str
    code: str
    text: str


def identity(diagnostic: Diagnostic, sources: Mapping[str, SourceFile]) -> Identity:
    """What tells a diagnostic from most others.

    Args:
        sources: The files that diagnostics stand in, by their shown path.
    """
    source = sources.get(diagnostic.path)
    text = source.line(diagnostic.range.start.line) if source is not None else ""
    return Identity(diagnostic.path, diagnostic.code, " ".join(text.split()))


def fingerprints(diagnostics: Iterable[Diagnostic], sources: Mapping[str, SourceFile]) -> Iterator[str]:
    """A text for each diagnostic, different from all others: those alike are counted in their order.

    Args:
        diagnostics: All of them, in the order in which they are shown.
        sources: The files that they stand in, by their shown path.
    """
    seen: Counter[Identity] = Counter()
    for diagnostic in diagnostics:
        known = identity(diagnostic, sources)
        text = json.dumps([*known, seen[known]])
        seen[known] += 1
        yield hashlib.sha256(text.encode()).hexdigest()[:_DIGITS]
