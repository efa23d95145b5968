"""What is found in one project: what is remembered of it, and by analysis what is not."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Sequence
from functools import cache, cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from xlalint.cache import Cache, identity
from xlalint.files import File, Known
from xlalint.judging import Judge, Occurrence, Placed, located, told_once
from xlalint.lazy.events import BoundReached, Event
from xlalint.lazy.site import FRAMEWORK, Site
from xlalint.memory import (
    Memory,
    Rested,
    Told,
    as_answers,
    as_records,
    holds,
    recollect,
    remembered,
    sections_of,
    without_circles,
)
from xlalint.progress import Progress
from xlalint.settings import Settings
from xlalint.sources.file import SourceFile, digest
from xlalint.stack import on_large_stack
from xlalint.units import Unit
from xlalint.versions import DEFAULT_TARGET, VersionRange

if TYPE_CHECKING:
    from xlalint.analysis.engine import Program
    from xlalint.analysis.reuse.lookups import Fact
    from xlalint.program.project import Project
    from xlalint.recalling import Recall
    from xlalint.rule import Rule

Rules = dict[str, "Rule[Any]"]

_ANALYZED = ("analyzed", "", "")
"""The fact which files of the project are analyzed, and which of them as users of a framework."""


class Findings(NamedTuple):
    """What is found in a project, placed in the lines of whole files; and what the analysis counted."""

    placed: list[Placed]
    statistics: Counter[str]


def findings(
    unit: Unit, cache: Cache | None = None, *, is_last: bool = True, progress: Progress | None = None
) -> Findings:
    """All that is found in a project, in files that are asked for and others.

    Args:
        unit: The project.
        cache: Where answers are kept from one run to the next; None: nowhere.
        is_last: Whether no other project follows, which would need the memory.
        progress: Who is told how far the analysis has come.
    """
    return on_large_stack(Search(unit, cache, is_last=is_last, progress=progress).run)


def program_of(unit: Unit) -> Program:
    """A project as it is analyzed, when nothing is judged."""
    from xlalint.importers import needed

    held = Search(unit)
    return held.program(frozenset(), needed(unit.asked, unit.files, unit.analyzed, held.project))


@cache
def selected(settings: Settings, target: VersionRange) -> Rules:
    """The rules that judge under some settings, by code."""
    from xlalint import registry

    chosen = registry.select(
        settings.select, settings.ignore, settings.extend_select, preview=settings.preview
    )
    return {rule.code: rule(target) for rule in chosen}


@cache
def _rule(code: str) -> type[Rule[Any]]:
    from xlalint.registry import find

    return find(code)


class Search:
    """One project, for the time of one check; or of a session, which analyzes it by itself."""

    def __init__(
        self, unit: Unit, cache: Cache | None = None, *, is_last: bool = True,
        progress: Progress | None = None,
    ) -> None:  # fmt: skip
        self._is_last = is_last
        self._progress = Progress() if progress is None else progress
        self._unit = unit
        self._cache = cache
        self._beside: dict[str, File] = {}
        """Files that are imported, but are not the project's."""
        self._analyzed_as_before: str | None = None
        """What is remembered of which files are analyzed, if nothing has changed that says so."""
        self._settings = unit.all_settings
        self._judges: dict[tuple[Settings, VersionRange], Judge] = {}

    def take(self, unit: Unit) -> None:
        """Go on with other texts of the same project."""
        self._unit = unit

    def run(self) -> Findings:
        """All that is found; what is remembered is compared with the files as they are."""
        memory = self._remember()
        for path, file in self._unit.files.items():
            file.compare(memory.files.get(path), digested=self._cache is not None)
        for path in memory.used.keys() - self._unit.files.keys():
            self._file(path).compare(memory.files.get(path))
        files = self._unit.files.values()
        if all(file.says_as_before for file in files) and memory.said == self._unit.said:
            self._unit.analyzed, self._unit.helped = memory.all_analyzed, memory.helped
            if all(file.is_known for file in files):
                self._analyzed_as_before = memory.elsewhere[_ANALYZED]
        if self._cache is not None and holds(
            memory, self._unit.asked, {**self._unit.files, **self._beside}, self._fact
        ):
            if self._files() != memory.files:
                self._keep(memory, records=False)
            return Findings(self._recalled(memory), Counter(memory.statistics))
        if not self._unit.analyzed:
            elsewhere = {_ANALYZED: self._fact(_ANALYZED)}
            said, covered = self._unit.said, set(self._unit.files)
            self._keep(Memory(elsewhere=elsewhere, said=said, covered=covered, known=True))
            return Findings([], Counter())
        return self._analyze(memory)

    def _recalled(self, memory: Memory) -> list[Placed]:
        def where(site: Site) -> Site:
            return site.in_file(memory.sections[site.path][site.section]) if site.section else site

        told = (root.findings for root in memory.roots.values() if root.told)
        return [located(placed, where) for found in told for placed in found]

    def _analyze(self, memory: Memory) -> Findings:
        from xlalint.recalling import Recall

        targets = ((fact, value) for fact, value in memory.elsewhere.items() if fact[0] == "target")
        if any(self._fact(fact) != value for fact, value in targets):
            memory = Memory(memory.files)  # rules may say something else of all that was found
        elif self._cache is not None:
            recollect(memory, self._load("records"), _rule)
        analyzed = self._unit.analyzed
        covered = set(self._unit.files)
        if not analyzed <= self._unit.asked and not memory.covered >= analyzed:
            if self._unit.asked == memory.covered and self._imports_as_before(memory):
                analyzed = set(memory.analyzed) & analyzed
            else:
                from xlalint.importers import needed

                analyzed = needed(self._unit.asked, self._unit.files, analyzed, self.project)
            covered = self._unit.asked
        program = self.program(self.kinds(), analyzed, self._summaries(memory))
        recall = Recall(memory, program, lambda path: self._file(path).digest)
        now = Memory(known=True, covered=covered, analyzed=analyzed)
        self._progress.expect(program.size)
        for root, result, told in program.analyze(recall.entered):
            self._progress.advance(root.file)
            if result is None:
                now.roots[root] = Told(recall.told(root).findings, told)
                rested = memory.rested[root]
                now.rested[root] = rested._replace(facts=recall.renewed(rested.facts))
            else:
                now.roots[root] = Told(self.judged(result.occurrences), told)
                rested_on = sorted(result.rested) if self._cache is not None else ()
                facts = recall.renewed({fact: recall.value(fact) for fact in rested_on})
                now.rested[root] = Rested(facts, result.entered)
        now.statistics = dict(program.statistics)
        if self._cache is not None:
            self._complete(now, memory, recall, program, analyzed)
            self._keep_summaries(now, memory, recall, program)
            self._keep(now)
        told_here = (root.findings for root in now.roots.values() if root.told)
        placed = [located(found, program.where) for each in told_here for found in each]
        if not self._is_last:
            program.close()
        return Findings(placed, Counter(now.statistics))

    def program(
        self, kinds: frozenset[type[Event]], analyzed: set[str], kept: Any = None, *, stays: bool = False
    ) -> Program:
        """The project as it is analyzed.

        Args:
            kinds: The kinds of events that somebody wants to know.
            analyzed: The files whose functions may be roots.
            kept: The summaries of the last run, as JSON.
            stays: Whether texts will change while it is in memory.
        """
        from xlalint.analysis.engine import Program

        files = (self._unit.files[path] for path in sorted(analyzed))
        sources = [source for file in files if isinstance(source := file.source(), SourceFile)]
        return Program(
            sources, kinds, self._unit.configuration,
            users=map(Path, self._unit.users),
            guessed=map(Path, self._unit.guessed),
            started=map(Path, self._unit.started),
            helped=map(Path, self._unit.helped),
            elsewhere=self._unit.elsewhere,
            unregistered=self._unit.unregistered,
            refusing=self._unit.refusing,
            open_file=lambda path: self._file(str(path)).source(),
            kept=kept,
            stays=stays,
        )  # fmt: skip

    # Judging ------------------------------------------------------------------------------------

    def kinds(self) -> frozenset[type[Event]]:
        """The kinds of events that somebody judges, or counts."""
        return frozenset({BoundReached}).union(
            *(rule.events for each in self._settings for rule in selected(each, DEFAULT_TARGET).values())
        )

    def _judge(self, path: str) -> Judge:
        """Who judges what is found in a file."""
        file = self._unit.files[path]
        target = self._unit.target(path)
        judge = self._judges.get((file.settings, target))
        if judge is None:
            from xlalint.registry import all_rules

            rules = selected(file.settings, target)
            others = (rule(target) for rule in all_rules() if rule.events == (BoundReached,))
            # How often the analysis was cut short is counted, whether or not it is to be reported.
            counted = [rule for rule in others if rule.code not in rules]
            judge = self._judges[file.settings, target] = Judge([*rules.values(), *counted])
        return judge

    def judged(self, occurrences: Sequence[Occurrence]) -> list[Placed]:
        """What the rules say, each where the settings are that select it."""
        found: list[Placed] = []
        asked: set[Judge] = set()
        waiting = [self._judge(path) for path in sorted(self._unit.analyzed)[:1]]
        while waiting:
            judge = waiting.pop()
            asked.add(judge)
            for placed in judge.judge(occurrences):
                path = placed.path[0].path
                if path not in self._unit.files:
                    continue
                own = self._judge(path)
                if own is judge:
                    found.append(placed)
                elif own not in asked and own not in waiting:
                    waiting.append(own)
        return told_once(found)

    # Memory -------------------------------------------------------------------------------------

    def _imports_as_before(self, memory: Memory) -> bool:
        """Whether the files are the same as before, those that use torch_xla too, and import the same."""
        if self._unit.files.keys() != memory.files.keys() - self._beside.keys():
            return False
        both = ((file, memory.files[path]) for path, file in self._unit.files.items())
        same = all(file.imports == known.imports and file.counts == known.counts for file, known in both)
        return same and self._fact(_ANALYZED) == memory.elsewhere.get(_ANALYZED)

    def _remember(self) -> Memory:
        if self._cache is None:
            return Memory()
        return remembered(self._load("answers"), _rule)

    def _summaries(self, memory: Memory) -> Any:
        """The summaries that were kept with a memory."""
        held = self._load("summaries") if memory.summaries else None
        return held["content"] if held is not None and held["stamp"] == memory.summaries else None

    def _keep_summaries(self, memory: Memory, before: Memory, recall: Recall, program: Program) -> None:
        memory.summaries = before.summaries
        # Of results that were passed over for a while, it is not known which summaries they rest on.
        is_whole = program.kept.is_whole or not before.rested
        program.kept.is_whole = is_whole and before.former.keys().isdisjoint(memory.roots)
        content = program.to_keep(recall.value)
        if content is not None and self._may_keep:
            assert self._cache is not None
            memory.summaries = os.urandom(8).hex()
            held = {"stamp": memory.summaries, "content": content}
            self._cache.keep(self._unit.root, f"summaries-{self._identity}", held)

    def _complete(
        self, memory: Memory, before: Memory, recall: Recall, program: Program, analyzed: set[str]
    ) -> None:
        """Add to a memory what tells whether it holds, and what was known of files not analyzed this time."""
        from xlalint.program.project import ABOUT_FILES

        for root, rested in before.rested.items():
            if root not in memory.roots and root[1] in self._unit.files and root[1] not in analyzed:
                memory.rested[root] = rested
                memory.former[root] = recall.told(root)
        rested_on = [memory.rested[root].facts for root in memory.roots]
        for facts in rested_on:  # which grows on the way
            for fact in facts:
                if fact[0] == "attributes" and fact not in memory.derived:
                    below = recall.derived(fact)
                    memory.derived[fact] = below
                    rested_on.append(below)
        memory.derived = without_circles(memory.derived)
        opened = {str(path) for path in program.project.opened}
        opened |= {
            file
            for facts in rested_on
            for kind, file, _ in facts
            if kind not in ABOUT_FILES and not file.startswith(FRAMEWORK)
        }
        memory.used = {path: self._file(path).digest for path in sorted(opened)}
        for folder, name in program.plan.resolved:
            fact = ("module", folder, name)
            memory.elsewhere[fact] = self._fact(fact)
        for facts in rested_on:
            memory.elsewhere.update((fact, value) for fact, value in facts.items() if fact[0] in ABOUT_FILES)
        for path in memory.used:
            fact = ("module name", path, "")
            memory.elsewhere[fact] = self._fact(fact)
        for path, section in sorted(
            {place for told in memory.roots.values() for place in sections_of(told.findings)}
        ):
            outline = program.project.outline(Path(path))
            found = outline.sections.find(section) if outline is not None else None
            assert found is not None
            memory.sections.setdefault(path, {})[section] = found.first
        unit = self._unit
        memory.said, memory.all_analyzed, memory.helped = unit.said, unit.analyzed, unit.helped
        for fact in (_ANALYZED, *(("target", path, "") for path in unit.analyzed)):
            memory.elsewhere[fact] = self._fact(fact)

    def _fact(self, fact: Fact) -> str:
        """The present value of a fact that is not about the text of a file."""
        kind, path, detail = fact
        if fact == _ANALYZED:
            if self._analyzed_as_before is not None:
                return self._analyzed_as_before
            unit = self._unit
            told = [*sorted(unit.analyzed), "", *sorted(unit.users), "", *sorted(unit.helped), ""]
            told += [*map(str, sorted(unit.elsewhere)), "", *sorted(unit.guessed), "", *sorted(unit.started)]
            told += (f"{path} {sorted(unknown)}" for path, unknown in sorted(unit.unregistered.items()))
            told += ["", *sorted(unit.refusing)]
            return digest("\n".join(told).encode("utf-8", "surrogateescape"))
        return str(self._unit.target(path)) if kind == "target" else self.project.fact(kind, path, detail)

    @cached_property
    def project(self) -> Project:
        """Says what imports mean, and opens nothing."""
        from xlalint.program.project import Project

        return Project(self._unit.configuration, lambda path: None)

    @cached_property
    def _identity(self) -> str:
        """What changes when something else than the program and its project does."""
        steering = {settings: _steering(settings) for settings in self._settings}
        by_settings: dict[tuple[object, ...], set[str]] = {held: set() for held in steering.values()}
        if len(by_settings) > 1:
            for path, file in self._unit.files.items():
                by_settings[steering[file.settings]].add(os.path.dirname(path))  # noqa: PTH120
        told = [identity(), str(self._unit.root)]
        for settings in sorted(by_settings, key=repr):
            told.append(repr(settings))
            if len(by_settings) > 1:
                told += sorted(by_settings[settings])
        return digest("\n".join(told).encode("utf-8", "surrogateescape"))

    def _file(self, name: str) -> File:
        """A file of the project, or one beside it that is imported."""
        file = self._unit.files.get(name) or self._beside.get(name)
        if file is None:
            file = self._beside[name] = File(name, self._unit.settings(Path(name).parent))
            file.compare(None)
        return file

    def _files(self) -> dict[str, Known]:
        files = (*self._unit.files.values(), *self._beside.values())
        return {file.path: known for file in files if (known := file.to_remember()) is not None}

    def _load(self, what: str) -> Any:
        assert self._cache is not None
        return self._cache.load(self._unit.root, f"{what}-{self._identity}")

    @cached_property
    def _may_keep(self) -> bool:
        """Whether the files are those that the next run will find."""
        return not any(file.given for file in self._unit.files.values())

    def _keep(self, memory: Memory, *, records: bool = True) -> None:
        if self._cache is None or not self._may_keep:
            return
        self._look_for_suppressions(memory)
        memory.files = self._files()
        root = self._unit.root
        if records:
            memory.stamp = os.urandom(8).hex()
            self._cache.keep(root, f"records-{self._identity}", as_records(memory))
        self._cache.keep(root, f"answers-{self._identity}", as_answers(memory))

    def _look_for_suppressions(self, memory: Memory) -> None:
        """Know what is suppressed where the next run will ask for it."""
        told = (root.findings for root in memory.roots.values() if root.told)
        found_in = {placed.path[0].path for found in told for placed in found}
        files = self._unit.files.items()
        asked_for = [file for path, file in files if path in found_in or file.traits.commented]
        if asked_for:
            from xlalint.registry import names

            for file in asked_for:
                source = file.source()
                if isinstance(source, SourceFile):
                    file.suppressions(source, names())


def _steering(settings: Settings) -> tuple[object, ...]:
    """The settings that what is remembered depends on; others are looked at when it is told."""
    return (
        settings.select, settings.ignore, settings.extend_select, settings.preview, settings.target_version,
        settings.frameworks, settings.other_backends,
    )  # fmt: skip
