"""`xlalint prove`."""

from __future__ import annotations

import click

from xlalint.cli.engine import from_guard
from xlalint.cli.rules import find_rule


@click.command()
@click.argument("selector", metavar="CODE|NAME")
def prove(selector: str) -> None:
    """Measure the harm that a rule describes.

    Runs the example programs of the rule on torch_xla and prints what was measured. Needs a
    checkout of xlalint, torch and torch_xla.
    """
    found = find_rule(selector)
    raise click.exceptions.Exit(from_guard("prove", "a proof")(found.code))
