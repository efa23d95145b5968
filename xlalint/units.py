"""Which files are analyzed together, and which of them are to be reported: projects.

What is reported is what the user names. What is analyzed is the project that it belongs to, so that the
answer for a file is the same whatever else is named. Files are found, read and decoded here, and nowhere
parsed but to say that a named file does not.
"""

from __future__ import annotations

import os
import re
import time
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from xlalint.configuration import Configuration, Framework, Local
from xlalint.knowledge.functions import BRINGING_XLA
from xlalint.knowledge.stubs import shipped
from xlalint.settings import Settings, SettingsFinder
from xlalint.sources.discovery import Found, Scope, discover
from xlalint.sources.file import NOTEBOOK, SourceFile, Unreadable, decode, digest, read_bytes, show
from xlalint.sources.imports import imported
from xlalint.sources.project import Projects, is_bounded
from xlalint.sources.usage import (
    DERIVES,
    ELSEWHERE,
    HANDS,
    OFFERS,
    TRAINS,
    brings_xla,
    shared,
    touched,
)
from xlalint.versions import DEFAULT_TARGET, VersionRange

if TYPE_CHECKING:
    from xlalint.sources.suppressions import Remembered, Suppressions

_ENCODING = re.compile(rb"coding[:=][ \t]*([-\w.]+)")
"""How a file declares, in its first two lines, that it is not UTF-8."""

_SETTLED = 2_000_000_000
"""So many nanoseconds after it was written, a file's time tells whether it was written once more."""


class Input(NamedTuple):
    """A file that is not read from disk."""

    name: str | None
    data: bytes

    @property
    def path(self) -> str:
        """Where it would stand."""
        return os.path.abspath(self.name or "stdin.py")  # noqa: PTH100 - keeps links


class Stat(NamedTuple):
    """What tells, without reading it, that a file has not changed."""

    size: int
    modified: int
    inode: int


class Traits(NamedTuple):
    """What the bytes of a file say at a glance.

    Args:
        hot: It brings XLA: it imports torch_xla, or names an XLA device.
        commented: It may hold comments that suppress in vain.
        sound: There is surely nothing wrong with its encoding.
    """

    hot: bool
    commented: bool
    sound: bool


class Known(NamedTuple):
    """What was known of a file when it had this stat."""

    stat: Stat
    digest: str
    traits: Traits
    touched: tuple[str, ...] = ()
    """What it has to do with frameworks; see `usage.touched`."""
    imports: tuple[str, ...] | None = None
    """What it may import, where that was looked for."""
    suppressions: Remembered | None = None
    """What its comments suppress, where that was looked for; see `Suppressions.to_remember`."""

    @property
    def counts(self) -> bool:
        """Whether something in the file may be analyzed by itself, not only where a call leads there."""
        return self.traits.hot or bool(self.touched)


