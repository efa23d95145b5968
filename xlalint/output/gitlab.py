"""Diagnostics as a Code Quality report, which GitLab shows in merge requests."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

from xlalint.diagnostic import Diagnostic, Position, Severity
from xlalint.fingerprints import fingerprints
from xlalint.output.paint import show_control
from xlalint.sources.file import SourceFile

_SEVERITIES = {Severity.ERROR: "major", Severity.WARNING: "minor", Severity.INFO: "info"}


def render(diagnostics: Sequence[Diagnostic], sources: Mapping[str, SourceFile]) -> str:
    """A list of objects in pure ASCII. Of those with equal fingerprints GitLab would show only one."""
    rows = [
        {
            "description": f"{diagnostic.code} {diagnostic.name}: {show_control(diagnostic.message)}",
            "check_name": diagnostic.code,
            "fingerprint": fingerprint,
            "severity": _SEVERITIES[diagnostic.severity],
            "location": {
                "path": diagnostic.path,
                "positions": {
                    "begin": _position(diagnostic.range.start),
                    "end": _position(diagnostic.range.end),
                },
            },
        }
        for diagnostic, fingerprint in zip(diagnostics, fingerprints(diagnostics, sources), strict=True)
    ]
    return json.dumps(rows, indent=2) + "\n"


def _position(position: Position) -> dict[str, int]:
    return {"line": position.line, "column": position.column}
