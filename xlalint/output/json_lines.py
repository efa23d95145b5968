"""Diagnostics for programs, each on a line of its own; the form of one is that of `json`."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

from xlalint.diagnostic import Diagnostic
from xlalint.output.json import as_object
from xlalint.sources.file import SourceFile


def render(diagnostics: Sequence[Diagnostic], sources: Mapping[str, SourceFile]) -> str:
    """An object on each line, in pure ASCII."""
    return "".join(json.dumps(as_object(diagnostic)) + "\n" for diagnostic in diagnostics)
