"""What is found in one project: what is remembered of it, and by analysis what is not."""

from __future__ import annotations

import secrets
from collections import Counter
from functools import cache, cached_property
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from xlalint.cache import Cache, identity
from xlalint.judging import Judge, Placed, located
from xlalint.lazy.events import BoundReached, Event
from xlalint.lazy.site import Site
from xlalint.memory import (
    Memory,
    Rested,
    Root,
    Told,
    as_answers,
    as_records,
    holds,
    recollect,
    remembered,
    sections_of,
)
from xlalint.settings import Settings
from xlalint.sources.file import SourceFile
from xlalint.units import File, Known, Unit
from xlalint.versions import DEFAULT_TARGET, VersionRange

if TYPE_CHECKING:
    from xlalint.analysis.engine import Program, Result
    from xlalint.analysis.lookups import Fact
    from xlalint.analysis.project import Project
    from xlalint.rule import Rule

Rules = dict[str, "Rule[Any]"]

_DIGEST_BYTES = 8


class Findings(NamedTuple):
    """What is found in a project, placed in the lines of whole files; and what the analysis counted."""

    placed: list[Placed]
    statistics: Counter[str]


def findings(unit: Unit, cache: Cache | None = None) -> Findings:
    """All that is found in a project, in files that are asked for and others.

    Args:
        unit: The project.
        cache: Where answers are kept from one run to the next; None: nowhere.
    """
    return _Unit(unit, cache).run()


def program_of(unit: Unit) -> Program:
    """A project as it is analyzed, when nothing is judged."""
    return _Unit(unit, None).program(frozenset())


@cache
def selected(settings: Settings, target: VersionRange) -> Rules:
    """The rules that judge under some settings, by code."""
    from xlalint import registry

    chosen = registry.select(
        settings.select, settings.ignore, settings.extend_select, preview=settings.preview
    )
    return {rule.code: rule(target) for rule in chosen}


def _rule(code: str) -> type[Rule[Any]]:
    from xlalint.registry import find

    return find(code)


