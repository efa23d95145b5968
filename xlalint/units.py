"""A project: files that are analyzed together, so that the answer for one is the same whatever else is named.

What of it is analyzed is said by what its files hold; nothing is parsed for that.
"""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from functools import cached_property
from pathlib import Path

from xlalint.configuration import Configuration, Framework, Local
from xlalint.files import File
from xlalint.knowledge.packages import IMPORT_XLA, WITHOUT_XLA
from xlalint.knowledge.stubs import shipped
from xlalint.settings import Settings, SettingsFinder
from xlalint.sources.file import Unreadable, digest
from xlalint.sources.imports import from_folder, of_folder
from xlalint.sources.project import Projects, roots_in
from xlalint.sources.usage import LIBRARIES
from xlalint.versions import DEFAULT_TARGET, VersionRange


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
            known = self._known[folder] = found if found.roots else found._replace(roots=roots_in(self.root))
        return known

    @cached_property
    def counting(self) -> dict[str, File]:
        """The files that may hold something to be analyzed by itself."""
        found = {}
        for path, file in self.files.items():
            if file.counts:
                found[path] = file
            else:
                file.let_go()  # of the others, few are opened again
        return found

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
        """Those of the candidates that do not stand in the tree of a framework that they use, without what
        something else starts on XLA."""
        return self._using - self.started

    @cached_property
    def started(self) -> set[str]:
        """Those that use a framework, and that something else, such as a shell script, starts on XLA."""
        starts = self._locals.projects.starts_on_xla
        return {path for path in self._using if starts(path, self.root)}

    @cached_property
    def _using(self) -> set[str]:
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
    def guessed(self) -> set[str]:
        """Those of the users of which only other files say that they run on XLA.

        They make no trainer, which somebody else does; or no such file stands beside them, but perhaps one
        whose own trainer uses XLA, and they import none; or the same program stands beside them for XLA,
        such as `train_tpu.py` beside `train.py`.
        """
        ported = {(file.parent, _FOR_XLA.sub("", file.stem)) for file in map(Path, self.hot)}
        waiting = {
            path
            for path in self.users
            if not self.files[path].hands_to or (Path(path).parent, Path(path).stem) in ported
        }
        if self.says_xla:
            return waiting
        folders = {Path(path).parent for path in self.hot if not self.files[path].traits.asking}
        names = {name for path in self.hot for name in _tails(self._parts(path))}
        return waiting | {
            path
            for path in self.users
            if Path(path).parent not in folders
            and not any(name in names for each in self.files[path].imports for name in _heads(each))
        }

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
        """Whether anything says that the project runs on XLA: its code, what it requires, what starts it, or
        settings."""
        return bool(self.hot or self.started) or self.says_xla

    @cached_property
    def says_xla(self) -> bool:
        """Whether its requirements or settings do."""
        asked = any(each.target_version is not None or each.frameworks for each in self.all_settings)
        return asked or self._locals.projects.requires(self.root)

    @cached_property
    def said(self) -> str:
        """What changes when something else than the texts of its files says otherwise which are analyzed."""
        told = [str(self.says_xla), *sorted(self.started), "", *sorted(self.files)]
        return digest("\n".join(told).encode("utf-8", "surrogateescape"))

    @cached_property
    def analyzed(self) -> set[str]:
        """The files that hold something to be analyzed by itself."""
        if not self.uses_xla:
            return set()
        return self.hot | self.started | self._on_xla | self.helped

    @cached_property
    def _on_xla(self) -> set[str]:
        """The candidates of which something says that they run on XLA."""
        return self.candidates if self.says_xla else {*filter(self._is_near, self.candidates)}

    def _is_near(self, path: str) -> bool:
        """Whether files that are for XLA tell anything of this one: some that bring it stand in the same part
        of the project, or in none, or one imports what has the name of the other.

        A repository may hold several projects side by side, of which one runs on XLA.
        """
        parts, (tops, names, imported) = self._parts(path), self._near
        return (
            "" in tops
            or (len(parts) == 1 and bool(tops))
            or parts[0] in tops
            or not imported.isdisjoint(parts)
            or any(not names.isdisjoint(name.split(".")) for name in self.files[path].imports)
        )

    @cached_property
    def _near(self) -> tuple[set[str], set[str], set[str]]:
        """Of the files that bring XLA, the folders right below the root, which itself is nameless; of those
        that are started on it, too, all names of folders and files, and all names that they import."""
        tops: set[str] = set()
        names: set[str] = set()
        imported: set[str] = set()
        for path in self.hot | self.started:
            parts = self._parts(path)
            if path in self.hot:
                tops.add(parts[0] if len(parts) > 1 else "")
            names.update(parts)
            imported.update(part for name in self.files[path].imports for part in name.split("."))
        return tops, names, imported

    def _parts(self, path: str) -> tuple[str, ...]:
        """The folders from the root to a file, and the name that it is imported by."""
        inside = Path(path).relative_to(self.root) if Path(path).is_relative_to(self.root) else Path(path)
        return (*inside.parts[:-1], inside.stem)

    @cached_property
    def helped(self) -> set[str]:
        """The files that use XLA by what another of the project offers them, or passes on."""
        return self._trainers | self._takers

    @cached_property
    def _takers(self) -> set[str]:
        """The files that use torch_xla by names that others of the project import of it."""
        found: set[str] = set()
        passed = {path: self.files[path].passes for path in self.hot}
        while by_module := _by_module(passed):
            others = self._called_alike(by_module, found)
            asked = sorted((name, sorted(names)) for name, names in by_module.items()), sorted(others)
            known_by = digest(repr(asked).encode())[:8]
            passed = {
                path: {*taken}
                for path, file in self.files.items()
                if path not in self.hot
                and path not in found
                and (taken := file.takes(by_module, others, known_by))
            }
            found |= passed.keys()
        return found

    def _called_alike(
        self, offered: Mapping[str, object], found: AbstractSet[str] = frozenset()
    ) -> frozenset[str]:
        """Modules that bring no XLA, but are called like some that do: `utils_gpu.steps` and `utils.steps`.

        Args:
            offered: By the last part of a module's name, what it offers.
            found: Other files that bring it than hot ones.
        """
        alike = [path for name in offered for path in self._called.get(name, ())]
        of_xla = {_with_folder(path) for path in alike if path in self.hot or path in found}
        return frozenset(map(_with_folder, alike)) - of_xla

    @cached_property
    def _called(self) -> dict[str, list[str]]:
        """The files by the last part of their modules' names, but packages."""
        found: dict[str, list[str]] = {}
        for path in self.files:
            if not _is_package(path):
                found.setdefault(Path(path).stem, []).append(path)
        return found

    @cached_property
    def _trainers(self) -> set[str]:
        """The files that train on XLA by what another of the project offers them, or hand it to one that
        trains, and the scripts that run what these train by."""
        using = self._on_xla - self.guessed
        bringing = self.hot | self.started | {path for path in using if not self._frameworks_around(path)}
        offered = _by_module({path: self._offered(path) for path in bringing})
        if not offered:
            return set()
        training = {path for path, file in self.counting.items() if file.trains}
        names = {Path(path).stem for path in training}
        found: dict[str, set[str]] = {}
        """What each takes of others."""
        by_hot: set[str] = set()
        """Those that take it of hot ones."""
        leading: dict[str, set[str]] = {}
        """By name of what is taken, those who offer it beside the hot ones."""
        while True:
            self._pass_on(offered, names, bringing | found.keys())
            others, telling = self._called_alike(offered, bringing | found.keys()), _telling(offered)
            more = {
                path: taken
                for path, file in self.files.items()
                if path not in self.hot
                and path not in found
                and (path in training or not names.isdisjoint(_parts_of(file.imports)))
                and (taken := _taken(file, offered, telling, others))
            }
            if not more:
                return by_hot | self._run_by_scripts(found, leading)
            by_hot = by_hot or {*more}
            found |= more
            known = frozenset(leading)
            for path, taken in more.items():
                led = self.files[path].leads(taken & known)
                offered.setdefault(_module_in(Path(path)), set()).update(led)
                names.add(_module_in(Path(path)))
                for name in led | taken if _is_package(path) else led:
                    leading.setdefault(name, set()).add(path)

    def _run_by_scripts(self, found: Mapping[str, set[str]], leading: Mapping[str, set[str]]) -> set[str]:
        """The scripts among some files that import by name what trains, and what leads from them there.

        Args:
            found: What each takes of others.
            leading: By name of what is taken, the files that offer it.
        """
        run: set[str] = set()
        waiting = [
            path
            for path in found
            if not leading.keys().isdisjoint(map(_last, self.files[path].imports))
            and self.files[path].is_script
        ]
        while waiting:
            path = waiting.pop()
            if path not in run:
                run.add(path)
                waiting += [each for name in found[path] for each in leading.get(name, ())]
        return run

    def _pass_on(self, offered: dict[str, set[str]], training: set[str], found: AbstractSet[str]) -> None:
        """Add what packages offer of that which they import of their modules.

        Args:
            offered: By the last part of a module's name, what it offers.
            training: The last parts of the names of modules that train.
            found: Other files that bring XLA than hot ones.
        """
        packages = [path for path in self.files if _is_package(path)]
        known, others = -1, self._called_alike(offered, found)
        while known < (grown := sum(map(len, offered.values()))):
            known, telling = grown, _telling(offered)
            for path in packages:
                if taken := _taken(self.files[path], offered, telling, others):
                    offered.setdefault(_module_in(Path(path)), set()).update(taken)
                    if not training.isdisjoint(_parts_of(self.files[path].imports)):
                        training.add(_module_in(Path(path)))

    def _offered(self, path: str) -> set[str]:
        """By which functions and classes a file brings XLA to others that train."""
        file = self.files[path]
        within = [each.classes for each in self._frameworks_around(path)]
        # What a framework offers in its own tree, those use who hand something to it.
        return file.offers.difference(*within) if within else file.offers | file.holds

    @cached_property
    def unregistered(self) -> dict[str, frozenset[str]]:
        """The files that name a device of XLA where nothing in the project brings torch_xla.

        Each with the packages that it imports of which it is not known whether they import torch_xla.
        """
        hot = [self.files[path] for path in sorted(self.hot)]
        if not hot or any(file.settings.packages or _imports_any(file, _BRINGING) for file in hot):
            return {}
        if any(_imports_any(file, _BRINGING) for file in self.files.values()) or any(
            file.may_import_xla for file in hot
        ):
            return {}
        own = {Path(path).stem for path in self.files}.union(*(Path(path).parts for path in self.files))
        return {file.path: frozenset(_roots(file) - own - WITHOUT_XLA) for file in hot}

    @cached_property
    def refusing(self) -> frozenset[str]:
        """The files of which an import may raise: they need what is gone from torch or torch_xla, or import
        others of them, as far as the names of modules tell."""
        if not self.analyzed:
            return frozenset()
        found: set[str] = set()
        adding = {path for path, file in self.files.items() if file.may_need_what_is_gone}
        while adding:
            found |= adding
            names = {_module_in(Path(path)) for path in adding}
            adding = {
                path
                for path, file in self.files.items()
                if path not in found and not names.isdisjoint(_parts_of(file.imports))
            }
        return frozenset(found)

    def _frameworks_around(self, path: str) -> list[Framework]:
        """Those of the frameworks that xlalint knows which a file belongs to."""
        return [each for each in shipped() if self._is_within(path, each.packages)]

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


