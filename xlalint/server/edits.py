"""Changes of texts as the protocol has them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from lsprotocol import types

from xlalint.diagnostic import Edit
from xlalint.server.documents import Part, Snapshot, split_lines
from xlalint.server.positions import Units
from xlalint.sources.difference import different


def text_edits(before: Sequence[str], after: Sequence[str], units: Units) -> Iterator[types.TextEdit]:
    """What turns some lines into others, both with their ends; lines that stay are not touched."""

    def place(number: int) -> types.Position:
        if number < len(before):
            return types.Position(number, 0)
        return types.Position(number - 1, units.before(before[-1], len(before[-1])))

    for low, high, new_low, new_high in different(before, after):
        lines = "".join(after[new_low:new_high])
        yield types.TextEdit(types.Range(place(low), place(high)), lines)


def workspace_edit(
    changed: Mapping[str, str], open_texts: Sequence[Snapshot], units: Units, *, versioned: bool
) -> types.WorkspaceEdit:
    """What turns parts of open files into others.

    Args:
        changed: By the client's name of a part, the new text.
        versioned: Whether the client can tell which state of a text a change is for.
    """
    before = {part.uri: part for each in open_texts for part in each.parts}
    edits = {uri: [*text_edits(before[uri].lines, split_lines(text), units)] for uri, text in changed.items()}
    return _workspace_edit({uri: made for uri, made in edits.items() if made}, before, versioned=versioned)


def edit_of(edit: Edit, part: Part, units: Units, *, versioned: bool) -> types.WorkspaceEdit:
    """One change of one part of a file."""
    new_text = edit.text.replace("\n", part.line_end)
    made = types.TextEdit(units.range(edit.range, part.line, part.above), new_text)
    return _workspace_edit({part.uri: [made]}, {part.uri: part}, versioned=versioned)


def _workspace_edit(
    edits: Mapping[str, list[types.TextEdit]], before: Mapping[str, Part], *, versioned: bool
) -> types.WorkspaceEdit:
    if not versioned:
        return types.WorkspaceEdit(changes={**edits})
    changes = [
        types.TextDocumentEdit(types.OptionalVersionedTextDocumentIdentifier(uri, before[uri].version), made)
        for uri, made in edits.items()
    ]
    return types.WorkspaceEdit(document_changes=changes)
