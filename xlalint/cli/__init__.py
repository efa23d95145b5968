"""The command line: the only place that prints and exits."""

from xlalint.cli.command import command, main

__all__ = ["command", "main"]
