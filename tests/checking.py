"""Checks files in this process, as `xlalint check --isolated` does."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import NamedTuple

from xlalint.checker import check
from xlalint.diagnostic import Diagnostic
from xlalint.settings import SettingsFinder


class Mark(NamedTuple):
    """Where a diagnostic stands: the file, relative to the program's folder, and the line."""

    path: str
    line: int
    code: str


def diagnostics_of(root: Path, *also: str) -> list[Diagnostic]:
    """All diagnostics of a file or a folder, by the rules that are on by default and those in `also`."""
    # The corpus stands in a folder that git ignores.
    finder = SettingsFinder(isolated=True, given={"respect_gitignore": False, "extend_select": also})
    return check([root], finder, project=root).diagnostics


def diagnostics_by_rules(root: Path, *rules: str) -> list[Diagnostic]:
    """All diagnostics of a file or a folder where these rules are selected, and no others."""
    finder = SettingsFinder(isolated=True, given={"respect_gitignore": False, "select": rules})
    return check([root], finder, project=root).diagnostics


def codes_of(root: Path, *also: str) -> Counter[str]:
    """How often each rule speaks in a file or a folder."""
    return Counter(diagnostic.code for diagnostic in diagnostics_of(root, *also))


def mark_of(diagnostic: Diagnostic, root: Path) -> Mark:
    """Where a diagnostic of the program at `root` stands."""
    folder = root if root.is_dir() else root.parent
    path = Path(diagnostic.path).resolve().relative_to(folder.resolve()).as_posix()
    return Mark(path, diagnostic.range.start.line, diagnostic.code)
