"""Where a project starts, and which versions of torch_xla it requires."""

from __future__ import annotations

import os
import re
import sys
import tempfile
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from xlalint.versions import LATEST, Version, VersionRange

_FIRST_OF_2 = (2, 0)
"""The low end where a project only names an upper bound."""
_LAST_OF_1 = (1, 13)
_ROOT_MARKS = ("pyproject.toml", "setup.py", "setup.cfg")
_DISTRIBUTION = re.compile(
    r"(?i)(?<![\w.-])torch[-_.](?:xla|neuronx)(?![\w-])\s*(?:\[[^\]]*\])?\s*(?P<rest>.*)"
)
_IN_ADDRESS = re.compile(r"(?i)torch[-_](?:xla|neuronx)-(\d+)\.(\d+)")
_CLAUSE = re.compile(r"(===|==|~=|>=|<=|!=|>|<|\^|~|=)?\s*v?(\d+)\.?(\d+)?([\w.*+!-]*)")


class Projects:
    """Looks projects up, and remembers them for the time of one command."""

    def __init__(self) -> None:
        self._roots: dict[Path, Path | None] = {}
        self._targets: dict[Path, VersionRange | None] = {}

    def root(self, directory: Path) -> Path | None:
        """The nearest directory around `directory` that is a project, or None.

        A project is where packaging metadata or a repository start, but never the home directory or the
        root of the file system: what they hold belongs to many.
        """
        passed = []
        found: Path | None = None
        for around in (directory, *directory.parents):
            if around in self._roots:
                found = self._roots[around]
                break
            passed.append(around)
            if is_bounded(around) and _starts_project(around):
                found = around
                break
        self._roots.update(dict.fromkeys(passed, found))
        return found

    def import_roots(self, directory: Path) -> tuple[Path, ...]:
        """The directories that a module in `directory` may import the project's own modules from."""
        root = self.root(directory)
        if root is None:
            return ()
        source = root / "src"
        return (root, source) if source.is_dir() else (root,)

    def target(self, directory: Path) -> VersionRange | None:
        """What the nearest pyproject.toml or requirements file around `directory` asks of torch_xla.

        None when there is none, up to where the repository starts, that names a version.
        """
        if directory not in self._targets:
            self._targets[directory] = declared_target(directory)
            outermost = directory.parent == directory or (directory / ".git").exists()
            if self._targets[directory] is None and not outermost:
                self._targets[directory] = self.target(directory.parent)
        return self._targets[directory]


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


def _starts_project(directory: Path) -> bool:
    return any(os.path.isfile(directory / mark) for mark in _ROOT_MARKS) or os.path.exists(  # noqa: PTH113, PTH110
        directory / ".git"
    )


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


def _last_of(major: int) -> Version:
    return LATEST if major >= LATEST[0] else _LAST_OF_1


def _before(version: Version) -> Version:
    if version > LATEST:
        return LATEST
    return (version[0], version[1] - 1) if version[1] else _last_of(version[0] - 1)


def _requirements(directory: Path) -> Iterator[str]:
    yield from _of_pyproject(directory / "pyproject.toml")
    for file in sorted(directory.glob("requirements*.txt")):
        for line in _text(file).splitlines():
            if not line.lstrip().startswith(("#", "-")):
                yield line


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
            version = wanted.get("version", "") if isinstance(wanted, dict) else wanted
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
    document: dict[str, Any] = tomllib.loads(text)
    return document


def _text(file: Path) -> str:
    try:
        return file.read_bytes().decode("utf-8", "replace")
    except OSError:
        return ""
