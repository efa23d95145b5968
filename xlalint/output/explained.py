"""A diagnostic as one text of several lines, for formats that have one field for it."""

from __future__ import annotations

from collections.abc import Iterator

from xlalint.diagnostic import Diagnostic
from xlalint.output.paint import show_control


def explained(diagnostic: Diagnostic) -> str:
    """The message, what it assumes, the help, and the calls that lead there."""
    return "\n".join(map(show_control, _lines(diagnostic)))


def _lines(diagnostic: Diagnostic) -> Iterator[str]:
    yield diagnostic.message
    if diagnostic.assumes:
        yield f"likely: assumes {diagnostic.assumes}"
    if diagnostic.help:
        yield f"help: {diagnostic.help}"
    for related in diagnostic.related:
        yield f"{related.message}: {related.path}:{related.range.start.line}"
