"""What frameworks do on XLA devices: the small programs in `frameworks/`, which are read and never run."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from xlalint.configuration import Framework


@cache
def shipped() -> tuple[Framework, ...]:
    """The frameworks that xlalint knows."""
    files = sorted((Path(__file__).parent / "frameworks").glob("*.py"))
    return tuple(Framework(file.stem, file.stem, file.read_text(encoding="utf-8")) for file in files)
