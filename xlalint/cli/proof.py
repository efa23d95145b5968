"""Two runs of a program side by side: before its files were changed, and after."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from xlalint.cli.engine import from_guard
from xlalint.cli.failure import Failure
from xlalint.cli.options import HANG_TIMEOUT

if TYPE_CHECKING:
    from xlalint.numbers import Numbers
    from xlalint.runs import Run


@dataclass(frozen=True)
class Measured:
    """What one run of the program did, and what it computed."""

    run: Run
    numbers: Numbers
    status: int


def measure(script: Path, stop_after: int | None, when: str) -> Measured:
    """Run the program; what it prints goes where it always does.

    Args:
        when: As in `before the changes`.

    Raises:
        Failure: it did not come to its end, so that there is nothing to compare.
    """
    from xlalint import numbers
    from xlalint.settings import SettingsFinder

    supervise: Any = from_guard("run", "`xlalint migrate --prove`")
    click.echo(f"xlalint: running {script} {when}", err=True)
    with tempfile.TemporaryDirectory(prefix="xlalint-prove-") as folder:
        file = Path(folder, "numbers")
        outcome = supervise(
            program=str(script), finder=SettingsFinder(isolated=True), hang_timeout=HANG_TIMEOUT,
            stop_after=stop_after, numbers=str(file),
        )  # fmt: skip
        if outcome.run is None or outcome.signal or outcome.status:
            end = outcome.run.end if outcome.run is not None and outcome.run.end else "it never began"
            raise Failure(f"{script} fails {when} ({end}), so nothing can be compared")
        try:
            return Measured(outcome.run, numbers.read(file), outcome.status)
        except numbers.NoNumbers as error:
            raise Failure(f"{script} {when}: {error}") from error


def print_side_by_side(before: Measured, after: Measured) -> bool:
    """Print what differs. Returns whether both compute the same, but for rounding."""
    from xlalint.numbers import compare

    rows = [
        ("", "before", "after"),
        ("steps", *(str(each.run.steps) for each in (before, after))),
        ("launches", *(str(each.run.launches) for each in (before, after))),
        ("launches per step", *(_per_step(each.run) for each in (before, after))),
        ("compiles", *(str(each.run.compiles) for each in (before, after))),
        ("diagnostics of the run", *(str(len(each.run.diagnostics)) for each in (before, after))),
    ]
    widths = [max(len(row[column]) for row in rows) for column in range(3)]
    for name, old, new in rows:
        click.echo(f"{name:<{widths[0]}}  {old:>{widths[1]}}  {new:>{widths[2]}}".rstrip())
    losses = compare(before.numbers.losses, after.numbers.losses)
    parameters = compare(before.numbers.values, after.numbers.values)
    same_shapes = before.numbers.shapes == after.numbers.shapes
    click.echo(f"losses: {losses}")
    click.echo(f"elements of trained parameters: {parameters}" + ("" if same_shapes else "; shapes differ"))
    return losses.agree and parameters.agree and same_shapes


def _per_step(run: Run) -> str:
    return "-" if run.launches_per_step is None else f"{run.launches_per_step:.1f}"
