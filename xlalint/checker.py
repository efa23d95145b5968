"""Paths to diagnostics: discover, prefilter, analyze, judge, suppress."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from xlalint.configuration import Configuration
from xlalint.diagnostic import Diagnostic, Position, Range
from xlalint.judging import Judge, Occurrence, Placed, diagnostic, settle
from xlalint.knowledge.frameworks import HOOKS
from xlalint.lazy.site import Site
from xlalint.lazy.state import View
from xlalint.settings import Settings, SettingsFinder
from xlalint.sources.discovery import Found, Scope, discover
from xlalint.sources.file import START, SourceFile, Unreadable, decode, is_hot, read, read_bytes, show
from xlalint.sources.project import Projects
from xlalint.versions import DEFAULT_TARGET, VersionRange

if TYPE_CHECKING:
    import ast

    from xlalint.lazy.events import Event
    from xlalint.rule import Rule
    from xlalint.sources.suppressions import Suppressions

_HOOK_TOKENS = tuple({name.rpartition(".")[2].encode() for name in HOOKS})
"""A file with one of these may hold what a framework calls while it trains on a device."""

_UNUSED_SUPPRESSION = "XLA090"


class Input(NamedTuple):
    """A file that is not read from disk."""

    name: str | None
    data: bytes


@dataclass
class Report:
    """What one check found.

    Args:
        files: How many files were looked at.
        hot: How many of them use torch_xla, so that they were analyzed.
        suppressed: How many diagnostics comments silenced.
        sources: The files that diagnostics stand in, by their shown path.
        statistics: What the analysis counted.
    """

    diagnostics: list[Diagnostic] = field(default_factory=list)
    files: int = 0
    hot: int = 0
    suppressed: int = 0
    sources: dict[str, SourceFile] = field(default_factory=dict)
    statistics: dict[str, int] = field(default_factory=dict)


def find_files(
    paths: Sequence[Path], finder: SettingsFinder, *, force_exclude: bool = False
) -> Iterator[Found | Unreadable]:
    """The files that `check` would look at; see `discover`. A scope's `rest` holds its `Settings`.

    Raises:
        SettingsError: settings that hold for one of them cannot be used.
    """

    def scope_of(directory: Path) -> Scope:
        settings = finder.at(directory)
        return Scope(settings.excludes, settings.respect_gitignore, settings)

    return discover(paths, scope_of, force_exclude=force_exclude)


def configure(path: Path, settings: Settings, projects: Projects) -> Configuration:
    """What the analysis of the one file at `path` runs under."""
    return Configuration(
        target=_target(path, settings, projects),
        wrappers=settings.wrappers,
        false_tests=settings.other_backends,
        roots=projects.import_roots(path.parent),
    )


def parse_file(file: SourceFile) -> ast.Module | Unreadable:
    """The syntax tree of a file, in the syntax of this Python or a newer one; see `syntax.parse`."""
    from xlalint.sources.syntax import parse

    def parse_newer(text: str) -> ast.Module:
        from xlalint.analysis import cst_frontend

        return cst_frontend.parse(text)

    return parse(file, parse_newer)


def check(
    paths: Sequence[Path],
    finder: SettingsFinder,
    *,
    force_exclude: bool = False,
    standard_input: Input | None = None,
) -> Report:
    """Check files, and what lies below directories.

    Args:
        paths: Files and directories.
        finder: Which settings hold where.
        force_exclude: Whether excludes count for files in `paths` too.
        standard_input: A text to check beside them.

    Raises:
        SettingsError: settings that hold for one of the files cannot be used.
    """
    check = _Check(finder)
    for item in find_files(paths, finder, force_exclude=force_exclude):
        check.add(item)
    if standard_input is not None:
        check.add_input(standard_input, force_exclude=force_exclude)
    return check.finish()


class _Group:
    """Files that are analyzed together, because the same settings and target hold for them."""

    def __init__(self, settings: Settings, target: VersionRange) -> None:
        self.settings = settings
        self.target = target
        self.files: list[SourceFile] = []
        self.roots: dict[Path, None] = {}
        self._rules: dict[str, Rule[Any]] | None = None

    @property
    def rules(self) -> dict[str, Rule[Any]]:
        """The selected rules, by code."""
        if self._rules is None:
            from xlalint import registry

            settings = self.settings
            chosen = registry.select(
                settings.select, settings.ignore, settings.extend_select, preview=settings.preview
            )
            self._rules = {rule.code: rule(self.target) for rule in chosen}
        return self._rules

    def analyze(self) -> Iterator[tuple[list[Placed], dict[str, int]]]:
        """Findings and counts of the analysis; in several portions where one would not do."""
        from xlalint.analysis.engine import analyze

        configuration = Configuration(
            self.target, self.settings.wrappers, self.settings.other_backends, tuple(self.roots)
        )
        rules = list(self.rules.values())
        try:
            analysis = analyze(self.files, rules, configuration)
        except RecursionError:
            pass
        else:
            yield analysis.findings, analysis.statistics
            return
        # One of the files nests too deeply. The others are checked without it.
        for file in self.files:
            try:
                analysis = analyze([file], rules, configuration)
            except RecursionError:
                reason = "it is nested too deeply: the analyzer ran out of stack"
                unreadable = Unreadable(file.path, file.shown, reason, START, file)
                yield list(_judge(_unreadable_event(unreadable), self.rules)), {}
            else:
                yield analysis.findings, analysis.statistics


class _Hooked(NamedTuple):
    """A file that names a framework which may call into it."""

    path: str
    shown: str | None
    data: bytes
    settings: Settings
    named: bool


class _Check:
    """One run of the checker."""

    def __init__(self, finder: SettingsFinder) -> None:
        self._finder = finder
        self._projects = Projects()
        self._groups: dict[tuple[Settings, VersionRange], _Group] = {}
        self._settings: dict[str, Settings] = {}
        """The settings of every file under check, by its absolute path."""
        self._files: dict[str, SourceFile | Unreadable] = {}
        """Files that were decoded, by absolute path; others are read when a finding names them."""
        self._unreadable: list[tuple[Unreadable, Settings]] = []
        self._hooked: list[_Hooked] = []
        """Files that a framework may call into: looked at when it is known whether others are hot."""
        self._commented: list[SourceFile] = []
        """Files with comments that might suppress something."""
        self._report = Report()

    def add(self, item: Found | Unreadable) -> None:
        """Read one file; decode and parse it if it is hot, or was named by the user."""
        self._report.files += 1
        if isinstance(item, Unreadable):
            self._add_unreadable(item, self._finder.at(item.path))
            return
        settings = item.scope.rest
        assert isinstance(settings, Settings)
        data = read_bytes(item.path)
        if isinstance(data, str):
            path = Path(item.path)
            self._settings[item.path] = settings
            self._add_unreadable(Unreadable(path, show(path), data), settings)
            return
        self._add_bytes(item.path, None, data, settings, named=item.named)

    def add_input(self, given: Input, *, force_exclude: bool) -> None:
        """Take a file from somewhere else than the disk."""
        path = Path.cwd() / (given.name or "stdin.py")
        settings = self._finder.at(path.parent)
        if force_exclude and any(patterns.take_within(str(path)) for patterns in settings.excludes):
            return
        self._report.files += 1
        shown = show(path) if given.name else "<stdin>"
        self._add_bytes(str(path), shown, given.data, settings, named=True)

    def finish(self) -> Report:
        """Analyze and judge what was added."""
        report = self._report
        for waiting in self._hooked:
            # A framework calls into a file only where something trains on a device.
            self._add_source(*waiting[:4], named=waiting.named, judged=report.hot > 0)
        if not (self._groups or self._unreadable or self._commented):
            return report
        findings: list[Placed] = []
        for unreadable, settings in self._unreadable:
            rules = self._group(unreadable.path, settings).rules
            findings += _judge(_unreadable_event(unreadable), rules)
        for group in self._groups.values():
            if not group.files:
                continue
            for found, statistics in group.analyze():
                findings += found
                for name, count in statistics.items():
                    report.statistics[name] = report.statistics.get(name, 0) + count
        kept = settle(placed for placed in findings if self._is_wanted(placed))
        self._suppress([(placed, self._diagnostic(placed)) for placed in kept])
        report.diagnostics.sort(key=lambda diagnostic: (diagnostic.order, diagnostic.message))
        shown = {diagnostic.path for diagnostic in report.diagnostics}
        shown |= {related.path for diagnostic in report.diagnostics for related in diagnostic.related}
        for held in self._files.values():
            file = held if isinstance(held, SourceFile) else held.file
            if file is not None and file.shown in shown:
                report.sources[file.shown] = file
        return report

    def _add_bytes(
        self, path: str, shown: str | None, data: bytes, settings: Settings, *, named: bool
    ) -> None:
        hot = is_hot(data, settings.wrappers)
        self._report.hot += hot
        if not hot and any(name in data for name in _HOOK_TOKENS):
            self._hooked.append(_Hooked(path, shown, data, settings, named))
        else:
            self._add_source(path, shown, data, settings, named=named, judged=hot)

    def _add_source(
        self, path: str, shown: str | None, data: bytes, settings: Settings, *, named: bool, judged: bool
    ) -> None:
        self._settings[path] = settings
        commented = _may_suppress_in_vain(data)
        if not (judged or named or commented) and _is_text(data):
            return
        absolute = Path(path)
        file = decode(absolute, shown or show(absolute), data, settings.wrappers)
        if isinstance(file, SourceFile) and (judged or named):
            tree = parse_file(file)
            if isinstance(tree, Unreadable):
                self._files[path] = file
                self._add_unreadable(tree, settings)
                return
        if isinstance(file, Unreadable):
            self._add_unreadable(file, settings)
            return
        if judged or commented:
            self._files[path] = file
        if commented:
            self._commented.append(file)
        if judged:
            group = self._group(absolute, settings)
            group.files.append(file)
            group.roots.update(dict.fromkeys(self._projects.import_roots(absolute.parent)))

    def _add_unreadable(self, unreadable: Unreadable, settings: Settings) -> None:
        path = str(unreadable.path)
        self._settings[path] = settings
        self._files.setdefault(path, unreadable)
        self._unreadable.append((unreadable, settings))

    def _group(self, path: Path, settings: Settings) -> _Group:
        target = _target(path, settings, self._projects)
        key = (settings, target)
        if key not in self._groups:
            self._groups[key] = _Group(settings, target)
        return self._groups[key]

    def _is_wanted(self, placed: Placed) -> bool:
        """Whether a finding stands in a file under check, for which its rule is not ignored."""
        path = placed.path[0].path
        settings = self._settings.get(path)
        return settings is not None and not _is_ignored(placed.code, path, settings)

    def _file(self, path: str) -> SourceFile | None:
        if path not in self._files:
            self._files[path] = read(Path(path))
        file = self._files[path]
        return file if isinstance(file, SourceFile) else file.file

    def _diagnostic(self, placed: Placed) -> Diagnostic:
        severities = dict(self._settings[placed.path[0].path].severity)
        return diagnostic(placed, self, severities=severities)

    def shown(self, site: Site) -> str:
        """The path of the file as it is shown."""
        self._file(site.path)
        return self._files[site.path].shown

    def range(self, site: Site) -> Range:
        """The stretch of text at a site."""
        file = self._file(site.path)
        if file is None:
            return Range(Position(site.line, 1), Position(site.line, 1))
        return file.range(site)

    def _suppress(self, found: Iterable[tuple[Placed, Diagnostic]]) -> None:
        """Report what no comment silences, and the comments that silence nothing."""
        from xlalint.sources.suppressions import find_suppressions

        by_path: dict[str, list[tuple[Placed, Diagnostic]]] = defaultdict(list)
        for placed, diagnosed in found:
            by_path[placed.path[0].path].append((placed, diagnosed))
        for file in self._commented:
            by_path.setdefault(str(file.path), [])
        broken = {str(unreadable.path) for unreadable, _ in self._unreadable}
        for path, pairs in by_path.items():
            held = self._file(path)
            if held is None:
                self._report.diagnostics += (diagnosed for _, diagnosed in pairs)
                continue
            suppressions = find_suppressions(held)
            for placed, diagnosed in pairs:
                rule = placed.finding.rule
                if suppressions.silences(rule.code, (rule.name, *rule.aliases), diagnosed.range):
                    self._report.suppressed += 1
                else:
                    self._report.diagnostics.append(diagnosed)
            if path not in broken:
                self._report_unused(held, suppressions)

    def _report_unused(self, file: SourceFile, suppressions: Suppressions) -> None:
        from xlalint.lazy.events import SuppressionUnused

        path = str(file.path)
        settings = self._settings[path]
        rules = self._group(file.path, settings).rules
        if _UNUSED_SUPPRESSION not in rules or _is_ignored(_UNUSED_SUPPRESSION, path, settings):
            return
        for suppression in suppressions.all:
            codes = suppression.unused(lambda selector: _is_looked_for(selector, path, settings, rules))
            if codes is None:
                continue
            site = file.site(suppression.place.start, suppression.place.end)
            for placed in _judge(SuppressionUnused(site, codes=codes), rules):
                diagnosed = self._diagnostic(placed)
                rule = placed.finding.rule
                names = (rule.name, *rule.aliases)
                # A comment that silences everything would silence that it silences nothing.
                if suppressions.silences(rule.code, names, diagnosed.range, by_name=True):
                    self._report.suppressed += 1
                else:
                    self._report.diagnostics.append(diagnosed)


def _is_text(data: bytes) -> bool:
    """Whether there is surely nothing wrong with the bytes of a file; a quick look."""
    if b"\0" in data:
        return False
    if data.isascii():
        return True
    try:
        data.decode()
    except UnicodeDecodeError:
        return False  # unless it declares another encoding
    return True


def _may_suppress_in_vain(data: bytes) -> bool:
    # Two searches for fixed bytes are far quicker than one for a pattern, and mostly end it.
    if not (b"xlalint:" in data or (b"XLA" in data and b"noqa" in data)):
        return False
    from xlalint.sources.suppressions import may_be_unused

    return may_be_unused(data)


def _judge(event: Event, rules: dict[str, Rule[Any]]) -> Iterator[Placed]:
    return Judge(rules.values()).judge([Occurrence(event, View())])


def _unreadable_event(unreadable: Unreadable) -> Event:
    from xlalint.lazy.events import FileUnreadable

    site = Site(str(unreadable.path), unreadable.position.line)
    if unreadable.file is not None:
        site = unreadable.file.site(unreadable.position, unreadable.position)
    return FileUnreadable(site, reason=unreadable.reason)


def _target(path: Path, settings: Settings, projects: Projects) -> VersionRange:
    return settings.target_version or projects.target(path.parent) or DEFAULT_TARGET


def _is_ignored(code: str, path: str, settings: Settings) -> bool:
    if not settings.per_file_ignores:
        return False
    from xlalint.registry import expand

    return any(
        patterns.take_within(path) and any(rule.code == code for s in selectors for rule in expand(s))
        for patterns, selectors in settings.per_file_ignores
    )


def _is_looked_for(selector: str, path: str, settings: Settings, rules: dict[str, Rule[Any]]) -> bool:
    """Whether a suppression of `selector` could have been used; unknown rules never can be."""
    from xlalint.registry import UnknownRule, find

    try:
        code = find(selector).code
    except UnknownRule:
        return True
    if code == _UNUSED_SUPPRESSION:
        return False
    return code in rules and not _is_ignored(code, path, settings)