class File:
    """One file of a project, read when it must be."""

    __slots__ = (
        "_data", "_digest", "_imports", "_known", "_suppressions", "_touched", "_traits", "given", "path",
        "settings", "shown", "stat",
    )  # fmt: skip

    def __init__(
        self, path: str, settings: Settings, *, data: bytes | None = None, shown: str | None = None
    ) -> None:
        """
        Args:
            data: What stands in the file, where it is not read from disk.
            shown: How it is named then.
        """
        self.path = path
        self.settings = settings
        self.shown = shown
        self.given = data is not None
        self.stat: Stat | None = None
        self._data: bytes | str | None = data
        self._digest: str | None = None
        self._traits: Traits | None = None
        self._touched: tuple[str, ...] | None = None
        self._imports: tuple[str, ...] | None = None
        self._suppressions: Remembered | None = None
        self._known: Known | None = None
        """What was known before, if that is what it is."""

    def compare(self, known: Known | None) -> None:
        """Look at the file, and take what is known of it if it has not changed since."""
        self.stat = None if self.given else _stat(self.path)
        self._known = None
        if known is not None and known.stat == self.stat:
            self._digest, self._traits, self._imports = known.digest, known.traits, known.imports
            self._touched, self._suppressions = known.touched, known.suppressions
            self._known = known

    @property
    def data(self) -> bytes | str:
        """What stands in the file; or, as a string, why it cannot be read."""
        if self._data is None:
            self._data = read_bytes(self.path)
        return self._data

    @property
    def program(self) -> bytes | str:
        """The Python in the file: all of it, but for notebooks."""
        if not self._is_notebook:
            return self.data
        source = self.source(hot=False)
        return source.text.encode("utf-8", "replace") if isinstance(source, SourceFile) else source.reason

    @property
    def _is_notebook(self) -> bool:
        return self.path.endswith(NOTEBOOK)

    @property
    def _names_xla(self) -> bool:
        return not isinstance(self.data, str) and b"torch_xla" in self.data

    @property
    def _has_broken_cells(self) -> bool:
        source = self.source(hot=False)
        notebook = source.notebook if isinstance(source, SourceFile) else None
        return notebook is not None and bool(notebook.broken)

    @property
    def digest(self) -> str:
        """What changes when the file does; empty where it cannot be read."""
        if self._digest is None:
            data = self.data
            self._digest = "" if isinstance(data, str) else digest(data)
        return self._digest

    @property
    def traits(self) -> Traits:
        """What the bytes say at a glance."""
        if self._traits is None:
            data = self.program
            if isinstance(data, str):
                self._traits = Traits(False, False, self._is_notebook and not self._names_xla)
            else:
                hot = brings_xla(data, self.settings.packages)
                sound = not self._has_broken_cells if self._is_notebook else _is_text(data)
                self._traits = Traits(hot, _may_suppress_in_vain(data), sound)
        return self._traits

    @property
    def hands_to(self) -> set[str]:
        """The frameworks that it hands something to, on a device that may be XLA's."""
        return self._touches(HANDS)

    @property
    def derives_from(self) -> set[str]:
        """The frameworks that classes of its have a base in."""
        return self._touches(DERIVES)

    @property
    def trains_elsewhere(self) -> set[str]:
        """The frameworks that it hands something to, on other devices than XLA's."""
        return self._touches(ELSEWHERE)

    def _touches(self, verb: str) -> set[str]:
        return {how.removeprefix(verb) for how in self.touched if how.startswith(verb)}

    @property
    def touched(self) -> tuple[str, ...]:
        """What it has to do with frameworks; see `usage.touched`."""
        if self._touched is None:
            data = self.program
            known = (*shipped(), *self.settings.stubs)
            self._touched = () if isinstance(data, str) else self._look(data, known)
        return self._touched

    def _look(self, data: bytes, known: tuple[Framework, ...]) -> tuple[str, ...]:
        return (*touched(self.path, data, known), *shared(data, BRINGING_XLA, hot=self.traits.hot))

    @property
    def trains(self) -> bool:
        """Whether it computes gradients without bringing XLA itself."""
        return TRAINS in self.touched

    @property
    def offers(self) -> set[str]:
        """The functions by which it brings XLA to others."""
        return self._touches(OFFERS)

    @property
    def counts(self) -> bool:
        """Whether something in the file may be analyzed by itself, not only where a call leads there."""
        return not self._is_stub and (self.traits.hot or bool(self.touched))

    @property
    def _is_stub(self) -> bool:
        """Whether the file is the program of a framework, which is read and not looked at."""
        return bool(self.settings.frameworks) and any(
            framework.path == self.path for framework in self.settings.stubs
        )

    @property
    def imports(self) -> tuple[str, ...]:
        """The names of what it may import; see `imported`."""
        if self._imports is None:
            data = self.program
            self._imports = () if isinstance(data, str) else imported(data)
        return self._imports

    def suppressions(self, source: SourceFile, names: Collection[str]) -> Suppressions:
        """What its comments suppress.

        Args:
            source: Its text.
            names: The names of rules.
        """
        from xlalint.sources.suppressions import find_suppressions, remembered

        if self._suppressions is None:
            self._suppressions = find_suppressions(source, names).to_remember()
        return remembered(self._suppressions)

    def to_remember(self) -> Known | None:
        """What may be remembered of the file; None where it is not on disk, or cannot be read."""
        known = self._known
        if known is not None and (known.imports, known.suppressions) == (self._imports, self._suppressions):
            return known
        if self.stat is None or not self.digest:
            return None
        stat = self.stat
        if stat.modified > time.time_ns() - _SETTLED:
            # It may change once more without looking different.
            stat = stat._replace(modified=0)
        return Known(stat, self.digest, self.traits, self.touched, self._imports, self._suppressions)

    def source(self, *, hot: bool | None = None) -> SourceFile | Unreadable:
        """The text.

        Args:
            hot: Whether it brings XLA, where that is not to be found out.
        """
        path = Path(self.path)
        data = self.data
        if isinstance(data, str):
            return Unreadable(path, self.shown or show(path), data)
        return decode(path, self.shown or show(path), data, hot=self.traits.hot if hot is None else hot)


