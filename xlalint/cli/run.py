"""`xlalint run`."""

from __future__ import annotations

import os
import resource
import signal
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from xlalint.cli.check import LEVELS
from xlalint.cli.collector import without_collector
from xlalint.cli.engine import from_guard
from xlalint.cli.failure import settings_failures
from xlalint.cli.options import (
    color_option,
    config_options,
    directory,
    given_settings,
    report_options,
    settings_finder,
)
from xlalint.cli.report import write_text
from xlalint.cli.terminal import columns_or, is_colored

if TYPE_CHECKING:
    from xlalint.checker import Report
    from xlalint.diagnostic import Severity
    from xlalint.runs import Run
    from xlalint.settings import Settings, SettingsFinder

_RULES = ("select", "ignore", "extend_select")


class RunsAProgram(click.Command):
    """A command whose arguments end where those of the program begin."""

    def parse_args(self, context: click.Context, args: list[str]) -> list[str]:
        return super().parse_args(context, self._divided(args))

    def _divided(self, args: list[str]) -> list[str]:
        """The arguments with a `--` before those of the program, as Python itself reads them."""
        takes_value = {
            name
            for option in self.params
            if isinstance(option, click.Option) and not option.is_flag
            for name in option.opts
        }
        index = 0
        while index < len(args):
            word = args[index]
            if word == "--":
                return args
            if not word.startswith("-") or word == "-":
                break
            index += 2 if word in takes_value else 1
            if word == "-m" or (word.startswith("-m") and not word.startswith("--")):
                break
        return [*args[:index], "--", *args[index:]]


@click.command(cls=RunsAProgram)
@click.option("-m", "module", metavar="MODULE", help="Run a module, as `python -m` does.")
@click.option(
    "--mode", type=click.Choice(("record", "warn", "raise")), default="record", show_default=True,
    help="Report at the end; also on standard error as it happens; or stop the program where it happens.",
)  # fmt: skip
@click.option("--stop-after", type=click.IntRange(min=1), metavar="N", help="Stop the program after N steps.")
@click.option(
    "--max-seconds", type=click.FloatRange(min=0, min_open=True), metavar="N",
    help="Stop the program after N seconds.",
)  # fmt: skip
@click.option(
    "--hang-timeout", type=click.FloatRange(min=0, min_open=True), metavar="N",
    help="Show all stacks and end the program when nothing happens for N seconds.",
)  # fmt: skip
@click.option(
    "--warmup", type=click.IntRange(min=1), default=2, show_default=True, metavar="N",
    help="Leave the first N steps out of launches, compiles and milliseconds per step.",
)  # fmt: skip
@click.option(
    "--replicas", type=click.IntRange(min=1), metavar="N",
    help="Give a program that launches replicas N of them, on the CPU engine.",
)  # fmt: skip
@click.option(
    "--stand-ins/--no-stand-ins", default=True, show_default=True,
    help="On the CPU engine, let something stand in for what only an accelerator has.",
)  # fmt: skip
@click.option(
    "--explain-graphs", is_flag=True,
    help="Of a loop that was compiled again, show all operations by which its graphs differ; slower.",
)  # fmt: skip
@click.option(
    "--select", multiple=True, metavar="RULES", help="Use only these rules: codes, prefixes, names or ALL."
)
@click.option("--ignore", multiple=True, metavar="RULES", help="Turn these rules off.")
@click.option("--extend-select", multiple=True, metavar="RULES", help="Turn these rules on as well.")
@click.option("--preview", is_flag=True, default=None, help="Allow preview rules to be selected.")
@config_options
@click.option(
    "--static",
    is_flag=True,
    help="Check the program's files by reading, too, and say what of that happened or was not reached.",
)
@click.option(
    "--fail-on", type=click.Choice(LEVELS),
    help="Exit with 1 for diagnostics of this severity or a higher one, if the program exits with 0.",
)  # fmt: skip
@report_options("standard error; JSON as it happens")
@color_option
@click.argument("program", nargs=-1, type=click.UNPROCESSED, metavar="SCRIPT [ARGS]...")
def run(**options: Any) -> None:
    """Run a program on torch_xla, and report the hazards that happen.

    The program runs as `python SCRIPT ARGS` does, on the CPU engine where no accelerator is set up.
    The exit status is that of the program; if that is 0, it is 1 with --fail-on and diagnostics of that
    severity or a higher one. It is 2 for wrong usage, and then nothing is run. It is 124 if the program
    was ended because it hung.
    """
    fail_on = options["fail_on"]
    outcome, settings = watched(**options)
    failing = settings.fail_on if fail_on is not None else None
    raise click.exceptions.Exit(outcome.status or int(fails(outcome.run, failing)))


