"""Where a project starts, and which versions of torch_xla it requires."""

# `pathlib` raises where a directory may not be entered, and `os.path` says that there is nothing.
# ruff: noqa: PTH110, PTH112, PTH118, PTH120

from __future__ import annotations

import os
import re
import tempfile
from functools import cache
from itertools import chain
from pathlib import Path
from typing import Final, NamedTuple

from xlalint.sources.requirements import locked, requirements
from xlalint.sources.starting import Starting
from xlalint.versions import LATEST, Version, VersionRange

_FIRST_OF_2: Final = (2, 0)
"""The low end where a project only names an upper bound."""
_LAST_OF_1: Final = (1, 13)
_ROOT_MARKS: Final = ("pyproject.toml", "setup.py", "setup.cfg")
_DISTRIBUTION: Final = re.compile(
    r"(?i)(?<![\w.-])torch[-_.](?:xla|neuronx)(?![\w-])\s*(?:\[[^\]]*\])?\s*(?P<rest>.*)"
)
_IN_ADDRESS: Final = re.compile(r"(?i)torch[-_](?:xla|neuronx)-(\d{1,9})\.(\d{1,9})")
_CLAUSE: Final = re.compile(r"(===|==|~=|>=|<=|!=|>|<|\^|~|=)?\s*v?(\d{1,9})\.?(\d{1,9})?([\w.*+!-]*)")
"""No number is longer than nine digits, because Python refuses to read one of some thousand."""


def roots_in(root: Path) -> tuple[Path, ...]:
    """The folders of a project that imports start from."""
    source = root / "src"
    return (root, source) if os.path.isdir(source) else (root,)


class Projects:
    """Looks projects up, and remembers them for the time of one command."""

    def __init__(self) -> None:
        self._roots: dict[str, Path | None] = {}
        self._targets: dict[Path, Declared | None] = {}
        self._requiring: dict[Path, bool] = {}
        self._starting = Starting()

    def root(self, directory: Path) -> Path | None:
        """The nearest directory around `directory` that is a project, or None.

        A project is where packaging metadata or a repository start, but never the home directory or the
        root of the file system: what they hold belongs to many.
        """
        # It is asked for every folder, and `os` is several times faster there than `pathlib`.
        unknown: list[str] = []
        root: Path | None = None
        around = str(directory)
        while True:
            if around in self._roots:
                root = self._roots[around]
                break
            unknown.append(around)
            if _starts_project(around) and is_bounded(Path(around)):
                root = Path(around)
                break
            parent = os.path.dirname(around)
            if parent == around:
                break
            around = parent
        self._roots.update(dict.fromkeys(unknown, root))
        return root

    def import_roots(self, directory: Path) -> tuple[Path, ...]:
        """The directories that a module in `directory` may import the project's own modules from."""
        root = self.root(directory)
        return () if root is None else roots_in(root)

    def target(self, directory: Path) -> VersionRange | None:
        """What the nearest requirements around `directory` ask of torch_xla; see `declared`."""
        declared = self.declared(directory)
        return None if declared is None else declared.versions

    def declared(self, directory: Path) -> Declared | None:
        """What the nearest files with requirements around `directory` ask of torch_xla.

        None when there is none, up to where the repository starts, that names a version.
        """
        unknown: list[Path] = []
        target: Declared | None = None
        for around in chain((directory,), directory.parents):
            if around in self._targets:
                target = self._targets[around]
                break
            unknown.append(around)
            target = declared_target(around)
            if target is not None or _is_repository(around):
                break
        self._targets.update(dict.fromkeys(unknown, target))
        return target

    def requires(self, directory: Path) -> bool:
        """Whether the requirements in this very directory name torch_xla, in whatever version."""
        known = self._requiring.get(directory)
        if known is None:
            asked = (*requirements(directory), *locked(directory))
            known = self._requiring[directory] = any(_DISTRIBUTION.match(text) for _, text in asked)
        return known

    def starts_on_xla(self, script: str, root: Path) -> bool:
        """Whether what a project says of how a script is started has it run on XLA."""
        return self._starting.on_xla(script, str(root))


def is_bounded(directory: Path) -> bool:
    """Whether what a directory holds may be one project: not a home, or a place for all that is temporary."""
    return directory not in _shared() and directory.parent != directory


@cache
def _shared() -> frozenset[Path]:
    try:
        home = Path.home()
    except RuntimeError:  # nobody knows whose home that would be
        return frozenset({Path(tempfile.gettempdir())})
    return frozenset({home, Path(tempfile.gettempdir())})


def _starts_project(directory: str) -> bool:
    marks = (os.path.join(directory, mark) for mark in _ROOT_MARKS)
    return any(map(os.path.isfile, marks)) or os.path.exists(os.path.join(directory, ".git"))


class Declared(NamedTuple):
    """The versions that a directory asks for, and the file that says so."""

    versions: VersionRange
    file: str


def declared_target(directory: Path) -> Declared | None:
    """The versions of torch_xla that the files in this very directory ask for, or None.

    torch-neuronx 2.1 stands for torch_xla 2.1: it is released for exactly one of them, with
    further numbers of its own behind. Several requirements count together, as their span. What a lock
    file says counts where none of them names a version.
    """
    for found in (requirements(directory), locked(directory)):
        asked = [(r, file) for file, text in found if (r := requirement_range(text)) is not None]
        if asked:
            span = VersionRange(min(r.low for r, _ in asked), max(r.high for r, _ in asked))
            return Declared(span, asked[0][1])
    return None


def requirement_range(requirement: str) -> VersionRange | None:
    """The versions that one requirement allows; None if it is of another package or names none."""
    match = _DISTRIBUTION.match(requirement.strip())
    if match is None:
        return None
    rest = match["rest"].split(";")[0].split("#")[0].strip(" ()")
    if rest.startswith("@"):
        address = _IN_ADDRESS.search(rest)
        if address is None:
            return None
        version = (int(address[1]), int(address[2]))
        return VersionRange(version, version)
    low: Version | None = None
    high: Version | None = None
    for clause in rest.split(","):
        parsed = _CLAUSE.match(clause.strip())
        if parsed is None:
            continue
        operator = parsed[1] or "=="
        version = (int(parsed[2]), int(parsed[3] or 0))
        patch = parsed[4].strip(".")
        if operator in ("==", "===", "=", "~") or (operator == "~=" and patch):
            low = high = version
        elif operator in ("~=", "^"):
            low, high = version, _last_of(version[0])
        elif operator in (">=", ">"):
            low = version
        elif operator == "<=" or (operator == "<" and patch.strip("0.")):
            high = version
        elif operator == "<":
            high = _before(version)
    if low is None and high is None:
        return None
    low = low if low is not None else min(_FIRST_OF_2, high or LATEST)
    high = high if high is not None else LATEST
    return VersionRange(low, max(low, high))


def _is_repository(directory: Path) -> bool:
    return os.path.exists(directory / ".git")


def _last_of(major: int) -> Version:
    return LATEST if major >= LATEST[0] else _LAST_OF_1


def _before(version: Version) -> Version:
    if version > LATEST:
        return LATEST
    return (version[0], version[1] - 1) if version[1] else _last_of(version[0] - 1)
