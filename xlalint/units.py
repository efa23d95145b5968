"""What is checked together: the files that were asked for, with the settings and target of each.

Files are found, read and decoded here, and nowhere parsed but to say that a named file does not.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from xlalint.configuration import Configuration
from xlalint.knowledge.frameworks import HOOKS
from xlalint.settings import Settings, SettingsFinder
from xlalint.sources.discovery import Found, Scope, discover
from xlalint.sources.file import SourceFile, Unreadable, decode, is_hot, read_bytes, show
from xlalint.sources.project import Projects
from xlalint.versions import DEFAULT_TARGET, VersionRange

_HOOK_TOKENS = tuple({name.rpartition(".")[2].encode() for name in HOOKS})
"""A file with one of these may hold what a framework calls while it trains on a device."""


class Input(NamedTuple):
    """A file that is not read from disk."""

    name: str | None
    data: bytes


@dataclass
class Unit:
    """Files for which the same settings and target hold; they are analyzed together.

    Args:
        files: What is analyzed.
        unreadable: What cannot be.
        commented: Files with comments that might suppress something.
        roots: Directories that imports start from.
    """

    settings: Settings
    target: VersionRange
    files: list[SourceFile] = field(default_factory=list)
    unreadable: list[Unreadable] = field(default_factory=list)
    commented: list[SourceFile] = field(default_factory=list)
    roots: dict[Path, None] = field(default_factory=dict)

    @property
    def configuration(self) -> Configuration:
        """What the analysis of the unit runs under."""
        settings = self.settings
        return Configuration(self.target, settings.wrappers, settings.other_backends, tuple(self.roots))


@dataclass
class Gathered:
    """What a check is about.

    Args:
        looked_at: How many files were looked at.
        hot: How many of them use torch_xla.
        settings: What holds for each of them, by its absolute path.
    """

    units: list[Unit] = field(default_factory=list)
    looked_at: int = 0
    hot: int = 0
    settings: dict[str, Settings] = field(default_factory=dict)


def find_files(
    paths: Sequence[Path], finder: SettingsFinder, *, force_exclude: bool = False
) -> Iterator[Found | Unreadable]:
    """The files that `check` would look at; see `discover`. A scope's `rest` holds its `Settings`.

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
) -> Gathered:
    """Read what is to be checked. The arguments are those of `checker.check`.

    Raises:
        SettingsError: settings that hold for one of the files cannot be used.
    """
    gathering = _Gathering(finder)
    for item in find_files(paths, finder, force_exclude=force_exclude):
        gathering.add(item)
    if standard_input is not None:
        gathering.add_input(standard_input, force_exclude=force_exclude)
    return gathering.finish()


def unit_for(file: SourceFile, settings: Settings) -> Unit:
    """The unit of one file alone."""
    projects = Projects()
    folder = file.path.parent
    unit = Unit(settings, _target(folder, settings, projects), [file])
    unit.roots.update(dict.fromkeys(projects.import_roots(folder)))
    return unit


class _Read(NamedTuple):
    """A file as it was read; `shown` is None where its path says how to show it."""

    path: str
    shown: str | None
    data: bytes
    settings: Settings
    named: bool


class _Gathering:
    def __init__(self, finder: SettingsFinder) -> None:
        self._finder = finder
        self._projects = Projects()
        self._units: dict[tuple[Settings, VersionRange], Unit] = {}
        self._gathered = Gathered()
        self._hooked: list[_Read] = []
        """Files that a framework may call into: they matter only where something is hot."""

    def add(self, item: Found | Unreadable) -> None:
        self._gathered.looked_at += 1
        if isinstance(item, Unreadable):
            self._add_unreadable(item, self._finder.at(item.path))
            return
        settings = item.scope.rest
        assert isinstance(settings, Settings)
        data = read_bytes(item.path)
        if isinstance(data, str):
            path = Path(item.path)
            self._add_unreadable(Unreadable(path, show(path), data), settings)
        else:
            self._sort(_Read(item.path, None, data, settings, item.named))

    def add_input(self, given: Input, *, force_exclude: bool) -> None:
        path = Path.cwd() / (given.name or "stdin.py")
        settings = self._finder.at(path.parent)
        if force_exclude and any(patterns.take_within(str(path)) for patterns in settings.excludes):
            return
        self._gathered.looked_at += 1
        shown = show(path) if given.name else "<stdin>"
        self._sort(_Read(str(path), shown, given.data, settings, named=True))

    def finish(self) -> Gathered:
        for held in self._hooked:
            self._take(held, analyzed=self._gathered.hot > 0)
        self._gathered.units = list(self._units.values())
        return self._gathered

    def _sort(self, held: _Read) -> None:
        hot = is_hot(held.data, held.settings.wrappers)
        self._gathered.hot += hot
        if not hot and any(name in held.data for name in _HOOK_TOKENS):
            self._hooked.append(held)
        else:
            self._take(held, analyzed=hot)

    def _take(self, held: _Read, *, analyzed: bool) -> None:
        self._gathered.settings[held.path] = held.settings
        commented = _may_suppress_in_vain(held.data)
        if not (analyzed or held.named or commented) and _is_text(held.data):
            return
        path = Path(held.path)
        file = decode(path, held.shown or show(path), held.data, held.settings.wrappers)
        if isinstance(file, SourceFile) and held.named and not analyzed:
            file = _parsed(file)
        if isinstance(file, Unreadable):
            self._add_unreadable(file, held.settings)
            return
        unit = self._unit(path, held.settings)
        if commented:
            unit.commented.append(file)
        if analyzed:
            unit.files.append(file)
            unit.roots.update(dict.fromkeys(self._projects.import_roots(path.parent)))

    def _add_unreadable(self, unreadable: Unreadable, settings: Settings) -> None:
        self._gathered.settings[str(unreadable.path)] = settings
        self._unit(unreadable.path, settings).unreadable.append(unreadable)

    def _unit(self, path: Path, settings: Settings) -> Unit:
        target = _target(path.parent, settings, self._projects)
        return self._units.setdefault((settings, target), Unit(settings, target))


def _target(folder: Path, settings: Settings, projects: Projects) -> VersionRange:
    return settings.target_version or projects.target(folder) or DEFAULT_TARGET


def _parsed(file: SourceFile) -> SourceFile | Unreadable:
    """A named file that is not analyzed, or why it cannot be parsed."""
    from xlalint.analysis.parsing import parse_file

    tree = parse_file(file)
    file.tree = None
    return tree if isinstance(tree, Unreadable) else file


def _is_text(data: bytes) -> bool:
    """Whether there is surely nothing wrong with the bytes of a file; a quick look."""
    if b"\0" in data:
        return False
    if data.isascii():
        return True
    try:
        data.decode()
    except UnicodeDecodeError:
        return False  # unless it declares another encoding
    return True


def _may_suppress_in_vain(data: bytes) -> bool:
    # Two searches for fixed bytes are far quicker than one for a pattern, and mostly end it.
    if not (b"xlalint:" in data or (b"XLA" in data and b"noqa" in data)):
        return False
    from xlalint.sources.suppressions import may_be_unused

    return may_be_unused(data)