def watched(
    program: tuple[str, ...], *, module: str | None, output_format: str, output_file: Path | None,
    fail_on: str | None, color: str, config: tuple[str, ...], isolated: bool, hang_timeout: float | None,
    static: bool, **options: Any,
) -> tuple[Any, Settings]:  # fmt: skip
    """Run a program under the guard and print the report; where a signal ended it, end by that, too.

    Returns:
        How it ended, and the settings that hold for it.
    """
    words = program if module is None else (module, *program)
    if not words:
        raise click.UsageError("name a script to run, or a module with -m")
    if module is None and not os.path.exists(words[0]):  # noqa: PTH110
        raise click.UsageError(f"there is no file or directory {words[0]!r}")
    given = {name: options.pop(name) for name in (*_RULES, "preview")}
    finder = settings_finder(config, isolated, given_settings({**given, "fail_on": fail_on}))
    with settings_failures():
        settings = finder.at(Path.cwd() if module is not None else directory(Path(words[0])))
    supervise = from_guard("run", "`xlalint run`")
    read = _read(Path.cwd() if module is not None else directory(Path(words[0])), finder) if static else None
    outcome = supervise(
        hang_timeout=hang_timeout,
        program=words[0],
        is_module=module is not None,
        args=words[1:],
        finder=finder,
        report=str(output_file) if output_file is not None and output_format == "json" else None,
        asked=_asked(read),
        **options,
    )
    if outcome.run is not None:
        run = outcome.run
        if read is not None:
            from xlalint.evidence import beside

            run = beside(run, read.diagnostics, read.sources)
        if outcome.unwritten:  # What was seen is not lost.
            output_format, output_file = "text", None
        print_report(run, outcome.stacks, output_format, output_file, color, complete=read is not None)
    if outcome.signal:
        _end_by(outcome.signal)
    return outcome, settings


def _read(folder: Path, finder: SettingsFinder) -> Report:
    """What is found by reading in the files beside the program."""
    from xlalint import api
    from xlalint.cache import Cache

    with settings_failures(), without_collector():
        return api.check_paths((folder,), settings=finder, cache=Cache())


def _asked(read: Report | None) -> dict[str, tuple[tuple[int, int], ...]]:
    """The lines of which is to be found out whether they run."""
    if read is None:
        return {}
    from xlalint.evidence import wanted_lines

    lines = wanted_lines(read.diagnostics, read.sources)
    return {path: tuple((each.start, each.stop - 1) for each in held) for path, held in lines.items()}


def fails(run: Run | None, failing: Severity | None) -> bool:
    """Whether anything was found of this severity or a higher one."""
    found = run.diagnostics if run is not None else ()
    return failing is not None and any(each.severity >= failing for each in found)


def print_report(
    run: Run, stacks: str, form: str, file: Path | None, color: str, *, complete: bool, on_error: bool = True
) -> None:
    """Write what was seen.

    Args:
        stacks: The stacks of all threads, where the program hung.
        complete: Whether there is more to say than what the program's process has written by itself.
        on_error: Whether standard error is meant where no file is named, and not standard output.
    """
    from xlalint.output import runs, text
    from xlalint.output.paint import paint

    if form == "json":
        if file is None:
            click.echo(runs.render(run), err=on_error, nl=False)
        elif complete and run.rank is None:
            write_text(file, runs.render(run))
        return
    columns = text.COLUMNS if file is not None else columns_or(text.COLUMNS)
    lines = [*runs.full(run, _sources(run), columns)]
    shown = paint(lines, colored=file is None and is_colored(color))
    if stacks:
        shown = f"{stacks.rstrip()}\n\n{shown}"
    if file is None:
        click.echo(shown, err=on_error, nl=False)
        return
    write_text(file, shown)


def _sources(run: Run) -> dict[str, Any]:
    """The files that diagnostics stand in, by their shown path, as far as they can be read."""
    from xlalint.sources.file import SourceFile, read

    shown = {each.path for each in run.diagnostics}
    shown |= {related.path for each in run.diagnostics for related in each.related}
    files = {path: read(Path(path).absolute()) for path in shown}
    return {path: file for path, file in files.items() if isinstance(file, SourceFile)}


def _end_by(number: int) -> None:
    """End as the program did."""
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    signal.signal(number, signal.SIG_DFL)
    os.kill(os.getpid(), number)
