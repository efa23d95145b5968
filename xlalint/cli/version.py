"""`xlalint version`."""

from __future__ import annotations

import click

from xlalint.cli.terminal import echo


@click.command()
def version() -> None:
    """Print the version, and whether the analysis is compiled."""
    print_version()


def print_version() -> None:
    """Print what `xlalint --version` prints, too."""
    from importlib.metadata import version as installed

    from xlalint.lazy import state

    build = "pure Python" if str(state.__file__).endswith(".py") else "compiled"
    echo(f"xlalint {installed('xlalint')} ({build})\n")
