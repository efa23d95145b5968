"""What was fixed: the files that get it, and what is said of it."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

import click

from xlalint.cli.failure import Failure
from xlalint.cli.terminal import is_colored, writing

if TYPE_CHECKING:
    from xlalint.checker import Report
    from xlalint.fixing.fixer import Outcome
    from xlalint.gathering import Input


def print_diffs(outcome: Outcome) -> None:
    """Show what would change, in the bytes of the files, so that `patch` finds the lines in any encoding."""
    from xlalint.output.fixes import diff
    from xlalint.sources.file import show

    for path, after in sorted(outcome.after.items()):
        before, now = (text.decode("utf-8", "surrogateescape") for text in (outcome.before[path], after))
        shown = "".join(diff(show(Path(path)), before, now))
        with writing():
            sys.stdout.buffer.write(shown.encode("utf-8", "surrogateescape"))


def add_ignores(report: Report, reason: str) -> None:
    """Write comments that suppress the diagnostics of a report, and say what came of it.

    Raises:
        Failure: some files were left as they were.
    """
    from xlalint.fixing.ignores import with_ignores
    from xlalint.fixing.writing import Unwritten, replace
    from xlalint.sources.file import show

    changed, left = with_ignores(report, reason)
    unwritten: list[str] = []
    count = files = 0
    for each in changed:
        try:
            replace(each.path, each.before, each.after)
            files, count = files + 1, count + len(each.diagnostics)
        except Unwritten as error:
            unwritten.append(f"cannot write {show(Path(each.path))}: {error}")
    click.echo(
        f"Suppressed {count} diagnostic{'s' * (count != 1)} in {files} file{'s' * (files != 1)}.", err=True
    )
    for diagnostic in left:
        place = f"{diagnostic.path}:{diagnostic.range.start.line}"
        click.echo(f"{place}: {diagnostic.code} cannot be suppressed: {diagnostic.message}", err=True)
    if unwritten:
        raise Failure("\n".join(unwritten))
    if left:
        raise click.exceptions.Exit(1)


def complete_fixes(files: Iterable[str | Path]) -> None:
    """Complete the fixes of several files that a kill ended in the folders of some, and say so."""
    from xlalint.fixing.journal import complete
    from xlalint.sources.file import show

    for fix in complete(sorted({Path(path).parent for path in files})):
        paths = ", ".join(show(Path(path)) for path in fix.paths)
        if not fix.changed:
            click.echo(f"xlalint: completed an interrupted fix of {paths}", err=True)
            continue
        changed = ", ".join(show(Path(path)) for path in fix.changed)
        click.echo(
            f"xlalint: a fix of {paths} was interrupted, and {changed} has changed since; look at them",
            err=True,
        )


def write_fixes(outcome: Outcome, given: Input | None) -> None:
    """Change the files, as far as that is possible; what came on standard input goes to standard output.

    Raises:
        Failure: some were left as they were.
    """
    from xlalint.fixing.writing import Change, Unwritten, replace_all
    from xlalint.sources.file import show

    if given is not None:
        with writing():
            sys.stdout.buffer.write(outcome.after.pop(given.path, given.data))
        outcome.tied = [paths for paths in outcome.tied if given.path not in paths]
    written: list[str] = []
    unwritten: list[str] = []
    try:
        for paths in outcome.together():
            try:
                replace_all([Change(path, outcome.before[path], outcome.after[path]) for path in paths])
                written += (show(Path(path)) for path in paths)
            except Unwritten as error:
                with_it = [show(Path(path)) for path in paths if path != error.path]
                tied = f"; {', '.join(with_it)} would change with it" if with_it else ""
                unwritten.append(f"cannot fix {show(Path(error.path))}: {error}{tied}")
    except KeyboardInterrupt:
        click.echo(f"xlalint: interrupted; files fixed before: {', '.join(written) or 'none'}", err=True)
        raise
    if unwritten:
        others = f"\nfixed {', '.join(written)}" if written else ""
        raise Failure("\n".join(unwritten) + others)


def print_fixes(outcome: Outcome, color: str, *, written: bool, listed: bool) -> None:
    """Say what was fixed, on standard error: standard output is for the report, or the fixed text."""
    from xlalint.output import fixes
    from xlalint.output.notebooks import Counted, counted, counted_in_text
    from xlalint.output.paint import paint
    from xlalint.sources.file import show

    sources = outcome.report.sources
    places, _ = counted((one.diagnostic for one in outcome.left), sources, Counted.WITHIN_PATH)
    left = []
    for place, (found, cure, reason) in zip(places, outcome.left, strict=True):
        notebook = sources[found.path].notebook if found.path in sources else None
        left.append((place, cure, counted_in_text(reason, notebook)))
    lines = [*fixes.listed(outcome.applied, left)] if listed else []
    files = {one.diagnostic.path for one in outcome.applied}
    files.update(show(Path(path)) for paths in outcome.tied for path in paths)
    lines += fixes.summary(len(outcome.applied), len(files), 0 if listed else len(left), written=written)
    click.echo(paint(lines, colored=is_colored(color)), err=True, nl=False)
