"""Diagnostics as the protocol has them."""

from __future__ import annotations

from collections.abc import Iterator

from lsprotocol import types
from pygls.uris import from_fs_path

from xlalint.diagnostic import Diagnostic, Related, Severity
from xlalint.output.explained import told
from xlalint.server.analysis import Checked
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

    def diagnostics(self, checked: Checked) -> list[types.Diagnostic]:
        """All that was found in a text."""
        return [self._diagnostic(each, checked) for each in checked.shown]

    def _diagnostic(self, found: Diagnostic, checked: Checked) -> types.Diagnostic:
        has_link = self._with_link and found.url
        related = [*self._related(found, checked)]
        message = told(found)
        if not self._with_related:
            message = "\n".join(
                (message, *(f"{e.path}:{e.range.start.line}: {e.message}" for e in found.related))
            )
        return types.Diagnostic(
            range=self.units.range(found.range, checked.snapshot.line),
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

    def _location(self, related: Related, found: Diagnostic, checked: Checked) -> types.Location | None:
        if related.path == found.path:
            return types.Location(
                checked.snapshot.uri, self.units.range(related.range, checked.snapshot.line)
            )
        source = checked.report.sources.get(related.path)
        if source is None:
            return None
        uri = from_fs_path(str(source.path))
        return None if uri is None else types.Location(uri, self.units.range(related.range, source.line))
