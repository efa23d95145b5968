"""What installed packages bring to xlalint, found through their entry points."""

from __future__ import annotations

from functools import cache
from importlib.metadata import EntryPoint, EntryPoints, entry_points
from importlib.util import find_spec
from typing import cast

RULES = "xlalint.rules"
"""Packages whose modules hold rules."""
FRAMEWORKS = "xlalint.frameworks"
"""Packages whose modules are programs that say what a framework does. They are read and never imported."""
GUARD = "xlalint.guard"
"""What the guard emits."""


@cache
def entries(group: str) -> tuple[EntryPoint, ...]:
    """The entry points of one of these groups."""
    return tuple(_all().select(group=group))


def folders(entry: EntryPoint) -> list[str]:
    """Where the modules of an entry point's package lie; nowhere if the package is not there."""
    try:
        spec = find_spec(entry.module)
    except ModuleNotFoundError:
        return []
    return sorted((spec and spec.submodule_search_locations) or ())


@cache
def _all() -> EntryPoints:
    # Asking reads a file of every installed package, so it is done once.
    return cast("EntryPoints", entry_points())  # before Python 3.12 it is something that has `select`, too
