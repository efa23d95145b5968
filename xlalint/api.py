"""Check and fix, for other programs, the command line and the language server alike.

Nothing is printed or written here.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING

from xlalint import checker
from xlalint.cache import Cache
from xlalint.checker import Report
from xlalint.diagnostic import (
    Applicability,
    Certainty,
    Diagnostic,
    Edit,
    Fix,
    Position,
    Range,
    Related,
    Severity,
)
from xlalint.gathering import Input
from xlalint.progress import Progress
from xlalint.settings import SettingsError, SettingsFinder, read_table
from xlalint.sources.file import as_bytes, decoded

if TYPE_CHECKING:
    from xlalint.fixing.fixer import Applied, Left, Outcome
    from xlalint.session import Session

__all__ = [
    "Applicability",
    "Certainty",
    "Diagnostic",
    "Edit",
    "Fix",
    "Fixed",
    "Position",
    "Range",
    "Related",
    "Report",
    "SettingsError",
    "Severity",
    "check_paths",
    "check_source",
    "fix_paths",
    "fix_source",
]

PathLike = str | os.PathLike[str]
SettingsLike = Mapping[str, object] | SettingsFinder
"""Settings by their keys as they stand in xlalint.toml, which win over those of files; or a finder of all."""

_NONE: Mapping[str, object] = MappingProxyType({})
_CHECKS_OF_NAMES = 2
"""So many checks are enough where only names change. For more, the project stays in memory: then each costs
as much as has changed."""
_AS_ON_DISK: Mapping[str, bytes] = MappingProxyType({})


@dataclass
class Fixed:
    """What became of a text.

    Args:
        text: The new text; the old one where nothing was changed.
        applied: What was cured, as places of the texts on the way.
        left: What might have been and was not, each with the reason.
        report: What is left, as places of the new text.
    """

    text: str
    applied: list[Applied]
    left: list[Left]
    report: Report


def check_paths(
    paths: Iterable[PathLike],
    *,
    settings: SettingsLike = _NONE,
    force_exclude: bool = False,
    standard_input: Input | None = None,
    cache: Cache | None = None,
    texts: Mapping[str, bytes] = _AS_ON_DISK,
    ignore_suppressions: bool = False,
    progress: Progress | None = None,
) -> Report:
    """Check files, and what lies below folders, as `xlalint check` does.

    Args:
        paths: Files and folders.
        settings: By their keys, as in xlalint.toml; they win over those of files.
        force_exclude: Whether excludes count for files that are named, too.
        standard_input: A text to check beside them.
        cache: Where answers are kept from one run to the next; None: nowhere.
        texts: By absolute path, what stands in files instead of what is on disk.
        ignore_suppressions: Whether to report what comments suppress.
        progress: Who is told how far the analysis has come.

    Raises:
        SettingsError: settings that hold for one of the files cannot be used.
    """
    return checker.check(
        [Path(path) for path in paths], _finder(settings), force_exclude=force_exclude,
        standard_input=standard_input, cache=cache, texts=texts, ignore_suppressions=ignore_suppressions,
        progress=progress,
    )  # fmt: skip


def check_source(
    source: str | bytes, path: PathLike = "stdin.py", *, settings: SettingsLike = _NONE,
    cache: Cache | None = None,
) -> Report:  # fmt: skip
    """Check a text as if it stood in a file; what it imports is read from disk.

    Args:
        source: The text, or the bytes of the file.
        path: Where it would stand. Settings, imports and callers follow from that.
        settings, cache: As of `check_paths`.

    Raises:
        SettingsError: settings that hold for the file cannot be used.
    """
    return check_paths((), settings=settings, standard_input=_input(source, path), cache=cache)


def fix_paths(
    paths: Iterable[PathLike],
    *,
    unsafe: bool = False,
    code: str | None = None,
    settings: SettingsLike = _NONE,
    force_exclude: bool = False,
    standard_input: Input | None = None,
    cache: Cache | None = None,
    texts: Mapping[str, bytes] = _AS_ON_DISK,
    ignore_suppressions: bool = False,
    progress: Progress | None = None,
) -> Outcome:
    """Cure what can be cured in files, and below folders, in memory: no file is changed.

    Args:
        unsafe: Whether to carry out what may change what is computed, or when.
        code: The rule whose diagnostics to cure, with what must be cured with them; None: all.

    The others are as of `check_paths`.

    Raises:
        SettingsError: settings that hold for one of the files cannot be used.
    """
    from xlalint.fixing.fixer import fix

    named, finder = [Path(path) for path in paths], _finder(settings)
    session: Session | None = None
    checks = 0

    def check(changed: Mapping[str, bytes]) -> Report:
        nonlocal session, checks
        checks += 1
        if checks <= _CHECKS_OF_NAMES:
            return check_paths(
                named, settings=finder, force_exclude=force_exclude, standard_input=standard_input,
                cache=cache, texts={**texts, **changed}, ignore_suppressions=ignore_suppressions,
                progress=progress,
            )  # fmt: skip
        if session is None:
            from xlalint.session import Session

            session = Session(lambda: finder, force_exclude=force_exclude)
        return session.check(
            named, {**texts, **changed}, standard_input=standard_input,
            ignore_suppressions=ignore_suppressions,
        )  # fmt: skip

    given = dict(texts)
    if standard_input is not None:
        given[standard_input.path] = standard_input.data
    return fix(check, lambda path: finder.at(Path(path).parent), given, unsafe=unsafe, code=code)


def fix_source(
    source: str, path: PathLike = "stdin.py", *, unsafe: bool = False, settings: SettingsLike = _NONE
) -> Fixed:
    """Cure what can be cured in a text.

    Args:
        source: The text.
        path, settings: As of `check_source`.
        unsafe: Whether to carry out what may change what is computed, or when.

    Raises:
        SettingsError: settings that hold for the file cannot be used.
        UnicodeEncodeError: the encoding that the text declares cannot hold it.
    """
    given = Input(os.fspath(path), as_bytes(source, "strict"))
    outcome = fix_paths((), unsafe=unsafe, settings=settings, standard_input=given)
    changed = outcome.after.get(given.path)
    return Fixed(
        source if changed is None else decoded(changed), outcome.applied, outcome.left, outcome.report
    )


def _finder(settings: SettingsLike) -> SettingsFinder:
    if isinstance(settings, SettingsFinder):
        return settings
    return SettingsFinder(given=read_table(settings, Path.cwd(), "settings"))


def _input(source: str | bytes, path: PathLike) -> Input:
    return Input(os.fspath(path), source if isinstance(source, bytes) else as_bytes(source))
