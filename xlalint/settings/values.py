"""The settings of one directory."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from xlalint.configuration import Framework
from xlalint.diagnostic import Severity
from xlalint.sources.discovery import DEFAULT_EXCLUDES, Patterns
from xlalint.versions import VersionRange


class SettingsError(ValueError):
    """Settings that cannot be used; the message names the file and what is wrong."""


@dataclass(frozen=True)
class Settings:
    """All settings, for one directory and what lies below it.

    Args:
        base: The directory that patterns are relative to.
        file: Where the settings were read from; None: nothing but defaults.
        select: What to select instead of the rules that are on by default; None: those.
        target_version: None: what the project itself says, else the last release.
        fail_on: The lowest severity that makes the command fail; None: none does.
        fixable: The rules that may be fixed; None: all.
        extend: The file whose settings hold where these say nothing.
        required_version: Which versions of xlalint may use these settings, as it was written; empty: all.
        min_severity: Diagnostics of a lower one are not reported.
    """

    base: Path
    file: Path | None = None
    select: tuple[str, ...] | None = None
    ignore: tuple[str, ...] = ()
    extend_select: tuple[str, ...] = ()
    target_version: VersionRange | None = None
    exclude: Patterns | None = None
    extend_exclude: Patterns | None = None
    respect_gitignore: bool = True
    fail_on: Severity | None = Severity.WARNING
    preview: bool = False
    output_format: str = "text"
    per_file_ignores: tuple[tuple[Patterns, tuple[str, ...]], ...] = ()
    severity: tuple[tuple[str, Severity], ...] = ()
    frameworks: tuple[Framework, ...] = ()
    other_backends: tuple[str, ...] = ()
    fixable: tuple[str, ...] | None = None
    unfixable: tuple[str, ...] = ()
    extend_safe_fixes: tuple[str, ...] = ()
    extend_unsafe_fixes: tuple[str, ...] = ()
    extend: Path | None = None
    required_version: str = ""
    min_severity: Severity = Severity.INFO

    @property
    def packages(self) -> tuple[str, ...]:
        """The packages that bring XLA to files that import them, beside torch_xla."""
        return tuple(framework.name for framework in self.frameworks if not framework.text)

    @property
    def stubs(self) -> tuple[Framework, ...]:
        """The frameworks of which a program says what they do."""
        return tuple(framework for framework in self.frameworks if framework.text)

    @property
    def excludes(self) -> tuple[Patterns, ...]:
        """All patterns of files to exclude."""
        first = self.exclude or Patterns(self.base, DEFAULT_EXCLUDES)
        return (first, self.extend_exclude) if self.extend_exclude else (first,)
