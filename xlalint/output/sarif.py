"""Diagnostics in SARIF 2.1.0, which GitHub, GitLab, Azure and editors read."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from importlib.metadata import version
from typing import Any
from urllib.parse import quote

from xlalint.diagnostic import Diagnostic, Edit, Fix, Range, Related, Severity
from xlalint.fingerprints import fingerprints
from xlalint.output.columns import utf16
from xlalint.output.explained import told
from xlalint.registry import UnknownRule, find
from xlalint.rule import Rule
from xlalint.sources.file import SourceFile

_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
_HOME = "https://github.com/xlalint/xlalint"
_LEVELS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "note"}
_BASE = "%SRCROOT%"
_FINGERPRINT = "xlalint/v1"


def render(diagnostics: Sequence[Diagnostic], sources: Mapping[str, SourceFile]) -> str:
    """A log of one run, in pure ASCII; it describes the rules that have diagnostics."""
    return json.dumps(_Log(sources).written(diagnostics), indent=2) + "\n"


class _Log:
    def __init__(self, sources: Mapping[str, SourceFile]) -> None:
        self._sources = sources

    def written(self, diagnostics: Sequence[Diagnostic]) -> dict[str, Any]:
        codes = sorted({diagnostic.code for diagnostic in diagnostics})
        numbers = {code: number for number, code in enumerate(codes)}
        known = fingerprints(diagnostics, self._sources)
        results = [
            self._result(diagnostic, numbers[diagnostic.code], fingerprint)
            for diagnostic, fingerprint in zip(diagnostics, known, strict=True)
        ]
        driver = {
            "name": "xlalint",
            "version": version("xlalint"),
            "informationUri": _HOME,
            "rules": [*map(_rule, codes)],
        }
        run = {
            "tool": {"driver": driver},
            "columnKind": "utf16CodeUnits",
            "originalUriBaseIds": {_BASE: {"description": {"text": "the working directory of xlalint"}}},
            "results": results,
        }
        return {"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}

    def _result(self, diagnostic: Diagnostic, number: int, fingerprint: str) -> dict[str, Any]:
        result: dict[str, Any] = {
            "ruleId": diagnostic.code,
            "ruleIndex": number,
            "level": _LEVELS[diagnostic.severity],
            "message": {"text": told(diagnostic)},
            "locations": [self._location(diagnostic.path, diagnostic.range)],
            "partialFingerprints": {_FINGERPRINT: fingerprint},
            "properties": {"certainty": diagnostic.certainty.value},
        }
        chain = [related for related in diagnostic.related if not related.later]
        if chain:
            result["codeFlows"] = [{"threadFlows": [{"locations": [*self._flow(diagnostic, chain)]}]}]
        if diagnostic.related:
            result["relatedLocations"] = [
                self._location(related.path, related.range, related.message, number)
                for number, related in enumerate(diagnostic.related)
            ]
        fixes = [self._fix(diagnostic, fix) for fix in diagnostic.fixes if fix.edits]
        if fixes:
            result["fixes"] = fixes
        return result

    def _flow(self, diagnostic: Diagnostic, chain: Sequence[Related]) -> Iterator[dict[str, Any]]:
        """The way from the place of a diagnostic down to what it is about."""
        yield {"location": self._location(diagnostic.path, diagnostic.range)}
        for depth, related in enumerate(chain, 1):
            location = self._location(related.path, related.range, related.message)
            yield {"location": location, "nestingLevel": depth}

    def _fix(self, diagnostic: Diagnostic, fix: Fix) -> dict[str, Any]:
        by_path: dict[str, list[Edit]] = defaultdict(list)
        for edit in fix.edits:
            by_path[edit.path or diagnostic.path].append(edit)
        changes = [
            {
                "artifactLocation": _artifact(path),
                "replacements": [
                    {
                        "deletedRegion": self._region(path, edit.range),
                        "insertedContent": {"text": edit.text},
                    }
                    for edit in edits
                ],
            }
            for path, edits in by_path.items()
        ]
        text = f"{fix.title} ({fix.applicability.value})" + (f": {fix.changes}" if fix.changes else "")
        return {"description": {"text": text}, "artifactChanges": changes}

    def _location(
        self, path: str, place: Range, message: str = "", number: int | None = None
    ) -> dict[str, Any]:
        physical: dict[str, Any] = {
            "artifactLocation": _artifact(path),
            "region": self._region(path, place),
        }
        source = self._sources.get(path)
        if source is not None:
            first, last = place.start.line, place.end.line
            text = "\n".join(source.lines[first - 1 : last])
            physical["contextRegion"] = {"startLine": first, "endLine": last, "snippet": {"text": text}}
        location: dict[str, Any] = {"physicalLocation": physical}
        if message:
            location["message"] = {"text": message}
        if number is not None:
            location["id"] = number
        return location

    def _region(self, path: str, place: Range) -> dict[str, Any]:
        return {
            "startLine": place.start.line,
            "startColumn": utf16(path, place.start, self._sources),
            "endLine": place.end.line,
            "endColumn": utf16(path, place.end, self._sources),
        }


def _rule(code: str) -> dict[str, Any]:
    try:
        rule: type[Rule[Any]] = find(code)
    except UnknownRule:
        return {"id": code}
    return {
        "id": rule.code,
        "name": rule.name,
        "shortDescription": {"text": rule.name.replace("-", " ")},
        "fullDescription": {"text": rule.summary()},
        "help": {"text": rule.documentation(), "markdown": rule.documentation()},
        "helpUri": rule.url(),
        "defaultConfiguration": {"level": _LEVELS[rule.severity], "enabled": rule.enabled},
        "properties": {"tags": ["pytorch-xla"]},
    }


def _artifact(path: str) -> dict[str, str]:
    """A file, relative to the working directory unless it is elsewhere."""
    if path.startswith("/") or path[1:2] == ":":
        return {"uri": f"file:///{quote(path.lstrip('/'), safe='/:')}"}
    return {"uri": quote(path), "uriBaseId": _BASE}
