"""Diagnostics as the protocol has them."""

from __future__ import annotations

from collections.abc import Iterator

from lsprotocol import types
from pygls.uris import from_fs_path

from xlalint.diagnostic import Diagnostic, Related, Severity
from xlalint.output.explained import told
from xlalint.server.analysis import Checked
from xlalint.server.documents import Part
from xlalint.server.positions import Units

SOURCE = "xlalint"

_SEVERITIES = {
    Severity.ERROR: types.DiagnosticSeverity.Error,
    Severity.WARNING: types.DiagnosticSeverity.Warning,
    Severity.INFO: types.DiagnosticSeverity.Information,
}
_TAGS = {
    "XLA001": (types.DiagnosticTag.Deprecated,),
    "XLA002": (types.DiagnosticTag.Deprecated,),
    "XLA090": (types.DiagnosticTag.Unnecessary,),
}
"""How an editor may paint what a rule reports: names that are gone or going, comments that do nothing."""


class Conversion:
    """Makes of diagnostics what this client understands."""

    def __init__(self, units: Units, capabilities: types.ClientCapabilities) -> None:
        self.units = units
        offered = capabilities.text_document
        publishing = offered.publish_diagnostics if offered is not None else None
        pulling = offered.diagnostic if offered is not None else None
        held = [each for each in (publishing, pulling) if each is not None]
        self._with_related = any(each.related_information for each in held)
        self._with_link = any(each.code_description_support for each in held)
        self._with_tags = any(each.tag_support is not None for each in held)

    def diagnostics(self, checked: Checked, part: Part) -> list[types.Diagnostic]:
        """All that was found in a part of a file."""
        numbers = range(len(checked.shown))
        return [self.diagnostic(number, checked) for number in numbers if checked.part_of(number) is part]

    def diagnostic(self, number: int, checked: Checked) -> types.Diagnostic:
        """One of those that were found in a file."""
        found, part = checked.shown[number], checked.part_of(number)
        has_link = self._with_link and found.url
        related = [*self._related(found, checked)]
        message = told(found)
        if not self._with_related:
            message = "\n".join((message, *(self._told(each, found, checked) for each in found.related)))
        return types.Diagnostic(
            range=self.units.range(found.range, part.line, part.above),
            message=message,
            severity=_SEVERITIES[found.severity],
            code=found.code,
            code_description=types.CodeDescription(found.url) if has_link else None,
            source=SOURCE,
            tags=_TAGS.get(found.code) if self._with_tags else None,
            related_information=related if self._with_related and related else None,
        )

    def _related(self, found: Diagnostic, checked: Checked) -> Iterator[types.DiagnosticRelatedInformation]:
        for related in found.related:
            location = self._location(related, found, checked)
            if location is not None:
                yield types.DiagnosticRelatedInformation(location, related.message)

    def _told(self, related: Related, found: Diagnostic, checked: Checked) -> str:
        line = related.range.start.line
        if related.path == found.path and checked.snapshot.is_notebook:
            line -= checked.snapshot.part_at(line).above
            return f"cell {related.cell}, line {line}: {related.message}"
        return f"{related.path}:{line}: {related.message}"

    def _location(self, related: Related, found: Diagnostic, checked: Checked) -> types.Location | None:
        if related.path == found.path:
            part = checked.snapshot.part_at(related.range.start.line)
            return types.Location(part.uri, self.units.range(related.range, part.line, part.above))
        source = checked.report.sources.get(related.path)
        if source is None:
            return None
        uri = from_fs_path(str(source.path))
        return None if uri is None else types.Location(uri, self.units.range(related.range, source.line))
