"""`xlalint migrate`."""

# `pathlib`'s `resolve` follows links, and `abspath` does not.
# ruff: noqa: PTH100

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import click

from xlalint.cli.collector import without_collector
from xlalint.cli.failure import Failure, settings_failures
from xlalint.cli.fixes import complete_fixes, print_diffs, print_fixes, write_fixes
from xlalint.cli.options import color_option, config_options, given_settings, settings_finder, sort_out
from xlalint.cli.proof import measure, print_side_by_side
from xlalint.cli.rules import find_rule
from xlalint.cli.terminal import print_lines

if TYPE_CHECKING:
    from xlalint.fixing.fixer import Outcome


@click.command()
# What may not be read is told like any other file that cannot be checked, and the others are checked.
@click.argument("paths", nargs=-1, type=click.Path(readable=False, path_type=Path))
@click.option(
    "--target-version", metavar="RANGE", help="Versions of torch_xla that the code must support afterwards."
)
@click.option("--safe-only", is_flag=True, help="Change only what cannot change what the code computes.")
@click.option("--allow-dirty", is_flag=True, help="Go on although there are changes that are not committed.")
@click.option("--diff", is_flag=True, help="Show what would change, and change nothing.")
@click.option("--commit", is_flag=True, help="Commit the changes, those of each rule by themselves.")
@click.option(
    "--prove", type=click.Path(exists=True, dir_okay=False, path_type=Path), metavar="SCRIPT",
    help="Run SCRIPT on torch_xla before and after the changes, and compare losses, parameters and launches.",
)  # fmt: skip
@click.option(
    "--stop-after", type=click.IntRange(min=1), metavar="N", help="With --prove, stop SCRIPT after N steps."
)
@config_options
@color_option
def migrate(
    paths: tuple[Path, ...], *, target_version: str | None, safe_only: bool, allow_dirty: bool, diff: bool,
    commit: bool, prove: Path | None, stop_after: int | None, config: tuple[str, ...], isolated: bool,
    color: str,
) -> None:  # fmt: skip
    """Bring code to the present torch_xla: its names, step scopes, and profiling.

    Changes what `xlalint check --fix --unsafe-fixes` would, says what may come out otherwise, and lists
    what is left to be done by hand. Files with changes that are not committed are refused, so that
    `git diff` shows what was done.

    With --prove the exit status is 1 if the program computes something else after the changes; they stay.
    """
    from xlalint.api import fix_paths
    from xlalint.cache import Cache
    from xlalint.fixing import repository
    from xlalint.fixing.fixer import Outcome, migrated
    from xlalint.gathering import find_files
    from xlalint.output.fixes import left_by_hand
    from xlalint.output.notebooks import Counted, counted

    paths, reads_input = sort_out(paths, None)
    if reads_input:
        raise click.UsageError("standard input cannot be migrated; use `xlalint check --fix -`")
    repositories = repository.roots([Path(os.path.abspath(path)) for path in paths])
    if commit and (diff or not repositories):
        raise click.UsageError(
            "--commit needs files in a git repository" + (", and no --diff" if diff else "")
        )
    if prove is not None and diff:
        raise click.UsageError("--prove runs what is changed; leave --diff out")
    if stop_after is not None and prove is None:
        raise click.UsageError("--stop-after needs --prove SCRIPT")
    if not (allow_dirty or diff):
        _refuse_changed(repositories)
    given = {**given_settings({"target_version": target_version}), "select": migrated(), "preview": True}
    finder = settings_finder(config, isolated, given)
    before = None if prove is None else measure(prove, stop_after, "before the changes")
    with settings_failures(), without_collector():
        outcomes: list[Outcome] = []
        if not diff:
            complete_fixes(each.path for each in find_files(paths, finder))
        for code in migrated() if commit else (None,):
            outcome = fix_paths(paths, unsafe=not safe_only, code=code, settings=finder, cache=Cache())
            outcomes.append(outcome)
            if diff:
                print_diffs(outcome)
                continue
            write_fixes(outcome, None)
            if commit and code is not None:
                _commit(repositories, outcome, code)
    report = outcomes[-1].report
    applied = [one for outcome in outcomes for one in outcome.applied]
    tied = [paths for outcome in outcomes for paths in outcome.tied]
    done = Outcome(report, {}, {}, applied, outcomes[-1].left, tied)
    print_fixes(done, color, written=not diff, listed=True)
    by_hand, _ = counted(report.diagnostics, report.sources, Counted.WITHIN_PATH)
    print_lines([*left_by_hand(by_hand)], color)
    if prove is None or before is None:
        return
    if not applied:
        click.echo("nothing was changed, so there is nothing to compare")
    elif not print_side_by_side(before, measure(prove, stop_after, "after the changes")):
        raise click.exceptions.Exit(1)


def _refuse_changed(repositories: list[Path]) -> None:
    from xlalint.fixing.repository import changed

    for root in repositories:
        files = changed(root)
        if files:
            more = f" and {len(files) - 1} more" if len(files) > 1 else ""
            raise Failure(
                f"{root} has changes that are not committed ({files[0]}{more}); commit or stash them, so "
                "that you can tell them from ours, or use --allow-dirty"
            )


def _commit(repositories: list[Path], outcome: Outcome, code: str) -> None:
    from xlalint.fixing.repository import GitError, commit

    rule = find_rule(code)
    for root in repositories:
        files = [path for path in outcome.after if Path(path).is_relative_to(root)]
        if files:
            try:
                commit(root, files, f"{code} {rule.name}: {outcome.applied[0].cure.title}")
            except GitError as error:
                raise Failure(f"the files are changed, but git refused to commit them: {error}") from error
