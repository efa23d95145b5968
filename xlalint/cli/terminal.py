"""Standard output: what is written there, in which characters, colours and width."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from xlalint.cli.failure import Failure, reason

if TYPE_CHECKING:
    from xlalint.output.paint import Line

_ASCII = str.maketrans({"│": "|", "⋮": ":", "█": "#", "▒": "+", "·": ".", "…": "~", "┌": "-"})


def print_lines(lines: Iterator[Line] | list[Line], color: str) -> None:
    from xlalint.output.paint import paint

    echo(paint(lines, colored=is_colored(color)))


def print_json(value: object) -> None:
    import json

    echo(json.dumps(value, indent=2) + "\n")


def echo(text: str) -> None:
    # click.echo would write UTF-8 to a terminal that says it only knows ASCII.
    encoding = (getattr(sys.stdout, "encoding", None) or "utf-8").lower().replace("-", "")
    with writing():
        sys.stdout.write(text if encoding.startswith("utf") else text.translate(_ASCII))


@contextmanager
def writing() -> Iterator[None]:
    """Write to standard output, all of it, or say why that is impossible. A reader that leaves may do so."""
    if sys.stdout is None:
        raise Failure("cannot write to standard output: it is closed")
    try:
        yield
        sys.stdout.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        raise unwritable(error) from error


def unwritable(error: OSError) -> Failure:
    """What to say where standard output takes no more; what it has not taken is given up."""
    if sys.stdout is not None:
        # Python writes what is left when it ends, and would fail once more.
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)
    return Failure(f"cannot write to standard output: {reason(error)}")


def is_colored(color: str) -> bool:
    """Whether to write colours: as asked, else as the environment says, else on terminals."""
    if color != "auto":
        return color == "always"
    if os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("FORCE_COLOR"):
        return True
    return is_terminal() and os.environ.get("TERM") != "dumb"


def is_terminal() -> bool:
    return sys.stdout is not None and sys.stdout.isatty()


def columns_or(otherwise: int) -> int:
    """How wide the terminal is, or what COLUMNS says; `otherwise` where the output is none."""
    from shutil import get_terminal_size

    return get_terminal_size((otherwise, 0)).columns
