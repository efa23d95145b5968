"""`xlalint report`."""

from __future__ import annotations

from pathlib import Path

import click

from xlalint.cli.failure import Failure
from xlalint.cli.options import color_option, report_options
from xlalint.cli.run import print_report


@click.group()
def report() -> None:
    """Work with the reports that `xlalint run` writes."""


@report.command()
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path))
@report_options("standard output")
@color_option
def merge(files: tuple[Path, ...], *, output_format: str, output_file: Path | None, color: str) -> None:
    """Put the reports of several processes together: those of a launch, by rank.

    What several processes did at one line is counted together.
    """
    from xlalint.evidence import EvidenceError, read_run
    from xlalint.merging import NotOneLaunch, merged

    try:
        run = merged([read_run(file) for file in files])
    except (EvidenceError, NotOneLaunch) as error:
        raise Failure(str(error)) from error
    print_report(run, "", output_format, output_file, color, complete=True, on_error=False)
