"""Diagnostics for programs. The form is a contract: keys are added, never changed or removed."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from xlalint.diagnostic import (
    Applicability,
    Certainty,
    Diagnostic,
    Edit,
    Evidence,
    Fix,
    Observer,
    Position,
    Range,
    Related,
    Seen,
    Severity,
)
from xlalint.output.counts import by_file, by_rule
from xlalint.sources.file import SourceFile


def render(diagnostics: Sequence[Diagnostic], sources: Mapping[str, SourceFile]) -> str:
    """A list of objects, one for each diagnostic, in pure ASCII."""
    return json.dumps([as_object(diagnostic) for diagnostic in diagnostics], indent=2) + "\n"


def statistics(diagnostics: Sequence[Diagnostic]) -> str:
    """A list of objects with `code`, `name` and `count`, the most frequent first."""
    return json.dumps(_rows(diagnostics), indent=2) + "\n"


def statistics_of_files(diagnostics: Sequence[Diagnostic]) -> str:
    """A list of objects with `path`, `count` and `rules`, each of these as of `statistics`."""
    files = [
        {"path": path, "count": len(within), "rules": _rows(within)} for path, within in by_file(diagnostics)
    ]
    return json.dumps(files, indent=2) + "\n"


def _rows(diagnostics: Sequence[Diagnostic]) -> list[dict[str, Any]]:
    return [{"code": code, "name": name, "count": count} for (code, name), count in by_rule(diagnostics)]


def as_object(diagnostic: Diagnostic) -> dict[str, Any]:
    """One diagnostic as what JSON can hold."""
    return {
        "code": diagnostic.code,
        "name": diagnostic.name,
        "message": diagnostic.message,
        "severity": str(diagnostic.severity),
        "certainty": diagnostic.certainty.value,
        "assumes": diagnostic.assumes or None,
        "path": diagnostic.path,
        "range": _range(diagnostic.range),
        "cell": diagnostic.cell,
        "help": diagnostic.help,
        "fix": _fix(diagnostic.fixes[0]) if diagnostic.fixes else None,
        "fixes": [_fix(fix) for fix in diagnostic.fixes],
        "related": [_related(related) for related in diagnostic.related],
        "url": diagnostic.url,
        "observed_by": [observer.value for observer in diagnostic.observed_by],
        "evidence": None if diagnostic.evidence is None else _evidence(diagnostic.evidence),
        "seen": None if diagnostic.seen is None else diagnostic.seen.value,
    }


def from_object(held: dict[str, Any]) -> Diagnostic:
    """The diagnostic that `as_object` wrote; of a later form, what this version knows of it.

    Raises:
        KeyError, TypeError, ValueError: it is none.
    """
    evidence = held["evidence"]
    return Diagnostic(
        code=held["code"],
        name=held["name"],
        message=held["message"],
        severity=Severity[held["severity"].upper()],
        certainty=Certainty(held["certainty"]),
        path=held["path"],
        range=_range_of(held["range"]),
        help=held["help"],
        cell=held["cell"],
        fixes=tuple(
            Fix(each["title"], Applicability(each["applicability"]), changes=each["changes"] or "")
            for each in held["fixes"]
        ),
        related=tuple(
            Related(
                each["path"],
                _range_of(each["range"]),
                each["message"],
                each["cell"],
                each.get("later", False),
            )
            for each in held["related"]
        ),
        url=held["url"],
        observed_by=tuple(Observer(name) for name in held["observed_by"]),
        evidence=evidence and Evidence(**{name: evidence[name] for name in Evidence.__slots__}),
        assumes=held["assumes"] or "",
        seen=Seen(held["seen"]) if held.get("seen") else None,
    )


def _range_of(held: dict[str, Any]) -> Range:
    start, end = (Position(held[name]["line"], held[name]["column"]) for name in ("start", "end"))
    return Range(start, end)


def _range(place: Range) -> dict[str, Any]:
    return {"start": _position(place.start), "end": _position(place.end)}


def _position(position: Position) -> dict[str, int]:
    return {"line": position.line, "column": position.column}


def _fix(fix: Fix) -> dict[str, Any]:
    return {
        "title": fix.title,
        "applicability": fix.applicability.value,
        "changes": fix.changes or None,
        "edits": [_edit(edit) for edit in fix.edits],
    }


def _edit(edit: Edit) -> dict[str, Any]:
    own = {"range": _range(edit.range), "text": edit.text}
    return own if edit.path is None else {"path": edit.path, **own}


def _related(related: Related) -> dict[str, Any]:
    return {
        "path": related.path,
        "range": _range(related.range),
        "cell": related.cell,
        "message": related.message,
        "later": related.later,
    }


def _evidence(evidence: Evidence) -> dict[str, Any]:
    return {
        "count": evidence.count,
        "per_step": evidence.per_step,
        "ms_median": evidence.ms_median,
        "launches": evidence.launches,
        "compiles": evidence.compiles,
        "replicas": evidence.replicas,
    }
