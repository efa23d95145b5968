"""Checks of files that change between two checks, in a process that stays: for editors.

A session keeps projects in memory as they were analyzed: outlines, summaries, and what was found at each
root. When a text changes, what rests on it is found out anew, and nothing else. The answer is that of
`checker.check`, with one exception: while a file cannot be parsed, what is said of *others* is what its last
text made of them that could.
"""

from __future__ import annotations

import gc
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

from xlalint import checker
from xlalint.analysis.engine import Program, Root, unreadable
from xlalint.analysis.reuse.lookups import Fact
from xlalint.checker import Report
from xlalint.findings import Findings, Search, findings
from xlalint.gathering import Gathered, Input, gather
from xlalint.judging import Placed, located
from xlalint.memory import sections_of
from xlalint.program.outline import Key
from xlalint.program.parsing import parse_file
from xlalint.settings import SettingsFinder
from xlalint.sources.file import SourceFile, Unreadable
from xlalint.sources.settings_files import SUFFIXES
from xlalint.stack import on_large_stack
from xlalint.units import Unit

MOST_GROWN = 3
"""A program of which so many times is known what was at first is analyzed afresh."""
FEW = 5000
"""So much is little for any program."""


class Session:
    """Checks files again and again, as their texts change."""

    def __init__(
        self, finder: Callable[[], SettingsFinder], *, force_exclude: bool = False,
        is_wanted: Callable[[], bool] = lambda: True,
    ) -> None:  # fmt: skip
        """
        Args:
            finder: Makes what says which settings hold where: once, and again when they may have changed.
            force_exclude: Whether excludes count for files that are asked for by name, too.
            is_wanted: Is asked while a check runs, from whatever thread runs it, whether to go on.
        """
        self._make_finder = finder
        self._finder = finder()
        self._force_exclude = force_exclude
        self._is_wanted = is_wanted
        self._projects: dict[Path, _Project] = {}

    def check(
        self, paths: Sequence[Path], texts: Mapping[str, bytes] = MappingProxyType({}), *,
        standard_input: Input | None = None, ignore_suppressions: bool = False,
    ) -> Report:  # fmt: skip
        """Check files, and what lies below directories.

        Args:
            paths: Files and directories. Files of projects that were checked before are looked at at once;
                for all else, their projects are looked for and analyzed.
            texts: By absolute path, what stands in files instead of what is on disk: all such texts, not
                only those that have changed since the last check.
            standard_input, ignore_suppressions: As of `checker.check`.

        Raises:
            SettingsError: settings that hold for one of the files cannot be used.
            Unwanted: nobody wants the answer any more. What was found out until then stays known.
        """
        known = self._known(paths, texts) if standard_input is None else None
        gathered = known or gather(
            paths, self._finder, texts=texts, force_exclude=self._force_exclude,
            standard_input=standard_input,
        )  # fmt: skip
        return checker.report_on(
            gathered, self._finder, self._findings, ignore_suppressions=ignore_suppressions
        )

    def reread(self, paths: Iterable[Path]) -> None:
        """Files on disk have changed, come or gone. Source files that are known are looked at again.

        For any other, such as settings, all is forgotten: what they are to the projects must be found out.
        Files that programs may read settings from count where one of these was asked for.
        """
        for path in paths:
            if path.suffix in SUFFIXES and not any(
                project.reads_settings_of_programs for project in self._projects.values()
            ):
                continue
            known = [project for project in self._projects.values() if str(path) in project.unit.files]
            if len(known) != 1 or not path.is_file():
                self.forget()
                return
            known[0].to_reread.add(str(path))

    def forget(self) -> None:
        """Know nothing any more; settings are read anew."""
        for project in self._projects.values():
            project.close()
        self._projects.clear()
        self._finder = self._make_finder()

    def _known(self, paths: Sequence[Path], texts: Mapping[str, bytes]) -> Gathered | None:
        """The projects of files, where all are known; else None."""
        asked: dict[Path, set[str]] = {}
        for path in paths:
            own = [root for root, project in self._projects.items() if str(path) in project.unit.files]
            if len(own) != 1:
                return None
            asked.setdefault(own[0], set()).add(str(path))
        units = []
        for root, held in sorted(asked.items()):
            project = self._projects[root]
            units.append(project.unit.with_texts(texts, held, project.to_reread))
        return Gathered(units, sum(map(len, asked.values())))

    def _findings(self, unit: Unit) -> Findings:
        if unit.is_foreign:
            return findings(unit)
        return on_large_stack(lambda: self._found(unit))

    def _found(self, unit: Unit) -> Findings:
        project = self._projects.get(unit.root)
        if project is None or not project.take(unit):
            if project is not None:
                project.close()
            project = self._projects[unit.root] = _Project(unit, self._is_wanted)
        project.finish()
        return project.findings()


class Unwanted(Exception):
    """A check was given up, as nobody wants its answer any more."""


class _Known(NamedTuple):
    """What was found at a root, and what that rests on."""

    found: list[Placed]
    told: bool
    entered: frozenset[Key]
    rested: frozenset[Fact]


