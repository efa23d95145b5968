"""`xlalint`: the table of its commands, and what comes of an error in one."""

from __future__ import annotations

import errno
import sys
from contextlib import suppress
from importlib import import_module
from typing import Any

import click

from xlalint.cli.failure import Failure, internal_error
from xlalint.cli.terminal import unwritable

COMMANDS = {
    "check": "check",
    "clean": "clean",
    "config": "settings",
    "migrate": "migrate",
    "preflight": "preflight",
    "prove": "prove",
    "report": "run_reports",
    "rule": "rules",
    "rules": "rules",
    "run": "run",
    "server": "server",
    "state": "state",
    "version": "version",
}
"""Each command and its module beside this one, which is imported when the command is asked for."""


class _Commands(click.Group):
    """The commands; every failure of one ends in a message, never in a traceback."""

    def list_commands(self, context: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, context: click.Context, name: str) -> click.Command | None:
        if name not in COMMANDS:
            return None
        found: click.Command = getattr(import_module(f"xlalint.cli.{COMMANDS[name]}"), name)
        return found

    def invoke(self, context: click.Context) -> Any:
        for stream in (sys.stdout, sys.stderr):
            if hasattr(stream, "reconfigure"):
                stream.reconfigure(errors="replace")  # a terminal may lack characters of the code
        try:
            return super().invoke(context)
        except (click.ClickException, click.Abort, click.exceptions.Exit, BrokenPipeError):
            raise
        except KeyboardInterrupt:
            raise click.exceptions.Exit(130) from None
        except OSError as error:
            if error.errno != errno.ENOSPC:
                raise Failure(internal_error(error)) from error
            raise unwritable(error) from error  # click prints the help of a command on its own
        except Exception as error:
            raise Failure(internal_error(error)) from error


def _print_version(context: click.Context, option: click.Parameter, asked: bool) -> None:
    if asked:
        from xlalint.cli.version import print_version

        print_version()
        context.exit()


@click.group(
    cls=_Commands, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110}
)  # fmt: skip
@click.option(
    "--version", is_flag=True, is_eager=True, expose_value=False, help="Show the version and exit.",
    callback=_print_version,
)  # fmt: skip
def command() -> None:
    """Find bugs and slow steps in PyTorch/XLA programs without running them.

    Start with `xlalint check`, then run `xlalint rule CODE` for a code that it reports.
    """


def main() -> None:
    """The entry point of `xlalint`."""
    try:
        command(prog_name="xlalint")
    except OSError as error:  # of click, which prints the help and wrong usage on its own
        failure = unwritable(error)
        with suppress(OSError):  # standard error may be full, too
            failure.show()
        sys.exit(failure.exit_code)