class _Unit:
    """One project, for the time of one check."""

    def __init__(self, unit: Unit, cache: Cache | None) -> None:
        self._unit = unit
        self._cache = cache
        self._hot: list[str] = []
        self._beside: dict[str, File] = {}
        """Files that are imported, but are not the project's."""
        self._settings = {file.settings for file in unit.files.values()}
        self._judges: dict[tuple[Settings, VersionRange], Judge] = {}

    def run(self) -> Findings:
        memory = self._remember()
        for path, file in self._unit.files.items():
            file.compare(memory.files.get(path))
        for path in memory.used.keys() - self._unit.files.keys():
            self._file(Path(path)).compare(memory.files.get(path))
        if self._cache is not None and holds(memory, {**self._unit.files, **self._beside}, self._fact):
            if self._files() != memory.files:
                memory.files = self._files()
                self._keep(memory, records=False)
            return Findings(self._recalled(memory), Counter(memory.statistics))
        self._hot = [path for path, file in self._unit.files.items() if file.traits.hot]
        if not self._hot:
            self._keep(Memory(self._files(), known=True))
            return Findings([], Counter())
        return self._analyze(memory)

    def _recalled(self, memory: Memory) -> list[Placed]:
        def where(site: Site) -> Site:
            if not site.section:
                return site
            above = memory.sections[site.path][site.section] - 1
            return site._replace(line=site.line + above, end_line=site.end_line + above, section="")

        told = (root.findings for root in memory.roots.values() if root.told)
        return [located(placed, where) for found in told for placed in found]

    def _analyze(self, memory: Memory) -> Findings:
        if self._cache is not None:
            recollect(memory, self._load("records"))
        program = self.program(self._kinds())
        now = Memory(known=True)
        for root, result, told in program.analyze(lambda root: self._recall(root, memory, program)):
            if result is None:
                now.roots[root] = Told(memory.roots[root].findings, told)
                now.rested[root] = memory.rested[root]
            else:
                now.roots[root] = Told(self._judged(result), told)
                now.rested[root] = Rested(self._values(result, program), result.entered)
        now.statistics = dict(program.statistics)
        if self._cache is not None:
            self._complete(now, program)
            self._keep(now)
        told_here = (root.findings for root in now.roots.values() if root.told)
        placed = [located(found, program.where) for each in told_here for found in each]
        return Findings(placed, Counter(now.statistics))

    def program(self, kinds: frozenset[type[Event]]) -> Program:
        """The project as it is analyzed; `kinds` are the kinds of events that somebody wants to know."""
        from xlalint.analysis.engine import Program

        files = (file for file in self._unit.files.values() if file.traits.hot or file.traits.hooked)
        sources = [source for file in files if isinstance(source := file.source(), SourceFile)]
        configuration = self._unit.configuration
        return Program(sources, kinds, configuration, open_file=lambda path: self._file(path).source())

    # Judging ------------------------------------------------------------------------------------

    def _kinds(self) -> frozenset[type[Event]]:
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

    def _judged(self, result: Result) -> list[Placed]:
        """What the rules say, each where the settings are that select it."""
        found: list[Placed] = []
        asked: set[Judge] = set()
        waiting = [self._judge(path) for path in self._hot[:1]]
        while waiting:
            judge = waiting.pop()
            asked.add(judge)
            for placed in judge.judge(result.occurrences):
                path = placed.path[0].path
                if path not in self._unit.files:
                    continue
                own = self._judge(path)
                if own is judge:
                    found.append(placed)
                elif own not in asked and own not in waiting:
                    waiting.append(own)
        return found

    # Memory -------------------------------------------------------------------------------------

    def _remember(self) -> Memory:
        if self._cache is None:
            return Memory()
        return remembered(self._load("answers"), _rule)

    def _recall(self, root: Root, memory: Memory, program: Program) -> frozenset[tuple[str, str]] | None:
        rested = memory.rested.get(root)
        told = memory.roots.get(root)
        if rested is None or told is None:
            return None
        for fact, value in rested.facts.items():
            if not self._is_unchanged(fact, memory) and program.facts.value(fact) != value:
                return None
        if any(not self._has_section(*section, program) for section in sections_of(told.findings)):
            return None
        return rested.entered

    def _is_unchanged(self, fact: Fact, memory: Memory) -> bool:
        """Whether it is seen without a look into the file that a fact has not changed."""
        from xlalint.analysis.facts import OF_THE_WHOLE
        from xlalint.analysis.project import ABOUT_FILES

        kind, path, _ = fact
        if kind in OF_THE_WHOLE or kind in ABOUT_FILES:
            return False
        return path in memory.used and self._file(Path(path)).digest == memory.used[path]

    def _has_section(self, path: str, section: str, program: Program) -> bool:
        outline = program.project.outline(Path(path))
        return outline is not None and outline.sections.find(section) is not None

    def _values(self, result: Result, program: Program) -> dict[Fact, str]:
        return {fact: program.facts.value(fact) for fact in sorted(result.rested)}

    def _complete(self, memory: Memory, program: Program) -> None:
        """Add to a memory what tells whether it holds."""
        from xlalint.analysis.project import ABOUT_FILES

        memory.files = self._files()
        memory.used = {str(path): self._file(path).digest for path in program.project.opened}
        for importer, name in program.plan.resolved:
            fact = ("module", importer, name)
            memory.elsewhere[fact] = self._fact(fact)
        for rested in memory.rested.values():
            about_files = ((fact, value) for fact, value in rested.facts.items() if fact[0] in ABOUT_FILES)
            memory.elsewhere.update(about_files)
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
        for path, file in self._unit.files.items():
            if file.traits.hot:
                fact = ("target", path, "")
                memory.elsewhere[fact] = self._fact(fact)

    def _fact(self, fact: Fact) -> str:
        """The present value of a fact that is not about the text of a file."""
        kind, path, detail = fact
        return str(self._unit.target(path)) if kind == "target" else self._project.fact(kind, path, detail)

    @cached_property
    def _project(self) -> Project:
        from xlalint.analysis.project import Project

        return Project(self._unit.configuration, lambda path: None)

    @cached_property
    def _identity(self) -> str:
        """What changes when something else than the program and its project does."""
        by_settings: dict[tuple[object, ...], set[str]] = {}
        for path, file in self._unit.files.items():
            by_settings.setdefault(_steering(file.settings), set()).add(str(Path(path).parent))
        told = [identity(), str(self._unit.root)]
        for settings in sorted(by_settings, key=repr):
            told.append(repr(settings))
            if len(by_settings) > 1:
                told += sorted(by_settings[settings])
        return blake2b(
            "\n".join(told).encode("utf-8", "surrogateescape"), digest_size=_DIGEST_BYTES
        ).hexdigest()

    def _file(self, path: Path) -> File:
        """A file of the project, or one beside it that is imported."""
        name = str(path)
        file = self._unit.files.get(name) or self._beside.get(name)
        if file is None:
            file = self._beside[name] = File(name, self._unit.settings(path.parent))
            file.compare(None)
        return file

    def _files(self) -> dict[str, Known]:
        files = (*self._unit.files.values(), *self._beside.values())
        return {file.path: known for file in files if (known := file.to_remember()) is not None}

    def _load(self, what: str) -> Any:
        assert self._cache is not None
        return self._cache.load(self._unit.root, f"{what}-{self._identity}")

    def _keep(self, memory: Memory, *, records: bool = True) -> None:
        if self._cache is None or any(file.given for file in self._unit.files.values()):
            return
        root = self._unit.root
        if records:
            memory.stamp = secrets.token_hex(8)
            self._cache.keep(root, f"records-{self._identity}", as_records(memory))
        self._cache.keep(root, f"answers-{self._identity}", as_answers(memory))


def _steering(settings: Settings) -> tuple[object, ...]:
    """The settings that what is remembered depends on; others are looked at when it is told."""
    return (
        settings.select, settings.ignore, settings.extend_select, settings.preview, settings.target_version,
        settings.wrappers, settings.other_backends,
    )  # fmt: skip
