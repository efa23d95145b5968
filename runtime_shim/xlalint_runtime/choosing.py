"""Which findings a user wants to see, by the same settings and comments as those of `xlalint check`."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from xlalint.diagnostic import Diagnostic, Severity
from xlalint.registry import expand, names, select
from xlalint.settings import Settings, SettingsFinder
from xlalint.sources.file import SourceFile, read
from xlalint.sources.suppressions import Suppressions, find_suppressions


class Choice:
    """What the settings around each file say, and the comments in it."""

    def __init__(self, finder: SettingsFinder) -> None:
        self._finder = finder
        self._settings: dict[str, Settings] = {}
        self._codes: dict[Settings, frozenset[str]] = {}
        self._comments: dict[str, Suppressions | None] = {}

    def is_ignored(self, code: str, path: str) -> bool:
        """Whether the settings turn a rule off for this file by its name."""
        here = self._at(path)
        return any(
            patterns.take_within(path) and any(rule.code == code for each in rules for rule in expand(each))
            for patterns, rules in here.per_file_ignores
        )

    def is_selected(self, code: str, path: str) -> bool:
        """Whether a rule is on where this file lies."""
        here = self._at(path)
        if here not in self._codes:
            chosen = select(here.select, here.ignore, here.extend_select, preview=here.preview)
            self._codes[here] = frozenset(rule.code for rule in chosen)
        return code in self._codes[here]

    def severities(self, path: str) -> Mapping[str, Severity]:
        """By code, the severities that the user has set."""
        return dict(self._at(path).severity)

    def is_suppressed(self, diagnostic: Diagnostic, aliases: tuple[str, ...], path: str) -> bool:
        """Whether a comment in its file silences a diagnostic.

        Args:
            aliases: The rule's former codes and names.
            path: The file, as the program knows it.
        """
        if path not in self._comments:
            file = read(Path(path))
            self._comments[path] = find_suppressions(file, names()) if isinstance(file, SourceFile) else None
        comments = self._comments[path]
        if comments is None:
            return False
        return comments.silences(diagnostic.code, (diagnostic.name, *aliases), diagnostic.range)

    def _at(self, path: str) -> Settings:
        if path not in self._settings:
            self._settings[path] = self._finder.at(Path(path).parent)
        return self._settings[path]
