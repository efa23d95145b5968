"""The modules of the project: found by name, outlined when first asked for, never imported."""

from __future__ import annotations

import ast
import os
import re
from collections.abc import Callable
from itertools import chain
from pathlib import Path
from typing import Final

from xlalint.configuration import Configuration, Framework, Local
from xlalint.knowledge.functions import OTHER_BACKENDS
from xlalint.knowledge.stubs import shipped
from xlalint.lazy.site import FRAMEWORK
from xlalint.program.outline import Outline
from xlalint.program.words import holds_word
from xlalint.sources.settings_files import SettingsFiles
from xlalint.sources.starting import Given, Starting

OpenModule = Callable[[Path], "tuple[str, ast.Module] | None"]
ReadText = Callable[[Path], "str | None"]


ABOUT_FILES: Final = frozenset(
    {"module", "module name", "settings", "several given", "set to xla", "started with", "switched off"}
)
"""Facts that change with files that come and go, or are no source, not with the text of those that they are
about."""


class Project:
    """Finds modules from the files under check outward, as an import at run time would."""

    def __init__(
        self,
        configuration: Configuration,
        open_module: OpenModule,
        read_text: ReadText | None = None,
        apart: int = 1,
    ) -> None:
        """
        Args:
            open_module: The text and syntax tree of a file, or None when it cannot be had.
            read_text: The text alone; None where what nobody has outlined is not looked at when it changes.
            apart: How far the numbers of lines lie apart; see `sections.Sections`.
        """
        self._at = configuration.at
        self._apart = apart
        self._open_module = open_module
        self._read_text = read_text
        self._texts: dict[Path, str | None] = {}
        """Of modules that are asked for no more than whether they have something."""
        self._outlines: dict[Path, Outline | None] = {}
        self._paths: dict[str, Path] = {}
        self._roots: dict[str, tuple[str, ...]] = {}
        self._found: dict[tuple[str, str], str | None] = {}
        self._is_package: dict[str, bool] = {}
        self._listed: dict[str, frozenset[str] | None] = {}
        self._shown_settings: dict[str, str] = {}
        self._packages: dict[str, dict[str, list[Framework]]] = {}
        self._starts: dict[tuple[str, str], bool] = {}
        self._settings_files: dict[str, SettingsFiles] = {}
        self._starting: Starting | None = None

    @property
    def outlined(self) -> int:
        """How many modules have been outlined."""
        return sum(outline is not None for outline in self._outlines.values())

    def close(self) -> None:
        """Forget all modules; see `Program.close`."""
        for outline in self._outlines.values():
            if outline is not None:
                outline.close()
        self._outlines.clear()
        self._texts.clear()
        self._packages.clear()

    def path(self, file: str) -> Path:
        """The path of a file; one object for each, as paths are slow to make and to look up anew."""
        path = self._paths.get(file)
        if path is None:
            path = self._paths[file] = Path(file)
        return path

    def outline(self, path: Path) -> Outline | None:
        """The outline of a file; None when it cannot be read or parsed."""
        if path not in self._outlines:
            if str(path).startswith(FRAMEWORK):
                return self._framework_in(str(path))
            self._outlines[path] = None
            opened = self._open_module(path)
            if opened is not None:
                text, tree = opened
                name, is_package = self.module_name(path)
                false = OTHER_BACKENDS.union(self.settings(path).false_tests)
                self._outlines[path] = Outline(path, text, tree, name, is_package, false, self._apart)
        return self._outlines[path]

    def lacks(self, path: Path, name: str) -> bool:
        """Whether a module surely does not define a name: it stands nowhere in its text, and none is made up.

        The text tells, so that no file is parsed for this alone.
        """
        text = self._text(path)
        if text is None or holds_word(text, name):
            return False
        return _ALL_NAMES.search(text) is None and not any(word in text for word in _MAKING_NAMES)

    def says(self, path: Path, word: str) -> bool:
        """Whether a word stands in the text of a module; no file is parsed for this."""
        text = self._text(path)
        return text is not None and holds_word(text, word)

    def _text(self, path: Path) -> str | None:
        outline = self._outlines.get(path)
        if outline is None and self._read_text is None:
            outline = self.outline(path)
        if outline is not None:
            return outline.text
        if path not in self._texts:
            self._texts[path] = self._read_text(path) if self._read_text is not None else None
        return self._texts[path]

    def framework_of(self, name: str, outline: Outline) -> tuple[Outline, str] | None:
        """The program that says what the framework does which has something of this dotted name.

        It stands for all modules of the framework, so that only the last part of the name counts. Returns
        how the program calls it, too.
        """
        package, _, rest = name.partition(".")
        if rest and (known := self._by_package(outline).get(package)) is not None:
            for framework in known:
                if any(name.startswith(f"{module}.") for module in framework.modules):
                    found = self.framework(framework)
                    meant = framework.meant_by(name.rpartition(".")[2])
                    if meant in found.bindings:
                        return found, meant
        return None

    def framework(self, framework: Framework) -> Outline:
        """The outline of what is known of a framework."""
        path = self.path(framework.file)
        outline = self._outlines.get(path)
        if outline is None:
            tree = ast.parse(framework.text)
            outline = Outline(path, framework.text, tree, framework.name, is_package=True)
            self._outlines[path] = outline
        return outline

    def _framework_in(self, file: str) -> Outline | None:
        """The outline of what is known of a framework, by what stands for its file."""
        own = (self.frameworks(outline) for outline in self._outlines.values() if outline is not None)
        known = chain(shipped(), chain.from_iterable(own))
        return next((self.framework(each) for each in known if each.file == file), None)

    def frameworks(self, outline: Outline) -> tuple[Framework, ...]:
        """The frameworks of which something is known in a module, those of the settings first."""
        own = () if outline.is_framework else self.settings(outline.path).frameworks
        return (*own, *shipped())

    def _by_package(self, outline: Outline) -> dict[str, list[Framework]]:
        known = self._packages.get(outline.folder)
        if known is None:
            known = self._packages[outline.folder] = {}
            for framework in self.frameworks(outline):
                for package in framework.packages:
                    known.setdefault(package, []).append(framework)
        return known

    def module_name(self, path: Path) -> tuple[str, bool]:
        """The dotted name a file is imported by, and whether it is a package's `__init__`."""
        around, file = os.path.split(path)
        stem = os.path.splitext(file)[0]  # noqa: PTH122
        is_package = stem == "__init__"
        parts = [] if is_package else [stem]
        folder = around
        while self._has_init(folder):
            folder, name = os.path.split(folder)
            parts.append(name)
        return ".".join(reversed(parts)) or os.path.basename(around), is_package  # noqa: PTH119

    @property
    def opened(self) -> list[Path]:
        """The files that have been looked into."""
        return [path for path, outline in self._outlines.items() if not (outline and outline.is_framework)]

    def fact(self, kind: str, file: str, detail: str) -> str:
        """The present value of one of the facts `ABOUT_FILES`."""
        if kind == "module":
            return self.locate_from(detail, file) or ""
        path = self.path(file)
        if kind == "module name":
            return " ".join(map(str, self.module_name(path)))
        if kind == "switched off":
            return self.switched_off(path, tuple(detail.split("\n")))
        if kind == "set to xla":
            return self.set_to_xla(path, tuple(detail.split("\n")))
        if kind == "started with":
            return str(self.is_started_with(path, detail))
        if kind == "several given":
            return repr(self.several_given(path, detail))
        folder = os.path.dirname(file)  # noqa: PTH120 - there are many files to a folder
        shown = self._shown_settings.get(folder)
        if shown is None:
            shown = self._shown_settings[folder] = repr(self.settings(path))
        return shown

    @property
    def reads_settings_of_programs(self) -> bool:
        """Whether the files have been looked into that programs read settings from."""
        return bool(self._settings_files) or self._starting is not None

    def switched_off(self, path: Path, names: tuple[str, ...]) -> str:
        """A file around a source file in which a setting of the program is off; `SettingsFiles.off_in`."""
        around = self._settings_around(path)
        return around.off_in(names) if around is not None else ""

    def set_to_xla(self, path: Path, names: tuple[str, ...]) -> str:
        """A file around a source file in which a setting of the program is the name of an XLA device."""
        around = self._settings_around(path)
        return around.xla_in(names) if around is not None else ""

    def _settings_around(self, path: Path) -> SettingsFiles | None:
        roots = self.settings(path).roots
        if not roots:
            return None
        root = str(roots[0])
        known = self._settings_files.get(root)
        if known is None:
            known = self._settings_files[root] = SettingsFiles(root)
        return known

    def is_started_with(self, path: Path, variable: str) -> bool:
        """Whether what is said around a source file of how it is started names an environment variable."""
        roots = self.settings(path).roots
        return bool(roots) and self._ways_to_start().names(variable, str(path.parent), str(roots[0]))

    def several_given(self, path: Path, option: str) -> Given | None:
        """A number above one that some command of the program gives an option of a script."""
        roots = self.settings(path).roots
        return self._ways_to_start().several(path.as_posix(), option, str(roots[0])) if roots else None

    def _ways_to_start(self) -> Starting:
        if self._starting is None:
            self._starting = Starting()
        return self._starting

    def settings(self, path: Path) -> Local:
        """What holds for a file beside what it says itself."""
        return self._at(path.parent)

    def locate(self, name: str, importer: Path) -> Path | None:
        """The file of the module that `name` means in the file `importer`; None where there is none."""
        found = self.locate_from(name, os.path.dirname(importer))  # noqa: PTH120
        return None if found is None else self.path(found)

    def locate_from(self, name: str, folder: str) -> str | None:
        """The same for all files of a folder. A script's own folder comes first, as it does for Python.

        It is asked for every import, and `os` is several times faster there than `pathlib`.
        """
        roots = self._roots.get(folder)
        if roots is None:
            further = map(str, self._at(Path(folder)).roots)
            roots = self._roots[folder] = tuple(dict.fromkeys((self._import_root(folder), folder, *further)))
        first = name.partition(".")[0]
        for root in roots:
            if self._starts_with(root, first):
                found = self._find_below(root, name)
                if found is not None:
                    return found
        return None

    def import_root(self, folder: Path) -> Path:
        """The folder that the packages around a folder are imported from."""
        return Path(self._import_root(str(folder)))

    def _import_root(self, folder: str) -> str:
        while self._has_init(folder):
            folder = os.path.dirname(folder)  # noqa: PTH120
        return folder

    def _has_init(self, folder: str) -> bool:
        known = self._is_package.get(folder)
        if known is None:
            known = self._is_package[folder] = self._is_file(folder, "__init__.py")
        return known

    def _starts_with(self, root: str, first: str) -> bool:
        starts = self._starts.get((root, first))
        if starts is None:
            # A relative import where no package is seen has no first name.
            starts = (
                not first
                or (self._may_hold(root, first) and _is_directory(f"{root}{os.sep}{first}"))
                or self._is_file(root, f"{first}.py")
            )
            self._starts[root, first] = starts
        return starts

    def _find_below(self, root: str, name: str) -> str | None:
        key = (root, name)
        if key not in self._found:
            folders, _, last = name.rpartition(".")
            around = f"{root}{os.sep}{folders.replace('.', os.sep)}" if folders else root
            package = f"{around}{os.sep}{last}"
            found = None
            if self._may_hold(around, last) and self._has_init(package):
                found = f"{package}{os.sep}__init__.py"
            elif self._is_file(around, f"{last}.py"):
                found = f"{package}.py"
            self._found[key] = found
        return self._found[key]

    def _is_file(self, folder: str, name: str) -> bool:
        return self._may_hold(folder, name) and _is_file(f"{folder}{os.sep}{name}")

    def _may_hold(self, folder: str, name: str) -> bool:
        """Whether something of this name may be in a folder. Most names that are asked for are in none, and
        to list a folder once is faster than to ask for each."""
        if folder not in self._listed:
            self._listed[folder] = _names_in(folder)
        names = self._listed[folder]
        return names is None or name in names


_ALL_NAMES: Final = re.compile(r"\bimport[ \t]*\*")
BINDING_ANY_NAME: Final = ("builtins", "exec(", "globals(", "locals(", "vars(", "sys.modules")
"""Texts in modules that may bind names which no statement does."""
_MAKING_NAMES: Final = (*BINDING_ANY_NAME, "__getattr__", "__dict__", "setattr(")
"""The same of names that others ask a module for."""


def _is_file(path: str) -> bool:
    return os.path.isfile(path)  # noqa: PTH113 - unlike `Path.is_file`, never raises for what it may not see


def _is_directory(path: str) -> bool:
    return os.path.isdir(path)  # noqa: PTH112 - the same


def _names_in(folder: str) -> frozenset[str] | None:
    """The names in a folder, none where there is no such; None where it may not be listed."""
    try:
        return frozenset(os.listdir(folder))  # noqa: PTH208 - see `locate_from`
    except (FileNotFoundError, NotADirectoryError):
        return frozenset()
    except (OSError, ValueError):
        return None
