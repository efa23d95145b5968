"""The edits of the fixes of a report, as they were worked out before where no file has changed since.

What a fix changes may hang on every file of its project: on what others import, and what is called there.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from xlalint.cache import Cache, identity
from xlalint.checker import Report
from xlalint.diagnostic import Diagnostic, Edit, Position, Range
from xlalint.sources.file import digest


def with_edits(report: Report, cache: Cache | None = None) -> list[Diagnostic]:
    """The diagnostics of a report, with the edits of those of their fixes that the text allows.

    Args:
        cache: Where edits are kept from one run to the next; None: nowhere.
    """
    rested = _rested_on(report) if cache is not None else None
    if cache is None or rested is None:
        return _worked_out(report)
    root, name = report.units[0].root, f"edits-{identity()}"
    kept = cache.load(root, name)
    if kept is not None and kept["rested"] == rested:
        return [
            replace(
                diagnostic,
                fixes=tuple(
                    replace(fix, edits=tuple(map(_edit, edits)))
                    for fix, edits in zip(diagnostic.fixes, of_fixes, strict=True)
                ),
            )
            for diagnostic, of_fixes in zip(report.diagnostics, kept["edits"], strict=True)
        ]
    found = _worked_out(report)
    if all(file.is_as_it_was for unit in report.units for file in unit.files.values()):
        edits = [[[_encoded(edit) for edit in fix.edits] for fix in each.fixes] for each in found]
        cache.keep(root, name, {"rested": rested, "edits": edits})
    return found


def _worked_out(report: Report) -> list[Diagnostic]:
    from xlalint.fixing import proposals

    return proposals.with_edits(report)


def _rested_on(report: Report) -> str | None:
    """What changes when the edits of a report may; None where the next run will not find its texts."""
    files = [file for unit in report.units for _, file in sorted(unit.files.items())]
    if not files or any(file.given for file in files):
        return None
    try:
        here = os.getcwd()  # noqa: PTH109 - paths are shown as they are seen from here
    except OSError:
        return None
    told = [here, *sorted(report.checked), "", *report.sources, ""]
    told += [f"{file.path} {file.digest}" for file in files]
    curable = {id(diagnostic): placed for diagnostic, placed in report.curable}
    for diagnostic in report.diagnostics:
        placed = curable.get(id(diagnostic))
        cures = None if placed is None else (placed.path, placed.finding.cures)
        told.append(repr((diagnostic.path, [fix.applicability for fix in diagnostic.fixes], cures)))
    return digest("\n".join(told).encode("utf-8", "surrogateescape"))


def _encoded(edit: Edit) -> Sequence[Any]:
    start, end = edit.range.start, edit.range.end
    return start.line, start.column, end.line, end.column, edit.text, edit.path


def _edit(encoded: Sequence[Any]) -> Edit:
    line, column, end_line, end_column, text, path = encoded
    return Edit(Range(Position(line, column), Position(end_line, end_column)), text, path)
