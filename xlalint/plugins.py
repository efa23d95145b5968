"""What installed packages bring to xlalint, found through their entry points."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from operator import attrgetter
from pathlib import Path
from typing import Any, NamedTuple

RULES = "xlalint.rules"
"""Packages whose modules hold rules."""
FRAMEWORKS = "xlalint.frameworks"
"""Packages whose modules are programs that say what a framework does. They are read and never imported."""
GUARD = "xlalint.guard"
"""What the guard emits."""
_GROUPS = (RULES, FRAMEWORKS, GUARD)

_TOLD = re.compile(r"(?m)^\[(.+?)\]\s*$|^([^#\s=][^=\n]*?)\s*=\s*([\w.]+)(?:\s*:\s*([\w.]+))?")
"""In a list of entry points, a group; or a name with a module, and what is meant in it."""
_LISTS = (".dist-info", ".egg-info")


class Entry(NamedTuple):
    """Something that a package brings."""

    name: str
    module: str
    attribute: str = ""
    """What of the module; empty: itself."""

    def load(self) -> Any:
        """Import it."""
        module = import_module(self.module)
        return attrgetter(self.attribute)(module) if self.attribute else module


@cache
def entries(group: str) -> tuple[Entry, ...]:
    """The entry points of one of these groups."""
    return tuple(entry for of, entry in _all() if of == group)


def folders(entry: Entry) -> list[str]:
    """Where the modules of an entry point's package lie; nowhere if the package is not there."""
    try:
        spec = find_spec(entry.module)
    except ModuleNotFoundError:
        return []
    return sorted((spec and spec.submodule_search_locations) or ())


@cache
def _all() -> tuple[tuple[str, Entry], ...]:
    """What packages bring, each with its group. To find that reads a file of each, so it is done once."""
    # Whatever runs xlalint waits for this: to import `importlib.metadata` takes as long as to find all files
    # of a small project.
    if any(map(_is_found_otherwise, sys.meta_path)) or any(map(os.path.isfile, sys.path)):
        from importlib.metadata import entry_points

        found = ((group, each) for group in _GROUPS for each in entry_points(group=group))
        return tuple((group, Entry(each.name, each.module, each.attr or "")) for group, each in found)
    return tuple(_listed())


def _is_found_otherwise(finder: object) -> bool:
    """Whether something finds packages elsewhere than in the folders that Python imports from."""
    return hasattr(finder, "find_distributions") and getattr(finder, "__name__", "") != "PathFinder"


def _listed() -> Iterator[tuple[str, Entry]]:
    known: set[str] = set()
    for around in dict.fromkeys(sys.path):
        try:
            names = os.listdir(around or ".")  # noqa: PTH208 - paths are slow to make
        except OSError:
            continue
        for name in sorted(name for name in names if name.endswith(_LISTS)):
            package = name.partition("-")[0].lower().replace(".", "_")
            if package in known:
                continue  # a folder that comes later is not what is imported
            known.add(package)
            try:
                text = Path(around, name, "entry_points.txt").read_text("utf-8")
            except (OSError, UnicodeError):
                continue
            group = ""
            for told in _TOLD.finditer(text):
                group = told[1] or group
                if told[1] is None and group in _GROUPS:
                    yield group, Entry(told[2], told[3], told[4] or "")
