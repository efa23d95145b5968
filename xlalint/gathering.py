"""Which files are to be reported, and the projects that they belong to.

What is reported is what the user names. What is analyzed is the project around it.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

from xlalint.files import File
from xlalint.settings import Settings, SettingsFinder
from xlalint.sources.discovery import Found, Scope, discover
from xlalint.sources.file import Unreadable, show
from xlalint.sources.project import is_bounded
from xlalint.units import Locals, Unit


class Input(NamedTuple):
    """A file that is not read from disk."""

    name: str | None
    data: bytes

    @property
    def path(self) -> str:
        """Where it would stand."""
        return os.path.abspath(self.name or "stdin.py")  # noqa: PTH100 - keeps links


@dataclass
class Gathered:
    """What a check is about.

    Args:
        units: The projects, in the order of their folders.
        looked_at: How many files were asked for.
    """

    units: list[Unit] = field(default_factory=list)
    looked_at: int = 0


def find_files(
    paths: Sequence[Path], finder: SettingsFinder, *, force_exclude: bool = False
) -> Iterator[Found | Unreadable]:
    """The files that `check` would report; see `discover`. A scope's `rest` holds its `Settings`.

    Raises:
        SettingsError: settings that hold for one of them cannot be used.
    """

    def scope_of(directory: Path) -> Scope:
        settings = finder.at(directory)
        return Scope(settings.excludes, settings.respect_gitignore, settings)

    return discover(paths, scope_of, force_exclude=force_exclude)


def gather(
    paths: Sequence[Path],
    finder: SettingsFinder,
    *,
    force_exclude: bool = False,
    standard_input: Input | None = None,
    project: Path | None = None,
    texts: Mapping[str, bytes] = MappingProxyType({}),
) -> Gathered:
    """Find what is to be reported, and the projects that it belongs to. Arguments as of `checker.check`.

    Raises:
        SettingsError: settings that hold for one of the files cannot be used.
    """
    gathering = _Gathering(finder, force_exclude=force_exclude, project=project, texts=texts)
    return gathering.run(paths, standard_input)


def projects_of(paths: Sequence[Path]) -> list[Path]:
    """The projects that files and folders belong to, and those below a folder that have been checked."""
    gathering = _Gathering(SettingsFinder(isolated=True), force_exclude=False, project=None, texts={})
    roots: dict[Path, None] = {}
    for path in paths:
        absolute = Path(os.path.abspath(path))  # noqa: PTH100 - keeps links
        is_folder = os.path.isdir(absolute)  # noqa: PTH112 - never raises
        folder = absolute if is_folder else absolute.parent
        roots[gathering.root(folder, str(folder))] = None
        if is_folder:
            for item in find_files([absolute], SettingsFinder(isolated=True)):
                roots[gathering.root_of(item, str(folder))] = None
    return list(roots)


class _Gathering:
    def __init__(
        self, finder: SettingsFinder, *, force_exclude: bool, project: Path | None,
        texts: Mapping[str, bytes],
    ) -> None:  # fmt: skip
        self._finder = finder
        self._texts = texts
        self._project = project
        self._force_exclude = force_exclude
        self._locals = Locals(finder)
        self._units: dict[tuple[Path, str], Unit] = {}
        """By folder, and where it holds a file that is not the project's own, by that."""
        self._own: dict[Path, dict[str, Found | Unreadable]] = {}
        """By project, the files that are its own."""
        self._roots: dict[tuple[str, str], Path] = {}
        """By a folder and what to take otherwise, the project."""
        self._asked: set[str] = set()

    def run(self, paths: Sequence[Path], given: Input | None) -> Gathered:
        absolute = sorted({os.path.abspath(path) for path in paths})  # noqa: PTH100 - keeps links
        folders = [path for path in absolute if os.path.isdir(path)]  # noqa: PTH112 - never raises
        walked = {folder: self._walk(folder) for folder in folders}
        for folder, found in walked.items():
            by_root: dict[Path, dict[str, Found | Unreadable]] = {}
            for item in found:
                root = self.root_of(item, folder)
                by_root.setdefault(root, {})[str(item.path)] = item
            for root, held in by_root.items():
                if _is_within(str(root), folder):
                    self._own.setdefault(root, held)
                self._ask(root, held.values(), folder)
        for path in absolute:
            if path not in walked:
                # One file at a time: what is excluded is analyzed without its like.
                items = list(find_files([Path(path)], self._finder, force_exclude=self._force_exclude))
                parent = Path(path).parent
                self._ask(self.root(parent, str(parent)), items, path, named=True)
        if given is not None:
            self._ask_input(given)
        units = [unit for _, unit in sorted(self._units.items()) if unit.asked or unit.unreadable]
        if units:
            units[0].unreadable += self._finder.unreadable
        return Gathered(units, len(self._asked))

    def _walk(self, folder: str) -> list[Found | Unreadable]:
        return list(find_files([Path(folder)], self._finder, force_exclude=self._force_exclude))

    def root_of(self, item: Found | Unreadable, otherwise: str) -> Path:
        # There are many files to a folder, and paths are slow to make.
        key = (os.path.dirname(item.path), otherwise)  # noqa: PTH120
        root = self._roots.get(key)
        if root is None:
            root = self._roots[key] = self.root(Path(key[0]), otherwise)
        return root

    def root(self, folder: Path, otherwise: str) -> Path:
        """The project that the files of a folder belong to: else the working directory, else `otherwise`."""
        if self._project is not None:
            return self._project
        root = self._locals.projects.root(folder)
        if root is not None:
            return root
        try:
            here = Path.cwd()
        except OSError:  # it is gone
            return Path(otherwise)
        return here if is_bounded(here) and _is_within(str(folder), str(here)) else Path(otherwise)

    def _ask(
        self, root: Path, items: Iterable[Found | Unreadable], argument: str, *, named: bool = False
    ) -> None:
        """Report files, together with others of the project that they belong to."""
        own = self._own_files(root)
        for item in items:
            path = str(item.path)
            self._asked.add(path)
            unit = self._unit(root, "" if path in own else argument)
            if isinstance(item, Unreadable):
                unit.unreadable.append(item)
                continue
            if path not in unit.files:
                unit.files[path] = self._file(item)
            unit.asked.add(path)
            if named:
                unit.named.add(path)

    def _ask_input(self, given: Input) -> None:
        path = Path(given.path)
        settings = self._finder.at(path.parent)
        excluded = any(patterns.take_within(str(path)) for patterns in settings.excludes)
        if self._force_exclude and excluded:
            return
        root = self.root(path.parent, str(path.parent))
        known = self._own_files(root)
        unit = self._unit(root, "" if str(path) in known else str(path))
        shown = show(path) if given.name else "<stdin>"
        unit.files[str(path)] = File(
            str(path), settings, data=self._texts.get(str(path), given.data), shown=shown
        )
        unit.asked.add(str(path))
        unit.named.add(str(path))
        self._asked.add(str(path))

    def _unit(self, root: Path, foreign: str) -> Unit:
        """The project at `root`, with nothing but its own files or with those of one argument beside."""
        unit = self._units.get((root, foreign))
        if unit is None:
            unit = self._units[root, foreign] = Unit(root, self._locals)
            unit.is_foreign = bool(foreign)
            own = self._own_files(root).values()
            unit.files.update((item.path, self._file(item)) for item in own if isinstance(item, Found))
        return unit

    def _file(self, found: Found) -> File:
        settings = found.scope.rest
        assert isinstance(settings, Settings)
        return File(found.path, settings, data=self._texts.get(found.path))

    def _own_files(self, root: Path) -> Mapping[str, Found | Unreadable]:
        own = self._own.get(root)
        if own is None:
            own = self._own[root] = {}
            if is_bounded(root):
                for item in find_files([root], self._finder):
                    if self.root_of(item, str(root)) == root:
                        own[str(item.path)] = item
        return own


def _is_within(path: str, folder: str) -> bool:
    return path == folder or path.startswith(folder.rstrip(os.sep) + os.sep)
