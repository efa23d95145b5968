"""The modules of the project: found by name, outlined when first asked for, never imported."""

from __future__ import annotations

import ast
import os
from collections.abc import Callable
from pathlib import Path

from xlalint.analysis.outline import Outline
from xlalint.configuration import Configuration, Local
from xlalint.knowledge.functions import OTHER_BACKENDS

OpenModule = Callable[[Path], "tuple[str, ast.Module] | None"]


ABOUT_FILES = frozenset({"module", "module name", "settings"})
"""Facts that change with files that come and go, not with the text of those that they are about."""


class Project:
    """Finds modules from the files under check outward, as an import at run time would."""

    def __init__(self, configuration: Configuration, open_module: OpenModule) -> None:
        """Args: open_module: the text and syntax tree of a file, or None when it cannot be had."""
        self._at = configuration.at
        self._open_module = open_module
        self._outlines: dict[Path, Outline | None] = {}
        self._paths: dict[str, Path] = {}
        self._located: dict[tuple[Path, str], Path | None] = {}
        self._found: dict[tuple[Path, str], Path | None] = {}
        self._is_package: dict[Path, bool] = {}
        self._starts: dict[tuple[Path, str], bool] = {}

    @property
    def outlined(self) -> int:
        """How many modules have been outlined."""
        return sum(outline is not None for outline in self._outlines.values())

    def path(self, file: str) -> Path:
        """The path of a file; one object for each, as paths are slow to make and to look up anew."""
        path = self._paths.get(file)
        if path is None:
            path = self._paths[file] = Path(file)
        return path

    def outline(self, path: Path) -> Outline | None:
        """The outline of a file; None when it cannot be read or parsed."""
        if path not in self._outlines:
            self._outlines[path] = None
            opened = self._open_module(path)
            if opened is not None:
                text, tree = opened
                name, is_package = self.module_name(path)
                false = OTHER_BACKENDS.union(self.settings(path).false_tests)
                self._outlines[path] = Outline(path, text, tree, name, is_package, false)
        return self._outlines[path]

    def module_name(self, path: Path) -> tuple[str, bool]:
        """The dotted name a file is imported by, and whether it is a package's `__init__`."""
        parts = [] if path.stem == "__init__" else [path.stem]
        folder = path.parent
        while self._has_init(folder):
            parts.append(folder.name)
            folder = folder.parent
        return ".".join(reversed(parts)) or path.parent.name, path.stem == "__init__"

    @property
    def opened(self) -> list[Path]:
        """The files that have been looked into."""
        return list(self._outlines)

    def fact(self, kind: str, file: str, detail: str) -> str:
        """The present value of one of the facts `ABOUT_FILES`."""
        path = self.path(file)
        if kind == "module":
            return str(self.locate(detail, path) or "")
        if kind == "module name":
            return " ".join(map(str, self.module_name(path)))
        return repr(self.settings(path))

    def settings(self, path: Path) -> Local:
        """What holds for a file beside what it says itself."""
        return self._at(path.parent)

    def find(self, name: str, importer: Outline) -> Outline | None:
        """The module of the project that `name` means in `importer`; None for all others."""
        found = self.locate(name, importer.path)
        return None if found is None else self.outline(found)

    def locate(self, name: str, importer: Path) -> Path | None:
        """The file of the module that `name` means in the file `importer`; None where there is none.

        A script's own folder comes first, as it does for Python.
        """
        key = (importer, name)
        if key not in self._located:
            folder = importer.parent
            roots = (self.import_root(folder), folder, *self._at(folder).roots)
            each = (self._find_below(root, name) for root in roots)
            self._located[key] = next((found for found in each if found is not None), None)
        return self._located[key]

    def import_root(self, folder: Path) -> Path:
        """The folder that the packages around a folder are imported from."""
        while self._has_init(folder):
            folder = folder.parent
        return folder

    def _has_init(self, folder: Path) -> bool:
        known = self._is_package.get(folder)
        if known is None:
            known = self._is_package[folder] = _is_file(folder / "__init__.py")
        return known

    def _find_below(self, root: Path, name: str) -> Path | None:
        first = name.split(".", 1)[0]
        starts = self._starts.get((root, first))
        if starts is None:
            starts = _is_directory(root / first) or _is_file(root / f"{first}.py")
            self._starts[root, first] = starts
        if not starts:
            return None
        key = (root, name)
        if key not in self._found:
            base = root.joinpath(*name.split("."))
            self._found[key] = next(
                (p for p in (base / "__init__.py", base.with_name(base.name + ".py")) if _is_file(p)), None
            )
        return self._found[key]


def _is_file(path: Path) -> bool:
    return os.path.isfile(path)  # noqa: PTH113 - unlike `Path.is_file`, never raises for what it may not see


def _is_directory(path: Path) -> bool:
    return os.path.isdir(path)  # noqa: PTH112 - the same