_FOR_XLA = re.compile(r"_?(?:tpu|xla|neuron)_?", re.IGNORECASE)
"""What a file is called beside the name of the one that it was made of."""


def _roots(file: File) -> set[str]:
    """The packages that a file imports, its own left out where that is seen."""
    return {root for name in file.imports if (root := name.partition(".")[0])}


def _imports_any(file: File, packages: frozenset[str]) -> bool:
    return not packages.isdisjoint(_roots(file))


_BRINGING = frozenset(LIBRARIES) | IMPORT_XLA


def _module_in(path: Path) -> str:
    """The last part of a module's name."""
    return path.parent.name if path.stem == "__init__" else path.stem


def _is_package(path: str) -> bool:
    return path.endswith(f"{os.sep}__init__.py")


def _with_folder(path: str) -> str:
    """The name of a module with that of its folder, by which others may import it."""
    return f"{Path(path).parent.name}.{Path(path).stem}"


def _by_module(names: Mapping[str, set[str]]) -> dict[str, set[str]]:
    """By the last part of a module's name, the names that are known by the path of its file."""
    found: dict[str, set[str]] = {}
    for path, own in names.items():
        if own:
            found.setdefault(_module_in(Path(path)), set()).update(own)
    return found


def _tails(parts: tuple[str, ...]) -> Iterator[str]:
    """The names by which a file may be imported, from whatever folder imports start."""
    return (".".join(parts[first:]) for first in range(len(parts)))


