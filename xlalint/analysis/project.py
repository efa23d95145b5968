"""The modules of the project: found by name, outlined when first asked for, never imported."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable
from pathlib import Path

from xlalint.analysis.outline import Outline

OpenModule = Callable[[Path], "tuple[str, ast.Module] | None"]


class Project:
    """Finds modules from the files under check outward, as an import at run time would."""

    def __init__(self, roots: Iterable[Path], open_module: OpenModule) -> None:
        """Args:
        roots: Folders that imports start from, beside each file's own.
        open_module: The text and syntax tree of a file, or None when it cannot be had.
        """
        self._roots = list(dict.fromkeys(roots))
        self._open_module = open_module
        self._outlines: dict[Path, Outline | None] = {}
        self._found: dict[tuple[Path, str], Path | None] = {}
        self._is_package: dict[Path, bool] = {}
        self._starts: dict[tuple[Path, str], bool] = {}

    @property
    def outlined(self) -> int:
        """How many modules have been outlined."""
        return sum(outline is not None for outline in self._outlines.values())

    def outline(self, path: Path) -> Outline | None:
        """The outline of a file; None when it cannot be read or parsed."""
        if path not in self._outlines:
            self._outlines[path] = None
            opened = self._open_module(path)
            if opened is not None:
                text, tree = opened
                name, is_package = self.module_name(path)
                self._outlines[path] = Outline(path, text, tree, name, is_package)
        return self._outlines[path]

    def module_name(self, path: Path) -> tuple[str, bool]:
        """The dotted name a file is imported by, and whether it is a package's `__init__`."""
        parts = [] if path.stem == "__init__" else [path.stem]
        folder = path.parent
        while self._has_init(folder):
            parts.append(folder.name)
            folder = folder.parent
        return ".".join(reversed(parts)) or path.parent.name, path.stem == "__init__"

    def find(self, name: str, importer: Outline) -> Outline | None:
        """The module of the project that `name` means in `importer`; None for all others."""
        start = self._import_root(importer.path)
        for root in (start, importer.path.parent, *self._roots):
            found = self._find_below(root, name)
            if found is not None:
                return self.outline(found)
        return None

    def _import_root(self, path: Path) -> Path:
        folder = path.parent
        while self._has_init(folder):
            folder = folder.parent
        return folder

    def _has_init(self, folder: Path) -> bool:
        known = self._is_package.get(folder)
        if known is None:
            known = self._is_package[folder] = (folder / "__init__.py").is_file()
        return known

    def _find_below(self, root: Path, name: str) -> Path | None:
        first = name.split(".", 1)[0]
        starts = self._starts.get((root, first))
        if starts is None:
            starts = (root / first).is_dir() or (root / f"{first}.py").is_file()
            self._starts[root, first] = starts
        if not starts:
            return None
        key = (root, name)
        if key not in self._found:
            base = root.joinpath(*name.split("."))
            self._found[key] = next(
                (p for p in (base / "__init__.py", base.with_name(base.name + ".py")) if p.is_file()), None
            )
        return self._found[key]
