"""What the command says when it cannot do what it was asked."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import click


class Failure(click.ClickException):
    """The command could not do what it was asked: exit code 2, as for wrong usage."""

    exit_code = 2


@contextmanager
def settings_failures() -> Iterator[None]:
    """Turn an error in the settings into a message."""
    from xlalint.settings import SettingsError

    try:
        yield
    except SettingsError as error:
        raise Failure(str(error)) from error


def internal_error(error: Exception) -> str:
    """What to say of an error of our own: enough to report it."""
    import traceback

    message = f"internal error in xlalint, please report it: {type(error).__name__}: {error}"
    if os.environ.get("XLALINT_TRACEBACK"):
        return message + "\n" + "".join(traceback.format_exception(error))
    frames = traceback.extract_tb(error.__traceback__)
    where = f" ({Path(frames[-1].filename).name}:{frames[-1].lineno})" if frames else ""
    return f"{message}{where}; set XLALINT_TRACEBACK=1 to see the traceback"


def reason(error: OSError) -> str:
    return (error.strerror or str(error)).lower()
