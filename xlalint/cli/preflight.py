"""`xlalint preflight`."""

from __future__ import annotations

import copy
from typing import Any

import click

from xlalint.cli.options import HANG_TIMEOUT
from xlalint.cli.run import RunsAProgram, fails, run, watched

STEPS = 3


def _check_in_advance(**options: Any) -> None:
    outcome, settings = watched(**options, follows_lines=True)
    seen = outcome.run
    failed = fails(seen, settings.fail_on)
    if seen is not None and settings.fail_on is not None:
        failed |= any(each.is_whole for each in seen.untrained)
    raise click.exceptions.Exit(outcome.status or int(failed))


def _options() -> list[click.Parameter]:
    """Those of `xlalint run`, with what is to be expected before a long run as defaults."""
    defaults = {"stop_after": STEPS, "hang_timeout": HANG_TIMEOUT}
    options = []
    for option in run.params:
        option = copy.copy(option)
        if isinstance(option, click.Option):
            if option.name in defaults:
                option.default, option.show_default = defaults[option.name], True
            if option.name == "fail_on":
                option.help = (
                    "Exit with 1 for diagnostics of this severity or a higher one.  [default: warning]"
                )
        options.append(option)
    return options


preflight = RunsAProgram(
    "preflight",
    callback=_check_in_advance,
    params=_options(),
    short_help="Run the first steps of a program, before you pay for a long run.",
    help="""Run the first steps of a program on torch_xla, before you pay for a long run.

    As `xlalint run`, stopped after three steps. Lines are followed from the start, so that operations that
    the host must run are found where they come first. The exit status is that of the program; if that is 0,
    it is 1 for diagnostics of the severity --fail-on or a higher one, and where nothing of a model is
    trained. It is 124 if the program hung.
    """,
)
