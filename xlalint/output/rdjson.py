"""Diagnostics in the form of Reviewdog, which comments on pull requests with them."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from xlalint.diagnostic import Diagnostic, Position, Range
from xlalint.output.columns import utf8
from xlalint.output.explained import explained
from xlalint.sources.file import SourceFile

_HOME = "https://github.com/xlalint/xlalint"


def render(diagnostics: Sequence[Diagnostic], sources: Mapping[str, SourceFile]) -> str:
    """An object in pure ASCII."""
    rows = [_diagnostic(diagnostic, sources) for diagnostic in diagnostics]
    return json.dumps({"source": {"name": "xlalint", "url": _HOME}, "diagnostics": rows}, indent=2) + "\n"


def _diagnostic(diagnostic: Diagnostic, sources: Mapping[str, SourceFile]) -> dict[str, Any]:
    path = diagnostic.path
    return {
        "message": explained(diagnostic),
        "location": {"path": path, "range": _range(path, diagnostic.range, sources)},
        "severity": str(diagnostic.severity).upper(),
        "code": {"value": diagnostic.code, "url": diagnostic.url},
        "suggestions": [*_suggestions(diagnostic, sources)],
        "related_locations": [
            {
                "message": related.message,
                "location": {
                    "path": related.path, "range": _range(related.path, related.range, sources),
                },
            }
            for related in diagnostic.related
        ],
    }  # fmt: skip


def _suggestions(diagnostic: Diagnostic, sources: Mapping[str, SourceFile]) -> Iterator[dict[str, Any]]:
    """The best fix, if it is one change of this file: Reviewdog offers each change by itself."""
    fix = next((fix for fix in diagnostic.fixes if fix.edits), None)
    if fix is not None and len(fix.edits) == 1 and fix.edits[0].path in (None, diagnostic.path):
        (edit,) = fix.edits
        yield {"range": _range(diagnostic.path, edit.range, sources), "text": edit.text}


def _range(path: str, place: Range, sources: Mapping[str, SourceFile]) -> dict[str, Any]:
    return {"start": _position(path, place.start, sources), "end": _position(path, place.end, sources)}


def _position(path: str, position: Position, sources: Mapping[str, SourceFile]) -> dict[str, int]:
    return {"line": position.line, "column": utf8(path, position, sources)}