class Unit:
    """A project: files that are analyzed together.

    Args:
        root: The folder that it lies below.
        files: All its files, by path.
        asked: The paths of those to be reported; what is said of others is dropped.
        named: Those of them that the user named, rather than a folder around them.
        unreadable: What is to be reported because it cannot be read.
    """

    def __init__(self, root: Path, locals_: Locals) -> None:
        self.root = root
        self.is_foreign = False
        """Whether a file is among them that was named and is not the project's own."""
        self.files: dict[str, File] = {}
        self.asked: set[str] = set()
        self.named: set[str] = set()
        self.unreadable: list[Unreadable] = []
        self._locals = locals_
        self._known: dict[Path, Local] = {}

    def with_texts(self, texts: Mapping[str, bytes], asked: set[str], reread: Collection[str] = ()) -> Unit:
        """The same project with other texts in some of its files, of which others are asked for.

        Args:
            texts: By path, what stands in files instead of what is on disk.
            asked: The paths of files of its own.
            reread: The paths of files that have changed on disk.
        """
        given = {path for path, file in self.files.items() if file.given} | (texts.keys() & self.files.keys())
        changed = {
            path: File(path, self.files[path].settings, data=texts.get(path))
            for path in given.union(reread)
            if not self.files[path].given or self.files[path].data != texts.get(path)
        }
        unit = self.with_files(changed)
        unit.asked, unit.named = asked, set(asked)
        return unit

    def with_files(self, files: Mapping[str, File]) -> Unit:
        """The same project with other files in the place of some."""
        unit = Unit(self.root, self._locals)
        unit._known = self._known
        unit.asked, unit.named = self.asked, self.named
        unit.files = {**self.files, **files}
        return unit

    @property
    def configuration(self) -> Configuration:
        """What the analysis runs under."""
        return Configuration(self._at)

    def _at(self, folder: Path) -> Local:
        """What holds in a folder. Imports start from this root, where nothing says which project it is."""
        known = self._known.get(folder)
        if known is None:
            found = self._locals.at(folder)
            known = self._known[folder] = found if found.roots else found._replace(roots=(self.root,))
        return known

    @cached_property
    def counting(self) -> dict[str, File]:
        """The files that may hold something to be analyzed by itself."""
        return {path: file for path, file in self.files.items() if file.counts}

    @cached_property
    def hot(self) -> set[str]:
        """The files that bring XLA."""
        return {path for path, file in self.counting.items() if file.traits.hot}

    @cached_property
    def candidates(self) -> set[str]:
        """The others that use a framework which does; in its own tree, only what derives from its classes."""
        return {
            path
            for path, file in self.counting.items()
            if path not in self.hot
            and (path in self.users or any((path, name) not in self.elsewhere for name in file.derives_from))
        }

    @cached_property
    def users(self) -> set[str]:
        """Those of the candidates that do not stand in the tree of a framework that they use."""
        own = {framework.name for framework in shipped() if self._holds(framework)}
        packages = {framework.name: framework.packages for framework in shipped()}
        found = set()
        for path, file in self.counting.items():
            if path not in self.hot:
                derives = {name for name in file.derives_from if (path, name) not in self.elsewhere}
                used = (file.hands_to | derives) - own
                if any(not self._is_within(path, packages.get(name, ())) for name in used):
                    found.add(path)
        return found

    @cached_property
    def elsewhere(self) -> set[tuple[str, str]]:
        """Files, each with a framework that trains its classes on other devices than XLA's.

        The file says so itself, or all files that make a trainer do.
        """
        counting = self.counting.values()
        only = {name for file in counting for name in file.trains_elsewhere}
        only -= {name for file in counting for name in file.hands_to}
        return {
            (file.path, name)
            for file in counting
            for name in file.derives_from
            if name in only or name in file.trains_elsewhere
        }

    @cached_property
    def uses_xla(self) -> bool:
        """Whether anything says that the project runs on XLA: its code, its requirements, or settings."""
        return bool(self.hot) or self.says_xla

    @cached_property
    def says_xla(self) -> bool:
        """Whether its requirements or settings do."""
        asked = any(each.target_version is not None or each.frameworks for each in self.all_settings)
        return asked or self._locals.projects.requires(self.root)

    @cached_property
    def analyzed(self) -> set[str]:
        """The files that hold something to be analyzed by itself."""
        return self.hot | self.candidates | self.helped if self.uses_xla else set()

    @cached_property
    def helped(self) -> set[str]:
        """The files that train on XLA by what another of the project offers them."""
        offered: dict[str, set[str]] = {}
        for path in self.hot:
            file = self.files[path]
            if file.offers:
                stem = Path(path).stem
                name = Path(path).parent.name if stem == "__init__" else stem
                offered.setdefault(name, set()).update(file.offers)
        if not offered:
            return set()
        return {
            path
            for path, file in self.counting.items()
            if file.trains and path not in self.hot and _takes(file.imports, offered)
        }

    def _is_within(self, path: str, packages: Iterable[str]) -> bool:
        """Whether a file belongs to one of some packages."""
        for package in packages:
            before, inside, _ = path.rpartition(f"{os.sep}{package}{os.sep}")
            if inside and f"{before}{inside}__init__.py" in self.files:
                return True
        return False

    def _holds(self, framework: Framework) -> bool:
        """Whether the project is a framework itself."""
        folders = (str(self.root), os.path.join(self.root, "src"))  # noqa: PTH118
        return any(
            os.path.join(folder, package, "__init__.py") in self.files  # noqa: PTH118
            for folder in folders
            for package in framework.packages
        )

    @property
    def all_settings(self) -> set[Settings]:
        """The settings that hold for any of its files."""
        # There are many files to one object, and to compare what it holds is slow.
        return set({id(file.settings): file.settings for file in self.files.values()}.values())

    def settings(self, folder: Path) -> Settings:
        """The settings that hold in a folder, of this project or beside it."""
        return self._locals.settings(folder)

    def target(self, path: str) -> VersionRange:
        """The versions of torch_xla that a file must run on."""
        return self._locals.target(Path(path).parent)


