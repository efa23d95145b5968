"""Paths to files: which of what lies below them is to be checked."""

# The walk is on the path of every run, and `os` is several times faster there than `pathlib`.
# ruff: noqa: PTH100, PTH110, PTH112, PTH118, PTH119, PTH120

from __future__ import annotations

import codecs
import os
import re
import warnings
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

from xlalint.sources.file import NOTEBOOK, Unreadable, read_bytes, reason_of, show, split_lines

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec

DEFAULT_EXCLUDES: Final = (
    ".bzr", ".direnv", ".eggs", ".git", ".git-rewrite", ".hg", ".ipynb_checkpoints", ".mypy_cache", ".nox",
    ".pants.d", ".pyenv", ".pytest_cache", ".pytype", ".ruff_cache", ".svn", ".tox", ".venv", ".vscode",
    ".xlalint_cache", "__pycache__", "__pypackages__", "_build", "buck-out", "build", "dist", "node_modules",
    "site-packages", "venv",
)  # fmt: skip
"""Names that are excluded in every directory."""

SETTINGS_FILES: Final = (".xlalint.toml", "xlalint.toml")
"""Files that hold nothing but settings; where one stands, or a pyproject.toml, others may begin to hold."""

_BY_NAME: Final = attrgetter("name")
_WITH_SETTINGS: Final = frozenset((*SETTINGS_FILES, "pyproject.toml"))
_SUFFIXES: Final = (".py", ".pyi", NOTEBOOK)


class Patterns:
    """Patterns as in a .gitignore, relative to the directory that they were written for."""

    __slots__ = ("_names", "_spec", "base", "lines")

    def __init__(self, base: Path, lines: Sequence[str]) -> None:
        self.base = base
        self.lines = tuple(lines)
        # Plain names, all that the defaults are, need no pattern matching.
        undone = any(line.startswith("!") for line in lines)
        self._names = frozenset(line for line in lines if not undone and not set(line) & set("*?[]!/#\\ "))
        self._spec: GitIgnoreSpec | None = None

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Patterns) and (self.base, self.lines) == (other.base, other.lines)

    def __hash__(self) -> int:
        return hash((self.base, self.lines))

    def decide(self, path: str, *, is_directory: bool) -> bool | None:
        """Whether the patterns take `path` (True), take it back (False) or say nothing (None).

        Args:
            path: Absolute. What lies outside `base` is matched by its name alone.
        """
        name = os.path.basename(path)
        if name in self._names:
            return True
        if len(self._names) == len(self.lines):
            return None
        base = str(self.base)
        inside = path.startswith(base.rstrip(os.sep) + os.sep)
        relative = path[len(base.rstrip(os.sep)) + 1 :] if inside else name
        relative = relative.replace(os.sep, "/") + ("/" if is_directory else "")
        if self._spec is None:
            self._spec = _compile(self.lines)
        return self._spec.check_file(relative).include

    def check(self) -> None:
        """Try all patterns, which `decide` only does when it needs them.

        Raises:
            ValueError: one of them is not a pattern; the message names it.
        """
        for line in self.lines:
            if line not in self._names and not _may_match(line):
                raise ValueError(f"{line!r} matches nothing: write a pattern as in a .gitignore")

    def take_within(self, path: str) -> bool:
        """Whether the patterns take the file at `path` or any directory around it."""
        base = str(self.base)
        around = path
        is_directory = False
        while True:
            if self.decide(around, is_directory=is_directory):
                return True
            parent = os.path.dirname(around)
            if parent in (around, base):
                return False
            around, is_directory = parent, True


class Scope(NamedTuple):
    """How a directory is walked. `rest` is whatever the caller wants to have back with its files."""

    excludes: tuple[Patterns, ...]
    respects_gitignore: bool
    rest: Hashable


class Found(NamedTuple):
    """A file to be checked. `named`: the user named it, rather than a directory around it."""

    path: str
    named: bool
    scope: Scope


def discover(
    paths: Iterable[Path], scope_of: Callable[[Path], Scope], *, force_exclude: bool = False
) -> Iterator[Found | Unreadable]:
    """All files to be checked, in the order of `paths`, then by name; each once.

    Symbolic links to directories are not followed, unless named; those to files are.

    Args:
        paths: Files, which are always taken, and directories.
        scope_of: The scope of a directory; asked for those in which it may change.
        force_exclude: Whether excludes count for `paths` themselves.
    """
    seen: set[str] = set()
    for path in paths:
        absolute = os.path.abspath(path)
        is_directory = os.path.isdir(absolute)
        scope = scope_of(Path(absolute if is_directory else os.path.dirname(absolute)))
        if force_exclude and any(patterns.take_within(absolute) for patterns in scope.excludes):
            continue
        found: Iterable[Found | Unreadable] = (
            _walk(absolute, scope, scope_of) if is_directory else (Found(absolute, True, scope),)
        )
        for item in found:
            key = str(item.path)
            if key not in seen:
                seen.add(key)
                yield item