def _heads(name: str) -> Iterator[str]:
    """An imported name, and those of the modules that it may stand in."""
    parts = name.lstrip(".").split(".")
    return (".".join(parts[:count]) for count in range(1, len(parts) + 1))


def _parts_of(imports: Iterable[str]) -> set[str]:
    return {part for name in imports for part in name.split(".")}


def _last(name: str) -> str:
    """What an imported name is called in its module."""
    return name.rpartition(".")[2]


def _telling(offered: Mapping[str, AbstractSet[str]]) -> set[str]:
    """The last parts of the names of which a file must import some to take anything that is offered."""
    return {*offered, *(name for names in offered.values() for name in names)}


def _taken(
    file: File, offered: Mapping[str, AbstractSet[str]], telling: AbstractSet[str], others: AbstractSet[str]
) -> set[str]:
    """What a file imports of that which modules offer: names of theirs, or all of such a module.

    Args:
        telling: See `_telling`.
        others: Modules that offer nothing, and are called like these; see `_called_alike`.
    """
    taken = set[str]()
    for imported in file.imports:
        last = _last(imported)
        if last not in telling:
            continue
        name = from_folder(imported, file.folders)
        parent = name.rpartition(".")[0]
        if of_folder(name) in others or of_folder(parent) in others:
            continue
        if last in offered.get(_last(parent), ()):
            taken.add(last)
        elif last in offered and not _is_parent(imported, file, others):
            taken.update(offered[last])
    return taken


def _is_parent(imported: str, file: File, others: AbstractSet[str]) -> bool:
    """Whether a name is imported for what stands in it alone: `from utils import x` names `utils` as well."""
    return any(
        name.rpartition(".")[0] == imported and of_folder(from_folder(name, file.folders)) not in others
        for name in file.imports
    )


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
