"""Which files of a project must be analyzed to know what happens in some of them.

A function is analyzed as those call it who import it, be it through others. What nobody imports
who imports a file says nothing about that file.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from xlalint.files import File
from xlalint.knowledge.functions import LIBRARIES, SWAPS_PARAMETERS
from xlalint.program.outline import absolute
from xlalint.program.project import Project

_ELSEWHERE = LIBRARIES | sys.stdlib_module_names
"""Top-level modules that are no project's own."""


def needed(asked: Iterable[str], files: Mapping[str, File], analyzed: set[str], project: Project) -> set[str]:
    """The files that must be analyzed to know what happens in those that are asked for.

    Args:
        asked: The files that are asked for.
        files: All files of the project, by path.
        analyzed: Those of them that hold something to be analyzed by itself.
        project: Says what their imports mean.
    """
    imports = {path: _imports(file, files, project) for path, file in files.items()}
    importers: dict[str, list[str]] = {}
    for path, targets in imports.items():
        for target in targets:
            importers.setdefault(target, []).append(path)
    around = _closure(asked, importers)
    if _some_setting_counts(files, analyzed):
        # It counts for everything that is connected with the file that has it.
        for path in analyzed:
            imports[path] |= analyzed.intersection(importers.get(path, ()))
    # What a file leads to it may reach through files in which nothing is to be analyzed.
    return _closure(around & analyzed, imports) & analyzed


def _closure(start: Iterable[str], beside: Mapping[str, Iterable[str]]) -> set[str]:
    reached: set[str] = set()
    waiting = list(start)
    while waiting:
        path = waiting.pop()
        if path not in reached:
            reached.add(path)
            waiting.extend(beside.get(path, ()))
    return reached


def _imports(file: File, files: Mapping[str, File], project: Project) -> set[str]:
    """The files of the project that a file may import."""
    path = Path(file.path)
    folder = str(path.parent)
    own: tuple[str, bool] | None = None
    found: set[str] = set()
    for name in file.imports:
        if name.startswith("."):
            own = own or project.module_name(path)
            plain = name.lstrip(".")
            name = absolute(*own, plain, len(name) - len(plain))
        if name.partition(".")[0] in _ELSEWHERE:
            continue
        target = project.locate_from(name, folder)
        if target is not None and target in files:
            found |= {target, *_packages_around(target, files)}
    return found


def _packages_around(path: str, files: Mapping[str, File]) -> Iterator[str]:
    """What is run before a module is imported: the packages that it lies in."""
    folder = os.path.dirname(path)  # noqa: PTH120 - asked of each import of each file
    while (package := f"{folder}{os.sep}__init__.py") in files:
        yield package
        folder = os.path.dirname(folder)  # noqa: PTH120


def _some_setting_counts(files: Mapping[str, File], analyzed: set[str]) -> bool:
    """Whether a file may hold a setting of torch that counts for a whole program."""
    tokens = [name.encode() for name in SWAPS_PARAMETERS]
    data = (files[path].data for path in analyzed)
    return any(token in each for each in data if isinstance(each, bytes) for token in tokens)
