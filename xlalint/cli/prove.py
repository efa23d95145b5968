"""`xlalint prove`."""

from __future__ import annotations

import sys

import click

from xlalint.cli.failure import Failure
from xlalint.cli.rules import find_rule


@click.command()
@click.argument("selector", metavar="CODE|NAME")
def prove(selector: str) -> None:
    """Measure the harm that a rule describes.

    Runs the example programs of the rule on torch_xla and prints what was measured. Needs a
    checkout of xlalint, torch and torch_xla.
    """
    from importlib.metadata import entry_points
    from importlib.util import find_spec

    found = find_rule(selector)
    if find_spec("torch_xla") is None:
        import platform

        raise Failure(_why_no_engine(platform.system(), platform.machine(), sys.version_info[:2]))
    entries = [entry for entry in entry_points(group="xlalint.guard") if entry.name == "prove"]
    if not entries:
        raise Failure("this installation is incomplete (no xlalint.guard entry point); reinstall xlalint")
    raise click.exceptions.Exit(entries[0].load()(found.code))


def _why_no_engine(system: str, machine: str, python: tuple[int, ...]) -> str:
    """Why torch_xla cannot be here, or how to get it.

    Args:
        system, machine: As the module `platform` names them.
        python: Major and minor version.
    """
    if (system, machine) != ("Linux", "x86_64"):
        why = f"it runs on Linux on x86-64 only, and this is {system} on {machine}"
    elif python >= (3, 14):
        why = f"it needs Python 3.10 to 3.13, and this is Python {'.'.join(map(str, python))}"
    else:
        why = "install it with: pip install 'xlalint[runtime]'"
    return f"a proof needs torch_xla, which is not installed: {why}"
