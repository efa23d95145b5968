"""Diagnostics as a table in Markdown, for the summary of a CI job or a comment."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from xlalint.diagnostic import Certainty, Diagnostic
from xlalint.output.paint import show_control
from xlalint.sources.file import SourceFile

_MOST_ROWS = 1000
"""A summary of a job on GitHub holds no more than 1 MiB, and one that is longer is lost."""
_SPECIAL = re.compile(r"([\\`*_\[\]<>|#~&!])")
_CODE = re.compile(r"(`[^`]*`)")


def render(diagnostics: Sequence[Diagnostic], sources: Mapping[str, SourceFile]) -> str:
    """A heading, and a table with the most severe first."""
    return "".join(f"{line}\n" for line in _lines(diagnostics))


def _lines(diagnostics: Sequence[Diagnostic]) -> Iterator[str]:
    if not diagnostics:
        yield "### xlalint: no diagnostics"
        return
    counts = Counter(diagnostic.severity for diagnostic in diagnostics)
    yield "### xlalint: " + ", ".join(
        f"{count} {severity}{'s' * (count > 1 and str(severity) != 'info')}"
        for severity, count in sorted(counts.items(), reverse=True)
    )
    yield ""
    yield "| severity | rule | place | what |"
    yield "|---|---|---|---|"
    ordered = sorted(diagnostics, key=lambda diagnostic: -diagnostic.severity)
    for diagnostic in ordered[:_MOST_ROWS]:
        yield f"| {' | '.join(_cells(diagnostic))} |"
    if len(ordered) > _MOST_ROWS:
        yield ""
        yield f"... and {len(ordered) - _MOST_ROWS} more."


def _cells(diagnostic: Diagnostic) -> Iterator[str]:
    likely = " (likely)" if diagnostic.certainty is Certainty.LIKELY else ""
    yield f"{diagnostic.severity}{likely}"
    name = f"{diagnostic.code} {diagnostic.name}"
    yield f"[{name}]({diagnostic.url})" if diagnostic.url else name
    yield _code(f"{diagnostic.path}:{diagnostic.range.start.line}")
    help = f"<br>{_text(diagnostic.help)}" if diagnostic.help else ""
    yield _text(diagnostic.message) + help


def _code(text: str) -> str:
    """Code within a cell: nothing but the bar means anything there."""
    longest = max((len(run) for run in re.findall(r"`+", text)), default=0)
    fence, room = "`" * (longest + 1), " " * (longest > 0)
    return f"{fence}{room}{text}{room}{fence}".replace("|", "\\|")


def _text(text: str) -> str:
    """A message: what stands in backticks is code, and nothing else of it means anything to Markdown."""
    parts = _CODE.split(" ".join(show_control(text).split()))
    return "".join(
        part.replace("|", "\\|") if _CODE.fullmatch(part) else _SPECIAL.sub(r"\\\1", part) for part in parts
    )