def _takes(imports: Iterable[str], offered: Mapping[str, set[str]]) -> bool:
    """Whether a file imports something of what modules offer, or all of such a module."""
    names = [name.lstrip(".") for name in imports]
    # `from utils import x` names `utils` as well.
    parents = {name.rpartition(".")[0] for name in names}
    for name in names:
        parent, _, last = name.rpartition(".")
        if last in offered.get(parent.rpartition(".")[2], ()) or (last in offered and name not in parents):
            return True
    return False


class Locals:
    """What holds in each folder."""

    def __init__(self, finder: SettingsFinder) -> None:
        self._finder = finder
        self.projects = Projects()
        self._known: dict[Path, Local] = {}

    def at(self, folder: Path) -> Local:
        """What the analysis must know of a folder."""
        known = self._known.get(folder)
        if known is None:
            settings = self._finder.at(folder)
            roots = self.projects.import_roots(folder)
            known = self._known[folder] = Local(
                settings.packages, settings.stubs, settings.other_backends, roots
            )
        return known

    def settings(self, folder: Path) -> Settings:
        """The settings that hold in a folder."""
        return self._finder.at(folder)

    def target(self, folder: Path) -> VersionRange:
        """The versions of torch_xla that the files of a folder must run on."""
        return self._finder.at(folder).target_version or self.projects.target(folder) or DEFAULT_TARGET


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


def _stat(path: str) -> Stat | None:
    try:
        found = os.stat(path)  # noqa: PTH116 - asked for every file
    except OSError:
        return None
    return Stat(found.st_size, found.st_mtime_ns, found.st_ino)


def _is_text(data: bytes) -> bool:
    """Whether there is surely nothing wrong with the bytes of a file; a quick look."""
    second = data.find(b"\n") + 1
    third = second and data.find(b"\n", second) + 1
    declared = _ENCODING.search(data, 0, third or len(data))
    if b"\0" in data or (declared is not None and declared[1].lower() not in (b"utf-8", b"utf8")):
        return False
    if data.isascii():
        return True
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True


def _may_suppress_in_vain(data: bytes) -> bool:
    # Two searches for fixed bytes are far quicker than one for a pattern, and mostly end it.
    if not (b"xlalint:" in data or (b"XLA" in data and b"noqa" in data)):
        return False
    from xlalint.sources.suppressions import may_be_unused

    return may_be_unused(data)
