"""A diagnostic as one text of several lines, for formats that have one field for it."""

from __future__ import annotations

from collections.abc import Iterator

from xlalint.diagnostic import Diagnostic
from xlalint.output.paint import show_control
from xlalint.output.text import shown_by_run


def told(diagnostic: Diagnostic) -> str:
    """The message, what it assumes and the help, for what shows the calls that lead there by itself."""
    return "\n".join(_lines(diagnostic))


def explained(diagnostic: Diagnostic) -> str:
    """The same with the calls that lead there, and nothing in it that a terminal would obey."""
    calls = (
        f"{related.message}: {related.path}:{related.range.start.line}" for related in diagnostic.related
    )
    return "\n".join(map(show_control, [*_lines(diagnostic), *calls]))


def _lines(diagnostic: Diagnostic) -> Iterator[str]:
    yield diagnostic.message
    if diagnostic.assumes:
        yield f"likely: assumes {diagnostic.assumes}"
    if diagnostic.seen is not None:
        yield f"run: {shown_by_run(diagnostic)}"
    if diagnostic.help:
        yield f"help: {diagnostic.help}"
