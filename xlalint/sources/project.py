"""Where a project starts, and which versions of torch_xla it requires."""

# `pathlib` raises where a directory may not be entered, and `os.path` says that there is nothing.
# ruff: noqa: PTH110, PTH112, PTH118, PTH120, PTH208

from __future__ import annotations

import fnmatch
import os
import re
import sys
import tempfile
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from xlalint.sources.file import read_bytes
from xlalint.versions import LATEST, Version, VersionRange

_FIRST_OF_2 = (2, 0)
"""The low end where a project only names an upper bound."""
_LAST_OF_1 = (1, 13)
_ROOT_MARKS = ("pyproject.toml", "setup.py", "setup.cfg")
_DISTRIBUTION = re.compile(
    r"(?i)(?<![\w.-])torch[-_.](?:xla|neuronx)(?![\w-])\s*(?:\[[^\]]*\])?\s*(?P<rest>.*)"
)
_IN_ADDRESS = re.compile(r"(?i)torch[-_](?:xla|neuronx)-(\d{1,9})\.(\d{1,9})")
_CLAUSE = re.compile(r"(===|==|~=|>=|<=|!=|>|<|\^|~|=)?\s*v?(\d{1,9})\.?(\d{1,9})?([\w.*+!-]*)")
"""No number is longer than nine digits, because Python refuses to read one of some thousand."""


class Projects:
    """Looks projects up, and remembers them for the time of one command."""

    def __init__(self) -> None:
        self._roots: dict[str, Path | None] = {}
        self._targets: dict[Path, VersionRange | None] = {}
        self._requiring: dict[Path, bool] = {}

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
        if root is None:
            return ()
        source = root / "src"
        return (root, source) if os.path.isdir(source) else (root,)

    def target(self, directory: Path) -> VersionRange | None:
        """What the nearest pyproject.toml or requirements file around `directory` asks of torch_xla.

        None when there is none, up to where the repository starts, that names a version.
        """
        unknown: list[Path] = []
        target: VersionRange | None = None
        for around in (directory, *directory.parents):
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
            asked = map(str.strip, _requirements(directory))
            known = self._requiring[directory] = any(_DISTRIBUTION.match(text) for text in asked)
        return known


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


def declared_target(directory: Path) -> VersionRange | None:
    """The versions of torch_xla that the files in this very directory ask for, or None.

    torch-neuronx 2.1 stands for torch_xla 2.1: it is released for exactly one of them, with
    further numbers of its own behind. Several requirements count together, as their span.
    """
    ranges = [asked for text in _requirements(directory) if (asked := requirement_range(text)) is not None]
    if not ranges:
        return None
    return VersionRange(min(low for low, _ in ranges), max(high for _, high in ranges))


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


def _requirements(directory: Path) -> Iterator[str]:
    yield from _of_pyproject(directory / "pyproject.toml")
    for name in fnmatch.filter(_names_in(directory), "requirements*.txt"):
        for line in _text(directory / name).splitlines():
            if not line.lstrip().startswith(("#", "-")):
                yield line


def _names_in(directory: Path) -> list[str]:
    try:
        return sorted(os.listdir(directory))
    except OSError:
        return []  # the walk says so, where it matters


def _of_pyproject(file: Path) -> Iterator[str]:
    text = _text(file)
    if not re.search(r"(?i)torch[-_.](xla|neuronx)", text):
        return
    try:
        yield from list(_dependencies(load_toml(text)))
    except (ValueError, AttributeError, TypeError):
        # Not valid, or not in the expected form. If it holds our settings, reading those reports it;
        # otherwise it is the business of another tool.
        return


def _dependencies(document: dict[str, Any]) -> Iterator[str]:
    project = document.get("project", {})
    groups = [project.get("dependencies", [])]
    groups += project.get("optional-dependencies", {}).values()
    groups += document.get("dependency-groups", {}).values()
    for group in groups:
        yield from (item for item in group if isinstance(item, str))
    poetry = document.get("tool", {}).get("poetry", {})
    tables = [poetry.get("dependencies", {}), poetry.get("dev-dependencies", {})]
    tables += [group.get("dependencies", {}) for group in poetry.get("group", {}).values()]
    for table in tables:
        for name, wanted in table.items():
            version = wanted.get("version") if isinstance(wanted, dict) else wanted
            if isinstance(version, str):
                yield f"{name} {version}"


def load_toml(text: str) -> dict[str, Any]:
    """Parse TOML.

    Raises:
        ValueError: it is not valid; the message says where.
    """
    if sys.version_info >= (3, 11):
        import tomllib
    else:
        import tomli as tomllib  # type: ignore[import-not-found, unused-ignore]
    try:
        document: dict[str, Any] = tomllib.loads(text)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None
    return document


def _text(file: Path) -> str:
    data = read_bytes(str(file))
    return "" if isinstance(data, str) else data.decode("utf-8", "replace")