def _walk(top: str, scope: Scope, scope_of: Callable[[Path], Scope]) -> Iterator[Found | Unreadable]:
    ignores = _ignores_around(top) if scope.respects_gitignore else ()
    pending = [(top, scope, ignores)]
    while pending:
        directory, scope, ignores = pending.pop()
        try:
            with os.scandir(directory) as listing:
                entries = sorted(listing, key=_BY_NAME)
        except OSError as error:
            yield _unlisted(directory, error)
            continue
        names = {entry.name for entry in entries}
        if directory != top and not names.isdisjoint(_WITH_SETTINGS):
            scope = scope_of(Path(directory))
        if scope.respects_gitignore and ".gitignore" in names and (more := _gitignore(directory)):
            ignores = (more, *ignores)
        below = []
        shut: OSError | None = None
        for entry in entries:
            try:
                is_directory = entry.is_dir(follow_symlinks=False)
                is_python = not is_directory and _is_python(entry)
            except OSError as error:  # names can be listed where what they stand for may not be looked at
                shut = shut or error
                continue
            if not is_directory and not is_python:
                continue
            if any(patterns.decide(entry.path, is_directory=is_directory) for patterns in scope.excludes):
                continue
            if scope.respects_gitignore and _is_ignored(entry.path, is_directory, ignores):
                continue
            if is_directory:
                below.append((entry.path, scope, ignores))
            else:
                yield Found(entry.path, False, scope)
        if shut is not None:
            yield _unlisted(directory, shut)
        pending.extend(reversed(below))


def _unlisted(directory: str, error: OSError) -> Unreadable:
    reason = f"cannot list this directory: {reason_of(directory, error)}"
    return Unreadable(Path(directory), show(Path(directory)), reason)


def _is_python(entry: os.DirEntry[str]) -> bool:
    if not entry.name.endswith(_SUFFIXES) or entry.name.startswith(".#"):  # Emacs locks are broken links
        return False
    # A broken or cyclic link counts: reading it says what is wrong. One to a directory does not.
    return not (entry.is_symlink() and os.path.isdir(entry.path))


def _is_ignored(path: str, is_directory: bool, ignores: tuple[Patterns, ...]) -> bool:
    # The innermost .gitignore that says anything decides.
    for patterns in ignores:
        decision = patterns.decide(path, is_directory=is_directory)
        if decision is not None:
            return decision
    return False


def _ignores_around(top: str) -> tuple[Patterns, ...]:
    """The .gitignore files between `top`, itself left out, and the start of its repository."""
    found: list[Patterns] = []
    directory = top
    while not os.path.exists(os.path.join(directory, ".git")):
        parent = os.path.dirname(directory)
        if parent == directory:
            return ()  # no repository around, so .gitignore files further up do not apply
        directory = parent
        if patterns := _gitignore(directory):
            found.append(patterns)
    excluded = _gitignore(directory, os.path.join(".git", "info", "exclude"))
    return (*found, excluded) if excluded else tuple(found)


def _gitignore(directory: str, name: str = ".gitignore") -> Patterns | None:
    data = read_bytes(os.path.join(directory, name))
    if isinstance(data, str):
        return None  # git does without it, too
    lines = split_lines(data.removeprefix(codecs.BOM_UTF8).decode("utf-8", "surrogateescape"))
    patterns = [line for line in lines if line.strip() and not line.startswith("#")]
    return Patterns(Path(directory), patterns) if patterns else None


def _compile(lines: Sequence[str]) -> GitIgnoreSpec:
    try:
        return _spec(lines)
    except (ValueError, re.error):
        # git skips a line that is not a pattern, and so do we.
        return _spec([line for line in lines if _may_match(line)])


def _may_match(line: str) -> bool:
    """Whether a line is a pattern that some path could match."""
    try:
        return any(pattern.include is not None for pattern in _spec([line]).patterns)
    except (ValueError, re.error):
        return False


def _spec(lines: Sequence[str]) -> GitIgnoreSpec:
    from pathspec import GitIgnoreSpec

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what Python thinks of the patterns is of no use to their author
        return GitIgnoreSpec.from_lines(lines)
