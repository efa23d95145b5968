"""Paths to diagnostics: gather, analyze, judge, place, suppress; each once, in this order."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING

from xlalint.cache import Cache
from xlalint.cure import Cure
from xlalint.diagnostic import Applicability, Diagnostic, Fix, Position, Range
from xlalint.files import File
from xlalint.findings import Findings, Rules, findings, selected
from xlalint.gathering import Gathered, Input, gather
from xlalint.judging import Judge, Occurrence, Placed, diagnostic, located, settle
from xlalint.lazy.events import Event, SuppressionUnexplained, SuppressionUnused
from xlalint.lazy.site import Site
from xlalint.lazy.state import View
from xlalint.settings import Settings, SettingsFinder
from xlalint.sources.file import SourceFile, Unreadable, read
from xlalint.units import Unit
from xlalint.versions import DEFAULT_TARGET

if TYPE_CHECKING:
    from xlalint.progress import Progress
    from xlalint.sources.notebook import Notebook
    from xlalint.sources.suppressions import Suppressions

_UNREADABLE = "XLA000"
_UNUSED_SUPPRESSION = "XLA090"
_UNEXPLAINED_SUPPRESSION = "XLA091"


@dataclass
class Report:
    """What one check found.

    Args:
        curable: Those for which somebody knows what would mend them, with where it was found.
        checked: The paths of the files that are reported on.
        files: How many files were looked at.
        hot: How many of them use XLA, so that they were analyzed.
        passed_over: How many use a framework that may train on XLA, where nothing says that they do.
        suppressed: How many diagnostics comments silenced.
        hidden: How many more are not among them, by a phrase that says why.
        sources: The files that diagnostics stand in, by their shown path.
        statistics: What the analysis counted.
        bounds: By shown path, where the analysis was cut short and no selected rule says so.
        units: The projects.
    """

    diagnostics: list[Diagnostic] = field(default_factory=list)
    curable: list[tuple[Diagnostic, Placed]] = field(default_factory=list)
    checked: set[str] = field(default_factory=set)
    files: int = 0
    hot: int = 0
    passed_over: int = 0
    suppressed: int = 0
    hidden: Counter[str] = field(default_factory=Counter)
    sources: dict[str, SourceFile] = field(default_factory=dict)
    statistics: Counter[str] = field(default_factory=Counter)
    bounds: Counter[str] = field(default_factory=Counter)
    units: Sequence[Unit] = ()

    def files_around(self, path: str) -> Collection[str]:
        """The paths of all files of the project that a file belongs to."""
        units = sorted(self.units, key=lambda unit: path not in unit.asked)
        return next((unit.files for unit in units if path in unit.files), ())


def check(
    paths: Sequence[Path],
    finder: SettingsFinder,
    *,
    force_exclude: bool = False,
    standard_input: Input | None = None,
    cache: Cache | None = None,
    project: Path | None = None,
    texts: Mapping[str, bytes] = MappingProxyType({}),
    ignore_suppressions: bool = False,
    progress: Progress | None = None,
) -> Report:
    """Check files, and what lies below directories.

    Args:
        paths: Files and directories.
        finder: Which settings hold where.
        force_exclude: Whether excludes count for files in `paths` too.
        standard_input: A text to check beside them.
        cache: Where answers are kept from one run to the next; None: nowhere.
        project: The folder or file that is one program by itself; None: the projects that `paths` are in.
        texts: By absolute path, what stands in files instead of what is on disk.
        ignore_suppressions: Whether to report what comments suppress.
        progress: Who is told how far the analysis has come.

    Raises:
        SettingsError: settings that hold for one of the files cannot be used.
    """
    gathered = gather(
        paths, finder, force_exclude=force_exclude, standard_input=standard_input, project=project,
        texts=texts,
    )  # fmt: skip
    last = gathered.units[-1] if gathered.units else None

    def find(unit: Unit) -> Findings:
        return findings(unit, cache, is_last=unit is last, progress=progress)

    return report_on(gathered, finder, find, ignore_suppressions=ignore_suppressions)


def report_on(
    gathered: Gathered, finder: SettingsFinder, find: Callable[[Unit], Findings], *,
    ignore_suppressions: bool = False,
) -> Report:  # fmt: skip
    """What is to be said of files.

    Args:
        gathered: The files, with the projects that they belong to.
        finder: Which settings hold where.
        find: Says what is found in a project.
        ignore_suppressions: As of `check`.
    """
    report = Report(files=gathered.looked_at, units=gathered.units)
    sources = _Texts()
    found: list[Placed] = []
    commented: list[tuple[SourceFile, Rules]] = []
    asked: dict[str, Settings] = {}
    for unit in gathered.units:
        here = find(unit)
        report.statistics.update(here.statistics)
        broken = [*unit.unreadable, *_broken(unit)]
        asked.update((path, unit.files[path].settings) for path in unit.asked)
        asked.update((str(file.path), finder.at(file.path.parent)) for file in unit.unreadable)
        report.checked |= unit.asked
        report.hot += len(unit.analyzed & unit.asked)
        if not unit.uses_xla:
            report.passed_over += len(unit.users & unit.asked)
        sources.add(broken)
        sources.take(unit)
        ours = {*unit.asked, *(str(file.path) for file in broken)}
        found += (placed for placed in here.placed if placed.path[0].path in ours)
        found += (placed for file in broken for placed in _judged(file, unit))
        unparsed = {placed.path[0].path for placed in found if placed.code == _UNREADABLE}
        commented += (
            (file, selected(unit.files[path].settings, unit.target(path)))
            for path in sorted(unit.asked - unparsed)
            if unit.files[path].traits.commented and (file := sources.file(path)) is not None
        )
    wanted = settle(placed for placed in found if _is_wanted(placed, asked))
    report.bounds = Counter(sources.shown(p.path[0]) for p in wanted if not _is_selected(p, asked))
    wanted = [placed for placed in wanted if _is_selected(placed, asked)]
    if ignore_suppressions:
        commented = []
    _Suppression(asked, sources, report, active=not ignore_suppressions).run(wanted, commented)
    report.diagnostics.sort(key=lambda diagnostic: (diagnostic.order, diagnostic.message))
    report.curable.sort(key=lambda curable: (curable[0].order, curable[0].message))
    report.sources = sources.shown_in(report.diagnostics)
    return report


def applicability(cure: Cure, code: str, settings: Settings) -> Applicability:
    """How far a cure may be trusted, as the user has it."""
    from xlalint.registry import expand

    def named(selectors: Iterable[str]) -> bool:
        return any(rule.code == code for selector in selectors for rule in expand(selector))

    own = cure.applicability
    if own is Applicability.SHOWN or named(settings.unfixable):
        return Applicability.SHOWN
    if settings.fixable is not None and not named(settings.fixable):
        return Applicability.SHOWN
    if named(settings.extend_unsafe_fixes):
        return Applicability.UNSAFE
    return Applicability.SAFE if named(settings.extend_safe_fixes) else own


def _broken(unit: Unit) -> Iterator[Unreadable]:
    """Files under check that cannot be decoded; and if they are named and not analyzed, parsed."""
    for path in sorted(unit.asked):
        file = unit.files[path]
        is_parsed = path not in unit.analyzed and path in unit.named
        if file.traits.sound and not is_parsed:
            continue
        source = file.source()
        if isinstance(source, SourceFile) and source.notebook is not None:
            if path in unit.analyzed or is_parsed:
                yield from _broken_cells(source, source.notebook)
            continue
        if isinstance(source, SourceFile) and is_parsed:
            from xlalint.program.parsing import parse_file

            tree = parse_file(source)
            source.tree = None
            source = tree if isinstance(tree, Unreadable) else source
        if isinstance(source, Unreadable):
            yield source


def _broken_cells(file: SourceFile, notebook: Notebook) -> Iterator[Unreadable]:
    for position, reason in notebook.broken:
        yield Unreadable(file.path, file.shown, f"syntax error: {reason}", position, file, "cell")


def _judged(file: Unreadable, unit: Unit) -> Iterator[Placed]:
    """What the rules say of a file that cannot be read or parsed."""
    from xlalint.analysis.engine import unreadable

    rules = selected(unit.settings(file.path.parent), unit.target(str(file.path)))
    return Judge(rules.values()).judge([unreadable(file)])


def _is_wanted(placed: Placed, asked: Mapping[str, Settings]) -> bool:
    """Whether a finding stands in a file under check, for which its rule is not ignored."""
    path = placed.path[0].path
    return path in asked and not _is_ignored(placed.code, path, asked[path])


def _is_selected(placed: Placed, asked: Mapping[str, Settings]) -> bool:
    """Whether a finding is to be reported, not only counted."""
    return placed.code in selected(asked[placed.path[0].path], DEFAULT_TARGET)


class _Texts:
    """The files that diagnostics speak of: those that were gathered, and others as they are needed."""

    def __init__(self) -> None:
        self._files: dict[str, SourceFile | Unreadable] = {}
        self._units: list[Unit] = []

    def add(self, broken: Iterable[Unreadable]) -> None:
        """Know files of which there is perhaps no text."""
        self._files.update((str(file.path), file) for file in broken)

    def take(self, unit: Unit) -> None:
        """Know the files of a project."""
        self._units.append(unit)

    def file(self, path: str) -> SourceFile | None:
        """The text of a file, as far as it can be had."""
        held = self._held(path)
        return held if isinstance(held, SourceFile) else held.file

    def suppressions(self, file: SourceFile) -> Suppressions:
        """What the comments of a file suppress."""
        from xlalint.registry import names
        from xlalint.sources.suppressions import find_suppressions

        held = self._gathered(str(file.path))
        return find_suppressions(file, names()) if held is None else held.suppressions(file, names())

    def shown(self, site: Site) -> str:
        """The path of the file as it is shown."""
        return self._held(site.path).shown

    def range(self, site: Site) -> Range:
        """The stretch of text at a site."""
        file = self.file(site.path)
        if file is None:
            return Range(Position(site.line, 1), Position(site.line, 1))
        if site.cell is not None and file.notebook is not None:
            above = file.notebook.in_program(site.cell, 1) - 1
            site = site._replace(line=site.line + above, end_line=site.end_line and site.end_line + above)
        return file.range(site)

    def in_cell(self, site: Site) -> Site:
        """The place as users of a notebook count it, by cells; that in another file as it is."""
        file = None if site.is_entry else self.file(site.path)
        if file is None or file.notebook is None:
            return site
        cell, line = file.notebook.cell_at(site.line)
        end = site.end_line and site.end_line - site.line + line
        return site._replace(line=line, end_line=end, cell=cell)

    def shown_in(self, diagnostics: Sequence[Diagnostic]) -> dict[str, SourceFile]:
        """The files that stand in diagnostics or beside them, by their shown path."""
        shown = {one.path for one in diagnostics}
        shown |= {related.path for one in diagnostics for related in one.related}
        files = map(self.file, self._files)
        return {file.shown: file for file in files if file is not None and file.shown in shown}

    def _held(self, path: str) -> SourceFile | Unreadable:
        if path not in self._files:
            file = self._gathered(path)
            self._files[path] = read(Path(path)) if file is None else file.source()
        return self._files[path]

    def _gathered(self, path: str) -> File | None:
        return next((unit.files[path] for unit in self._units if path in unit.files), None)


class _Suppression:
    """Reports what no comment silences, and the comments that silence nothing."""

    def __init__(self, asked: Mapping[str, Settings], texts: _Texts, report: Report, *, active: bool) -> None:
        """Args: active: whether comments silence anything."""
        self._active = active
        self._asked = asked
        self._texts = texts
        self._report = report

    def run(self, found: Iterable[Placed], commented: Iterable[tuple[SourceFile, Rules]]) -> None:
        """Go through all files that something was found in, or that have comments.

        Args:
            found: What was found.
            commented: Readable files with comments, and the rules that judged them.
        """
        by_path: dict[str, list[Placed]] = defaultdict(list)
        for placed in found:
            by_path[placed.path[0].path].append(placed)
        judged_by = {str(file.path): rules for file, rules in commented}
        for path in dict.fromkeys((*by_path, *judged_by)):
            file = self._texts.file(path)
            suppressions = None
            if file is not None and self._active:
                suppressions = self._texts.suppressions(file)
            for placed in by_path[path]:
                self._tell(placed, suppressions)
            if file is not None and suppressions is not None and path in judged_by:
                self._tell_of_comments(file, suppressions, judged_by[path])

    def _diagnostic(self, placed: Placed) -> Diagnostic:
        settings = self._asked[placed.path[0].path]
        fixes = tuple(
            Fix(cure.title, applicability(cure, placed.code, settings), changes=cure.changes)
            for cure in placed.finding.cures
        )
        placed = located(placed, self._texts.in_cell)
        made = diagnostic(placed, self._texts, severities=dict(settings.severity))
        return replace(made, fixes=fixes) if fixes else made

    def _tell(self, placed: Placed, suppressions: Suppressions | None, *, by_name: bool = False) -> None:
        diagnosed = self._diagnostic(placed)
        rule = placed.finding.rule
        names = (rule.name, *rule.aliases)
        if suppressions is not None and suppressions.silences(
            rule.code, names, diagnosed.range, by_name=by_name
        ):
            self._report.suppressed += 1
            return
        least = self._asked[placed.path[0].path].min_severity
        if diagnosed.severity < least:
            self._report.hidden[f"below the severity {least}"] += 1
            return
        self._report.diagnostics.append(diagnosed)
        if placed.finding.cures:
            self._report.curable.append((diagnosed, placed))

    def _tell_of_comments(self, file: SourceFile, suppressions: Suppressions, rules: Rules) -> None:
        path = str(file.path)
        settings = self._asked[path]
        # A comment may silence that it has no reason: whether it is in vain is known when that has been told.
        self._tell_of(_UNEXPLAINED_SUPPRESSION, _unexplained(file, suppressions), suppressions, path, rules)
        in_vain = _in_vain(
            file, suppressions, lambda selector: _is_looked_for(selector, path, settings, rules)
        )
        self._tell_of(_UNUSED_SUPPRESSION, in_vain, suppressions, path, rules)

    def _tell_of(
        self, code: str, events: Iterable[Event], suppressions: Suppressions, path: str, rules: Rules
    ) -> None:
        """Tell what one rule says of comments, if it is asked."""
        if code not in rules or _is_ignored(code, path, self._asked[path]):
            return
        judge = Judge([rules[code]])
        for event in events:
            for placed in judge.judge([Occurrence(event, View())]):
                # A comment that silences everything would silence what is wrong with it.
                self._tell(placed, suppressions, by_name=True)


def _unexplained(file: SourceFile, suppressions: Suppressions) -> Iterator[SuppressionUnexplained]:
    """The comments of a file that silence something without a reason."""
    for suppression in suppressions.all:
        if suppression.judged and not suppression.explained:
            site = file.site(suppression.place.start, suppression.place.end)
            yield SuppressionUnexplained(site, codes=suppression.selectors)


def _in_vain(
    file: SourceFile, suppressions: Suppressions, is_looked_for: Callable[[str], bool]
) -> Iterator[SuppressionUnused]:
    """The comments of a file that silence nothing, or name something that silences nothing."""
    for malformed in suppressions.malformed:
        site = file.site(malformed.place.start, malformed.place.end)
        yield SuppressionUnused(site, fault=malformed.reason, meant=malformed.meant)
    for suppression in suppressions.all:
        site = file.site(suppression.place.start, suppression.place.end)
        unknown = tuple(filter(_is_unknown, suppression.selectors))
        if unknown:
            meant = _with_known(_comment(file, suppression.place), unknown)
            yield SuppressionUnused(site, codes=unknown, fault="there is no such rule", meant=meant)
        codes = suppression.unused(is_looked_for)
        if codes is not None:
            yield SuppressionUnused(site, codes=codes)


def _comment(file: SourceFile, place: Range) -> str:
    return file.line(place.start.line)[place.start.column - 1 : place.end.column - 1]


def _with_known(comment: str, unknown: Sequence[str]) -> str:
    """A comment with the rules that may have been meant; empty where one of them is anybody's guess."""
    from xlalint.registry import nearest

    for selector in unknown:
        near = nearest(selector)
        if near is None:
            return ""
        comment = comment.replace(selector, near, 1)
    return comment


def _is_ignored(code: str, path: str, settings: Settings) -> bool:
    if not settings.per_file_ignores:
        return False
    from xlalint.registry import expand

    return any(
        patterns.take_within(path) and any(rule.code == code for s in selectors for rule in expand(s))
        for patterns, selectors in settings.per_file_ignores
    )


def _is_looked_for(selector: str, path: str, settings: Settings, rules: Rules) -> bool:
    """Whether a suppression of `selector` could have been used; of unknown rules something else is said."""
    from xlalint.registry import find

    if _is_unknown(selector):
        return False
    code = find(selector).code
    if code == _UNUSED_SUPPRESSION:
        return False
    return code in rules and not _is_ignored(code, path, settings)


def _is_unknown(selector: str) -> bool:
    from xlalint.registry import UnknownRule, find

    try:
        find(selector)
    except UnknownRule:
        return True
    return False
