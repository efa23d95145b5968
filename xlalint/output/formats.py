"""The formats of a report: one module beside this one for each, imported when it is asked for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import NamedTuple

from xlalint.diagnostic import Diagnostic
from xlalint.output.notebooks import Counted, counted
from xlalint.sources.file import SourceFile


class Format(NamedTuple):
    """A format for programs.

    Args:
        module: The module whose `render` writes it.
        has_edits: Whether it says what fixes would change.
        notebooks: How it names a place in one.
    """

    module: str
    has_edits: bool = False
    notebooks: Counted = Counted.BY_FILE


FOR_PROGRAMS = {
    "json": Format("json", has_edits=True, notebooks=Counted.BY_CELL),
    "json-lines": Format("json_lines", has_edits=True, notebooks=Counted.BY_CELL),
    "sarif": Format("sarif", has_edits=True),
    "github": Format("github"),
    "gitlab": Format("gitlab"),
    "junit": Format("junit", notebooks=Counted.WITHIN_PATH),
    "rdjson": Format("rdjson", has_edits=True),
    "markdown": Format("markdown", notebooks=Counted.WITHIN_PATH),
}

FORMATS = ("text", "concise", *FOR_PROGRAMS)


def render(name: str, diagnostics: Sequence[Diagnostic], sources: Mapping[str, SourceFile]) -> str:
    """A report in one of the formats for programs.

    Args:
        diagnostics: In the order in which they are to be shown.
        sources: The files that they stand in, by their shown path.
    """
    form = FOR_PROGRAMS[name]
    module = import_module(f"xlalint.output.{form.module}")
    text: str = module.render(*counted(diagnostics, sources, form.notebooks))
    return text