class _Project:
    """One project as it was analyzed last."""

    def __init__(self, unit: Unit, is_wanted: Callable[[], bool]) -> None:
        self._is_wanted = is_wanted
        self.unit = unit
        """The project as it is."""
        self.to_reread: set[str] = set()
        """The files of which the present text is no more what is on disk."""
        self._analyzed = unit
        """The same with older texts where the present ones cannot be parsed."""
        self._search = Search(unit)
        self._roots: dict[Root, _Known] = {}
        self._never_parsed: dict[str, Unreadable] = {}
        """By path, why a text cannot be parsed that the program began with."""
        self._program: Program | None = None
        self._at_first = 0
        """How much was known when all roots had been analyzed for the first time; 0: they have not."""
        self._is_whole = not unit.analyzed
        """Whether something is known of all roots."""
        if unit.analyzed:
            with _made_to_stay():
                self._program = self._search.program(self._search.kinds(), unit.analyzed, stays=True)
            self._never_parsed = {str(file.path): file for file in self._program.unreadable}
        self._broken = self._never_parsed
        """By path, why a present text cannot be parsed."""

    @property
    def reads_settings_of_programs(self) -> bool:
        """Whether anything rests on files that programs may read settings from."""
        return self._program is not None and self._program.project.reads_settings_of_programs

    def close(self) -> None:
        """Forget the program."""
        if self._program is not None:
            self._program.close()
            gc.unfreeze()

    def finish(self) -> None:
        """Find out what is not known.

        Raises:
            Unwanted: nobody wants it any more.
        """
        if self._is_whole:
            return
        if self._at_first:
            self._analyze()
            return
        with _made_to_stay():
            self._analyze()
        assert self._program is not None
        self._at_first = self._program.known

    def findings(self) -> Findings:
        """What is found in the project as it is."""
        program = self._program
        if program is None:
            return Findings([], Counter())
        told = (placed for known in self._roots.values() if known.told for placed in known.found)
        placed = [located(each, program.where) for each in told if each.path[0].path not in self._broken]
        for path, file in self._broken.items():
            if path in self.unit.analyzed:
                placed += self._search.judged([unreadable(file)])
        return Findings(placed, program.statistics)

    def take(self, unit: Unit) -> bool:
        """Go on with the present texts of the project; False where it must be analyzed afresh."""
        before, self.unit = self._analyzed, unit
        self.to_reread.clear()
        if unit.files.keys() != before.files.keys():
            return False
        broken: dict[str, Unreadable] = {}
        changed: list[SourceFile] = []
        for path, file in unit.files.items():
            if file is before.files[path] or file.digest == before.files[path].digest:
                if path in self._never_parsed:
                    broken[path] = self._never_parsed[path]
                continue
            source = file.source()
            tree = source if isinstance(source, Unreadable) else parse_file(source)
            if isinstance(tree, Unreadable):
                broken[path] = tree
            elif isinstance(source, SourceFile):
                changed.append(source)
        self._broken = broken
        self._analyzed = unit.with_files({path: before.files[path] for path in broken}) if broken else unit
        self._search.take(self._analyzed)
        if _steering(self._analyzed) != _steering(before):
            return False
        return self._program is None or not changed or self._change(self._program, changed)

    def _change(self, program: Program, files: list[SourceFile]) -> bool:
        has_changed = program.change(files)
        if has_changed is None or (self._at_first and program.known > MOST_GROWN * self._at_first + FEW):
            return False
        paths = {str(file.path) for file in files}
        for root, known in list(self._roots.items()):
            places = sections_of(known.found)
            if has_changed(known.rested) or any(
                path in paths and not program.has_section(path, section) for path, section in places
            ):
                del self._roots[root]
        self._is_whole = False
        return True

    def _analyze(self) -> None:
        """Analyze the roots of which nothing is known."""
        assert self._program is not None
        roots: dict[Root, _Known] = {}
        try:
            for root, result, told in self._program.analyze(self._recall):
                if root.kind == "file":
                    continue  # told with the present text
                if result is None:
                    roots[root] = self._roots[root]._replace(told=told)
                else:
                    found = self._search.judged(result.occurrences)
                    roots[root] = _Known(found, told, result.entered, result.rested)
        except Unwanted:
            self._roots.update(roots)
            raise
        self._roots = roots
        self._is_whole = True

    def _recall(self, root: Root) -> frozenset[Key] | None:
        """As of `Program.analyze`, which asks before it analyzes a root: the moment to give up."""
        if not self._is_wanted():
            raise Unwanted
        known = self._roots.get(root)
        return None if known is None else known.entered


@contextmanager
def _made_to_stay() -> Iterator[None]:
    """Keep Python's search for circles of garbage away from what is made here, as it stays for long.

    To look through a whole project takes half a second, and that would come while somebody types.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        gc.collect()
        gc.freeze()
        if was_enabled:
            gc.enable()


def _steering(unit: Unit) -> tuple[object, ...]:
    """What decides how the files of a project are analyzed."""
    return (
        unit.analyzed, unit.users, unit.guessed, unit.started, unit.helped, unit.elsewhere,
        unit.unregistered, unit.refusing,
    )  # fmt: skip
