"""`xlalint check`."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

import click

from xlalint.cli.collector import without_collector
from xlalint.cli.failure import settings_failures
from xlalint.cli.fixes import add_ignores, complete_fixes, print_diffs, print_fixes, write_fixes
from xlalint.cli.options import (
    color_option,
    config_options,
    directory,
    given_settings,
    settings_finder,
    sort_out,
    standard_input,
)
from xlalint.cli.progress import shown
from xlalint.cli.report import (
    changed_lines,
    confirmed,
    leave_out_known,
    leave_out_unchanged,
    print_counts,
    print_report,
    read_baseline,
    read_evidence,
)
from xlalint.cli.settings import print_settings
from xlalint.cli.terminal import echo
from xlalint.output.formats import FORMATS

LEVELS = ("error", "warning", "info")
NEVER = "never"


class _Check(click.Command):
    """Takes the value of an option that may go without only behind `=`: else a path would be taken for it."""

    def parse_args(self, context: click.Context, arguments: list[str]) -> list[str]:
        return super().parse_args(context, [_ALONE.get(each, each) for each in arguments])


_ALONE = {"--add-ignore": "--add-ignore=", "--statistics": "--statistics=rule"}
"""What an option without its value stands for."""


@click.command(cls=_Check)
# What may not be read is told like any other file that cannot be checked, and the others are checked.
@click.argument("paths", nargs=-1, type=click.Path(readable=False, path_type=Path))
@click.option(
    "--select", multiple=True, metavar="RULES", help="Use only these rules: codes, prefixes, names or ALL."
)
@click.option("--ignore", multiple=True, metavar="RULES", help="Turn these rules off.")
@click.option("--extend-select", multiple=True, metavar="RULES", help="Turn these rules on as well.")
@click.option(
    "--target-version",
    metavar="RANGE",
    help="Versions of torch_xla that the code must support: 2.1..2.9, or 2.5 for 2.5 and later.",
)
@click.option("--output-format", type=click.Choice(FORMATS), help="Format of the report.  [default: text]")
@click.option(
    "--output-file",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Write the report to FILE.",
)
@click.option(
    "--exclude", multiple=True, metavar="PATTERNS", help="Exclude these patterns instead of the defaults."
)
@click.option("--extend-exclude", multiple=True, metavar="PATTERNS", help="Exclude these patterns as well.")
@click.option(
    "--force-exclude", is_flag=True, help="Exclude matching files even if they are named on the command line."
)
@click.option(
    "--respect-gitignore/--no-respect-gitignore",
    default=None,
    help="Skip files that git ignores.  [default: yes]",
)
@config_options
@click.option("--fix", is_flag=True, help="Change the code, where that changes nothing that it computes.")
@click.option(
    "--unsafe-fixes",
    is_flag=True,
    help="With --fix, --fix-only or --diff: also where it may change what the code computes, or when.",
)
@click.option("--fix-only", is_flag=True, help="As --fix, but do not report what is left.")
@click.option("--diff", is_flag=True, help="Show what --fix would change, and change nothing.")
@click.option("--show-fixes", is_flag=True, help="List what was fixed, and what was not and why.")
@click.option("--exit-non-zero-on-fix", is_flag=True, help="Exit with 1 if anything was fixed.")
@click.option("--no-cache", is_flag=True, help="Neither read nor write the cache.")
@click.option(
    "--cache-dir",
    type=click.Path(file_okay=False, path_type=Path),
    metavar="DIR",
    help="Keep the cache in DIR instead of .xlalint_cache in each project.",
)
@click.option("--exit-zero", is_flag=True, help="Exit with 0 even if there are diagnostics.")
@click.option(
    "--fail-on",
    type=click.Choice((*LEVELS, NEVER)),
    help="Exit with 1 for diagnostics of this severity or a higher one.  [default: warning]",
)
@click.option("--min-severity", type=click.Choice(LEVELS), help="Report no diagnostics of a lower severity.")
@click.option(
    "--baseline",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Do not report the diagnostics that FILE accepts.",
)
@click.option(
    "--update-baseline",
    is_flag=True,
    help="Take from the baseline what is no longer found. Where there is none yet, accept all that is found.",
)
@click.option(
    "--diff-base",
    metavar="REV",
    help="Report only what stands on lines, or rests on lines, that changed since this revision of git.",
)
@click.option(
    "--add-ignore",
    metavar="[REASON]",
    help="Write comments that suppress what is found: --add-ignore, or --add-ignore=REASON.",
)
@click.option(
    "--evidence",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Say of each diagnostic what the run that FILE reports has shown; report what only it has shown.",
)
@click.option("--ignore-suppressions", is_flag=True, help="Report what comments suppress, too.")
@click.option("--preview", is_flag=True, default=None, help="Allow preview rules to be selected.")
@click.option(
    "--statistics",
    type=click.Choice(("rule", "file")),
    help="Count the diagnostics of each rule instead of showing them, or with --statistics=file those of "
    "each file.",
)
@click.option("--show-files", is_flag=True, help="List the files that would be checked, and check none.")
@click.option(
    "--show-settings", is_flag=True, help="Print the settings for the first path, and check nothing."
)
@color_option
@click.option("--stdin-filename", metavar="NAME", help="Name to report for standard input (the path -).")
@click.option("-q", "--quiet", is_flag=True, help="Print only diagnostics.")
@click.option("-v", "--verbose", is_flag=True, help="Print on standard error how much was analyzed.")
def check(
    paths: tuple[Path, ...],
    *,
    output_file: Path | None,
    force_exclude: bool,
    config: tuple[str, ...],
    isolated: bool,
    baseline: Path | None,
    update_baseline: bool,
    diff_base: str | None,
    add_ignore: str | None,
    evidence: Path | None,
    ignore_suppressions: bool,
    fix: bool,
    unsafe_fixes: bool,
    fix_only: bool,
    diff: bool,
    show_fixes: bool,
    exit_non_zero_on_fix: bool,
    no_cache: bool,
    cache_dir: Path | None,
    exit_zero: bool,
    statistics: Literal["rule", "file"] | None,
    show_files: bool,
    show_settings: bool,
    color: str,
    stdin_filename: str | None,
    quiet: bool,
    verbose: bool,
    **options: Any,
) -> None:
    """Check files and directories (default: the working directory).

    The path - stands for standard input; with --fix, the fixed text goes to standard output and the
    report to standard error. The exit status is 0 without diagnostics of the severity --fail-on or
    higher, 1 with some, and 2 after wrong usage, wrong settings or an internal error. With --diff it is
    1 if anything would change.
    """
    from xlalint import api, gathering
    from xlalint.cache import Cache

    finder = settings_finder(config, isolated, given_settings(options))
    fixing = fix or fix_only or diff
    _refuse(paths, fixing, baseline, update_baseline, diff_base, add_ignore)
    paths, reads_input = sort_out(paths, stdin_filename)
    known = None if baseline is None else read_baseline(baseline, may_be_missing=update_baseline)
    changed = None if diff_base is None else changed_lines(diff_base, paths)
    seen = None if evidence is None else read_evidence(evidence)
    with settings_failures():
        folder = directory(paths[0] if paths else Path(stdin_filename or "."))
        settings = finder.at(folder)
        if show_settings:
            print_settings(settings, folder)
            return
        if show_files:
            from xlalint.sources.file import show

            for found in gathering.find_files(paths, finder, force_exclude=force_exclude):
                echo(f"{show(Path(found.path))}\n")
            return
        given = gathering.Input(stdin_filename, standard_input()) if reads_input else None
        with without_collector(), shown(quiet=quiet) as progress:
            cache = None if no_cache else Cache(cache_dir and cache_dir.absolute())

            asked: dict[str, Any] = {
                "settings": finder, "force_exclude": force_exclude, "standard_input": given, "cache": cache,
                "ignore_suppressions": ignore_suppressions, "progress": progress,
            }  # fmt: skip
            if fixing and not diff:
                files = gathering.find_files(paths, finder, force_exclude=force_exclude)
                complete_fixes(each.path for each in files)
            outcome = api.fix_paths(paths, unsafe=unsafe_fixes, **asked) if fixing else None
            report = api.check_paths(paths, **asked) if outcome is None else outcome.report
        if seen is not None:
            confirmed(report, seen, quiet=quiet)
        if known is not None:
            leave_out_known(report, known, update=update_baseline, finder=finder)
        if changed is not None:
            leave_out_unchanged(report, changed)
        if add_ignore is not None:
            add_ignores(report, add_ignore)
            return
        failed = False
        if outcome is not None:
            if diff:
                print_diffs(outcome)
            else:
                write_fixes(outcome, given)
            if not quiet:
                print_fixes(outcome, color, written=not diff, listed=show_fixes)
            failed = bool(outcome.after) and (diff or exit_non_zero_on_fix)
        if not (diff or fix_only):
            print_report(
                report, settings.output_format, output_file, color, statistics=statistics, quiet=quiet,
                on_error=outcome is not None and given is not None, cache=cache,
                tried={} if outcome is None else {one.diagnostic: one.reason for one in outcome.left},
            )  # fmt: skip
            failing = settings.fail_on
            failed |= failing is not None and any(d.severity >= failing for d in report.diagnostics)
    if not report.files and not quiet:
        click.echo("xlalint: no Python files found", err=True)
    if verbose:
        print_counts(report)
    if failed and not exit_zero:
        raise click.exceptions.Exit(1)


def _refuse(
    paths: tuple[Path, ...], fixing: bool, baseline: Path | None, update_baseline: bool,
    diff_base: str | None, add_ignore: str | None,
) -> None:  # fmt: skip
    """Refuse options that do not go together.

    Raises:
        click.UsageError: two of them.
    """
    if update_baseline and baseline is None:
        raise click.UsageError("--update-baseline needs --baseline FILE")
    if update_baseline and diff_base is not None:
        raise click.UsageError("--update-baseline needs all diagnostics; leave --diff-base out")
    if fixing and diff_base is not None:
        raise click.UsageError("--diff-base cannot be combined with --fix, --fix-only or --diff")
    if add_ignore is None:
        return
    if fixing:
        raise click.UsageError("use either --add-ignore or --fix, --fix-only or --diff; fix first")
    if Path("-") in paths:
        raise click.UsageError("--add-ignore writes to files, and the path - is none")
    if "#" in add_ignore or not add_ignore.isprintable():
        raise click.UsageError("--add-ignore: the reason must be one line without #")
