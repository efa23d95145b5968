"""What has changed since a revision: a pull request is to hear of nothing else."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path

from xlalint.checker import Report
from xlalint.diagnostic import Diagnostic, Range
from xlalint.fixing.repository import GitError, changed_lines, roots
from xlalint.output.notebooks import Counted, counted
from xlalint.sources.file import show

HIDDEN = "on lines that have not changed"

Lines = Mapping[str, list[range]]
"""By absolute path, the lines that are new or different."""


def changes_since(revision: str, paths: list[Path]) -> Lines:
    """The lines that differ from a revision, in the repositories of files and folders.

    Raises:
        GitError: there is no repository, or it does not have this revision.
    """
    lines: dict[str, list[range]] = defaultdict(list)
    repositories = roots(paths)
    for path in paths:
        if not any(path.is_relative_to(root) or path.resolve().is_relative_to(root) for root in repositories):
            raise GitError(f"{show(path)} is in no git repository")
    for root in repositories:
        for name, changed in changed_lines(root, revision).items():
            lines[os.path.realpath(root / name)] += changed
    return lines


def on_changed_lines(report: Report, lines: Lines) -> list[Diagnostic]:
    """The diagnostics that stand on one of these lines, or rest on a place that does."""
    # git counts lines of files, in notebooks too
    found, _ = counted(report.diagnostics, report.sources, Counted.BY_FILE)
    return [
        diagnostic
        for diagnostic, counted_by_file in zip(report.diagnostics, found, strict=True)
        if _is_changed(counted_by_file.path, counted_by_file.range, report, lines)
        or any(_is_changed(each.path, each.range, report, lines) for each in counted_by_file.related)
    ]


def _is_changed(shown: str, place: Range, report: Report, lines: Lines) -> bool:
    source = report.sources.get(shown)
    path = os.path.realpath(shown if source is None else source.path)
    first, last = place.start.line, place.end.line
    return any(first < changed.stop and changed.start <= last for changed in lines.get(path, ()))
