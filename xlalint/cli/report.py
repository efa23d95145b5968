"""The report of a check: what it leaves out, and how it is written."""

from __future__ import annotations

from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Literal

import click

from xlalint.cli.failure import Failure, reason
from xlalint.cli.terminal import columns_or, echo, is_colored, is_terminal
from xlalint.output.formats import FOR_PROGRAMS, render

if TYPE_CHECKING:
    from collections.abc import Mapping

    from xlalint.baseline import Baseline
    from xlalint.cache import Cache
    from xlalint.changes import Lines
    from xlalint.checker import Report
    from xlalint.diagnostic import Diagnostic
    from xlalint.runs import Run
    from xlalint.settings import SettingsFinder


def read_baseline(file: Path, *, may_be_missing: bool) -> Baseline:
    from xlalint import baseline

    try:
        return baseline.read_baseline(file, may_be_missing=may_be_missing)
    except baseline.BaselineError as error:
        raise Failure(str(error)) from error


def read_evidence(file: Path) -> Run:
    from xlalint.evidence import EvidenceError, read_run

    try:
        return read_run(file)
    except EvidenceError as error:
        raise Failure(f"--evidence: {error}") from error


def confirmed(report: Report, run: Run, *, quiet: bool) -> None:
    """Say in the report what a run has shown."""
    from xlalint.evidence import confirm

    joined = confirm(report, run)
    if quiet:
        return
    for path in joined.changed:
        click.echo(f"xlalint: {path} has changed since the run: what was seen in it is left out", err=True)


def changed_lines(revision: str, paths: tuple[Path, ...]) -> Lines:
    from xlalint.changes import changes_since
    from xlalint.fixing.repository import GitError

    try:
        return changes_since(revision, [path.absolute() for path in paths])
    except GitError as error:
        raise Failure(f"--diff-base: {error}") from error


def leave_out_known(report: Report, known: Baseline, *, update: bool, finder: SettingsFinder) -> None:
    """Drop what a baseline accepts.

    Args:
        update: Whether to take from the file what is no longer found; or to write it, where there is none.
    """
    from xlalint.baseline import HIDDEN
    from xlalint.findings import selected
    from xlalint.versions import DEFAULT_TARGET

    if update:
        now = known.updated(
            report, lambda code, path: code in selected(finder.at(Path(path).parent), DEFAULT_TARGET)
        )
        if now.accepted != known.accepted:
            write_text(known.file, now.text())
        known = now if known.accepted is None else known
    left = known.applied(report)
    report.hidden[HIDDEN] += len(report.diagnostics) - len(left)
    report.diagnostics = left


def leave_out_unchanged(report: Report, lines: Lines) -> None:
    """Drop what stands on lines that have not changed."""
    from xlalint.changes import HIDDEN, on_changed_lines

    left = on_changed_lines(report, lines)
    report.hidden[HIDDEN] += len(report.diagnostics) - len(left)
    report.diagnostics = left


def write_text(file: Path, text: str) -> None:
    try:
        file.write_text(text, encoding="utf-8", newline="\n")
    except OSError as error:
        raise Failure(f"cannot write {file}: {reason(error)}") from error


def print_report(
    report: Report, form: str, file: Path | None, color: str, *,
    statistics: Literal["rule", "file"] | None, quiet: bool, on_error: bool = False,
    tried: Mapping[Diagnostic, str] = MappingProxyType({}), cache: Cache | None = None,
) -> None:  # fmt: skip
    """Write a report.

    Args:
        cache: Where it is kept what its fixes would change.
        tried: Those diagnostics that were to be fixed, and why they could not be.
        statistics: By what diagnostics are counted; None: they are shown.
        on_error: Whether it goes to standard error instead of standard output.
    """
    found = report.diagnostics
    if form == "json" and statistics:
        from xlalint.output import json

        text = json.statistics(found) if statistics == "rule" else json.statistics_of_files(found)
    elif form in FOR_PROGRAMS and not statistics:
        if FOR_PROGRAMS[form].has_edits and report.curable:
            from xlalint.fixing.proposed import with_edits

            found = with_edits(report, cache)
        text = render(form, found, report.sources)
    else:
        from xlalint.output import text as layout
        from xlalint.output.notebooks import Counted, counted, counted_in_text
        from xlalint.output.paint import paint

        found, sources = counted(found, report.sources, Counted.WITHIN_PATH)
        refused = {
            shown: counted_in_text(tried[own], report.sources[own.path].notebook)
            for own, shown in zip(report.diagnostics, found, strict=True)
            if own in tried
        }

        if statistics == "rule":
            lines = [*layout.statistics(found)]
        elif statistics == "file":
            lines = [*layout.statistics_of_files(report.diagnostics)]
        else:
            columns = columns_or(layout.COLUMNS) if file is None else layout.COLUMNS
            full = layout.full(found, sources, columns, refused)
            lines = [*(full if form == "text" else layout.concise(found, refused))]
        if not quiet:
            lines += layout.summary(
                report.diagnostics,
                report.files,
                report.hot,
                report.suppressed,
                report.bounds,
                report.passed_over,
                report.hidden,
                tried,
            )
        colored = file is None and is_colored(color)
        text = paint(lines, colored=colored, linked=colored and is_terminal())
    if file is None:
        click.echo(text, err=True, nl=False) if on_error else echo(text)
        return
    write_text(file, text)


def print_counts(report: Report) -> None:
    counts = {"files": report.files, "files using torch_xla": report.hot, **report.statistics}
    width = max(len(str(count)) for count in counts.values())
    for name, count in counts.items():
        click.echo(f"{count:>{width}} {name}", err=True)
