"""Diagnostics as commands of GitHub Actions, which shows them at their lines of a pull request."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from xlalint.diagnostic import Diagnostic, Severity
from xlalint.output.explained import explained
from xlalint.sources.file import SourceFile

_COMMANDS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "notice"}


def render(diagnostics: Sequence[Diagnostic], sources: Mapping[str, SourceFile]) -> str:
    """A command on each line."""
    return "".join(f"{_command(diagnostic)}\n" for diagnostic in diagnostics)


def _command(diagnostic: Diagnostic) -> str:
    start, end = diagnostic.range.start, diagnostic.range.end
    properties = {
        "title": f"{diagnostic.code} {diagnostic.name}",
        "file": diagnostic.path,
        "line": start.line,
        "col": start.column,
        "endLine": end.line,
    }
    if start.line == end.line:  # GitHub takes it for nothing but one line
        properties["endColumn"] = end.column
    written = ",".join(f"{name}={_property(str(value))}" for name, value in properties.items())
    return f"::{_COMMANDS[diagnostic.severity]} {written}::{_data(explained(diagnostic))}"


def _data(text: str) -> str:
    """A text that cannot end its line: whoever chooses names must not write commands."""
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
