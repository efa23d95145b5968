"""What the model holds at a line, for those who want to see it while they write."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from lsprotocol import types

from xlalint.diagnostic import Position
from xlalint.output.state import changes, details
from xlalint.settings import SettingsError

if TYPE_CHECKING:
    from xlalint.analysis.engine import LineState
    from xlalint.server.documents import Snapshot
    from xlalint.server.server import Server
    from xlalint.sources.file import SourceFile


async def inlay_hints(ls: Server, params: types.InlayHintParams) -> list[types.InlayHint] | None:
    """What holds before lines run, at the ends of those before which it changes."""
    if not ls.preferences.state_as_hints:
        return None
    known = await _states(ls, params.text_document.uri)
    if known is None:
        return None
    text, source, states = known
    part = text.part(params.text_document.uri)
    if part is None:
        return None
    first, last = params.range.start.line + 1 + part.above, params.range.end.line + 1 + part.above
    return [
        types.InlayHint(
            ls.documents.units.position(Position(line, len(source.line(line)) + 1), source.line, part.above),
            "  ".join(f"before: {text}" for text in texts),
            padding_left=True,
            tooltip="What xlalint knows of the lazy engine before this line runs",
        )
        for line, texts in changes(source, states)
        if first <= line <= last and text.part_at(line) is part
    ]


async def told_at(ls: Server, uri: str, line: int) -> str | None:
    """All that is known before a 1-based line runs, as Markdown; None where that is nothing."""
    known = await _states(ls, uri) if ls.preferences.state_on_hover else None
    if known is None or not any(state.line == line for state in known[2]):
        return None
    told = ("".join(span.text for span in each).rstrip() for each in details(*known[1:], line))
    return "```text\n" + "\n".join(told) + "\n```"


async def _states(ls: Server, uri: str) -> tuple[Snapshot, SourceFile, list[LineState]] | None:
    document = ls.documents.get(uri)
    if document is None:
        return None
    text, open_texts = document.snapshot(), ls.checks.open_texts()
    job = partial(ls.analysis.states, text, open_texts, ls.preferences.configuration)
    try:
        known = await ls.worker.do(job)
    except SettingsError:
        return None  # which the check of the text tells
    return (text, *known) if known is not None and document.revision == text.revision else None
