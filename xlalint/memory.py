"""What is remembered of a project: its files, the results of its roots, and the facts that they rest on.

A result holds as long as the facts that it rests on do. Where nothing has changed at all, that is seen
from the files without parsing any; otherwise each root's facts are looked at, and those roots are
analyzed again of which one has changed. Places are kept as they are counted in their sections, so that a
line inserted above a function changes nothing of what is known of it.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from xlalint import cure as cures
from xlalint.cure import Cure
from xlalint.diagnostic import Applicability, Severity
from xlalint.files import File, Known, Stat, Traits
from xlalint.judging import Placed
from xlalint.lazy.site import Site
from xlalint.rule import Finding, Later, Rule

if TYPE_CHECKING:
    from xlalint.analysis.reuse.lookups import Fact

Root = tuple[str, str, str]
Key = tuple[str, str]
RulesByCode = Callable[[str], "type[Rule[Any]]"]


@dataclass(slots=True)
class Told:
    """What was found at a root.

    Args:
        findings: What the rules say, with places as they are counted in their sections.
        told: Whether it is to be reported.
    """

    findings: list[Placed]
    told: bool


class Rested(NamedTuple):
    """What a result rests on: facts with their values; and the functions that were entered."""

    facts: Mapping[Fact, str]
    entered: frozenset[Key]


@dataclass(slots=True)
class Memory:
    """What is remembered of one project.

    Args:
        files: The project's files as they were.
        used: The content of each file that some result rests on, as a digest.
        elsewhere: Facts that are not about the text of a file, and that results rest on.
        said: What `Unit.said` was.
        all_analyzed: What `Unit.analyzed` was; `analyzed` may be some of it.
        helped: What `Unit.helped` was.
        sections: By file, the first line of each section that a place is counted in.
        roots: What was found.
        rested: What each result rests on.
        statistics: What the analysis counted.
    """

    files: dict[str, Known] = field(default_factory=dict)
    used: dict[str, str] = field(default_factory=dict)
    elsewhere: dict[Fact, str] = field(default_factory=dict)
    said: str = ""
    all_analyzed: set[str] = field(default_factory=set)
    helped: set[str] = field(default_factory=set)
    sections: dict[str, dict[str, int]] = field(default_factory=dict)
    roots: dict[Root, Told] = field(default_factory=dict)
    rested: dict[Root, Rested] = field(default_factory=dict)
    derived: dict[Fact, Mapping[Fact, str]] = field(default_factory=dict)
    """Facts that were found out of others, and those with their values."""
    former: dict[Root, Told] = field(default_factory=dict)
    """What was found at roots that were not asked for since: it may hold, or not."""
    statistics: dict[str, int] = field(default_factory=dict)
    covered: set[str] = field(default_factory=set)
    """The files of which everything is known that happens there."""
    analyzed: set[str] = field(default_factory=set)
    """The files that were looked at to know that."""
    stamp: str = ""
    """The same for all that was kept together."""
    summaries: str = ""
    """The stamp of the summaries that hold as this does."""
    known: bool = False
    """Whether there is anything to remember."""


# Writing ----------------------------------------------------------------------------------------


def as_answers(memory: Memory) -> Any:
    """All of a memory but for what the results rest on, as JSON."""
    names = _Names()
    return {
        "stamp": memory.stamp,
        "summaries": memory.summaries,
        "covered": sorted(memory.covered),
        "analyzed": sorted(memory.analyzed),
        "files": [
            [
                path,
                *known.stat,
                known.digest,
                sum(1 << bit for bit, on in enumerate(known.traits) if on),
                known.touched,
                known.imports,
                known.suppressions,
                known.taken,
            ]
            for path, known in memory.files.items()
        ],
        "used": memory.used,
        "elsewhere": [[*fact, value] for fact, value in memory.elsewhere.items()],
        "said": memory.said,
        "all_analyzed": sorted(memory.all_analyzed),
        "helped": sorted(memory.helped),
        "sections": memory.sections,
        "roots": [
            [*root, told.told, [_encode_finding(found, names) for found in told.findings]]
            for root, told in memory.roots.items()
        ],
        "statistics": memory.statistics,
        "names": names.all,
    }


def as_records(memory: Memory) -> Any:
    """What the results rest on, as JSON."""
    numbers: dict[tuple[Fact, str], int] = {}
    roots = []
    names = _Names()
    for root, rested in memory.rested.items():
        facts = [numbers.setdefault(item, len(numbers)) for item in rested.facts.items()]
        former = memory.former.get(root)
        told = None if former is None else [_encode_finding(found, names) for found in former.findings]
        roots.append([*root, facts, sorted(rested.entered), told])
    derived = [
        [*fact, [numbers.setdefault(item, len(numbers)) for item in below.items()]]
        for fact, below in memory.derived.items()
    ]
    return {
        "stamp": memory.stamp,
        "derived": derived,
        "facts": [[*fact, value] for fact, value in numbers],
        "roots": roots,
        "names": names.all,
    }


def _encode_finding(placed: Placed, names: _Names) -> Any:
    finding = placed.finding
    return [
        finding.rule.code, int(finding.severity), sorted(finding.assumes), finding.message, finding.help,
        [
            _encode(value, names)
            for value in (
                placed.path, placed.since, placed.owner, placed.around, finding.cures,
                None if finding.later is None else tuple(finding.later),
            )
        ],
    ]  # fmt: skip


def _encode(value: object, names: _Names) -> Any:
    if isinstance(value, Site):
        place = (value.line, value.column, value.end_line, value.end_column, value.cell)
        return ["site", names.number(value.path), names.number(value.section), *place]
    if isinstance(value, tuple):
        return ["tuple", *(_encode(each, names) for each in value)]
    if isinstance(value, Applicability):
        return ["applicability", value.value]
    if isinstance(value, Cure):
        fields = (getattr(value, each.name) for each in dataclasses.fields(value))
        return ["cure", type(value).__name__, *(_encode(each, names) for each in fields)]
    assert value is None or isinstance(value, str | int)
    return value


class _Names:
    """Texts that occur often, by number."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}

    @property
    def all(self) -> list[str]:
        return list(self._numbers)

    def number(self, text: str) -> int:
        return self._numbers.setdefault(text, len(self._numbers))


# Reading ----------------------------------------------------------------------------------------


def remembered(answers: Any, rule: RulesByCode) -> Memory:
    """What `as_answers` wrote; None stands for nothing.

    Args:
        rule: The rule with a code.
    """
    if answers is None:
        return Memory()
    memory = Memory(stamp=answers["stamp"], summaries=answers["summaries"], known=True)
    all_traits = [
        Traits(*(bool(bits >> bit & 1) for bit in range(len(Traits._fields))))
        for bits in range(1 << len(Traits._fields))
    ]
    for path, size, modified, inode, digest, bits, touched, imports, suppressions, taken in answers["files"]:
        held = None if imports is None else tuple(imports)
        stat = Stat(size, modified, inode)
        memory.files[path] = Known(
            stat,
            digest,
            all_traits[bits],
            tuple(touched),
            held,
            _as_tuples(suppressions),
            tuple(map(tuple, taken)),
        )
    memory.covered = set(answers["covered"])
    memory.analyzed = set(answers["analyzed"])
    memory.used = answers["used"]
    memory.elsewhere = {(kind, file, detail): value for kind, file, detail, value in answers["elsewhere"]}
    memory.said = answers["said"]
    memory.all_analyzed = set(answers["all_analyzed"])
    memory.helped = set(answers["helped"])
    memory.sections = answers["sections"]
    memory.statistics = answers["statistics"]
    names = answers["names"]
    for kind, file, key, told, findings in answers["roots"]:
        decoded = [_decode_finding(found, names, rule) for found in findings]
        memory.roots[kind, file, key] = Told(decoded, told)
    return memory


def _as_tuples(read: Any) -> Any:
    return tuple(map(_as_tuples, read)) if isinstance(read, list) else read


def recollect(memory: Memory, records: Any, rule: RulesByCode) -> None:
    """Add to a memory what its results rest on, as `as_records` wrote it, if that was kept with it."""
    if records is None or records["stamp"] != memory.stamp:
        return
    facts: list[tuple[Fact, str]] = [
        ((kind, file, detail), value) for kind, file, detail, value in records["facts"]
    ]
    for kind, file, detail, numbers in records["derived"]:
        memory.derived[kind, file, detail] = dict(facts[number] for number in numbers)
    names = records["names"]
    for kind, file, key, numbers, entered, told in records["roots"]:
        rested = Rested(dict(facts[number] for number in numbers), frozenset(map(tuple, entered)))
        memory.rested[kind, file, key] = rested
        if told is not None:
            found = [_decode_finding(each, names, rule) for each in told]
            memory.former[kind, file, key] = Told(found, told=False)


def _decode_finding(encoded: Any, names: list[str], rule: RulesByCode) -> Placed:
    code, severity, assumes, message, help, places = encoded
    path, since, owner, around, mended, later = [_decode(value, names) for value in places]
    finding = Finding(
        rule(code), Severity(severity), path, message, help, frozenset(assumes), since=since, cures=mended,
        later=None if later is None else Later(*later),
    )  # fmt: skip
    return Placed(finding, path, since, owner, around)


def _decode(value: Any, names: list[str]) -> Any:
    if not isinstance(value, list):
        return value
    kind = value[0]
    if kind == "site":
        _, path, section, line, column, end_line, end_column, cell = value
        return Site(names[path], line, column, end_line, end_column, cell, names[section])
    if kind == "tuple":
        return tuple(_decode(each, names) for each in value[1:])
    if kind == "applicability":
        return Applicability(value[1])
    made = getattr(cures, value[1])
    fields = (each.name for each in dataclasses.fields(made))
    return made(**dict(zip(fields, (_decode(each, names) for each in value[2:]), strict=True)))


# Whether it holds -------------------------------------------------------------------------------


def holds(memory: Memory, asked: set[str], files: Mapping[str, File], fact: Callable[[Fact], str]) -> bool:
    """Whether all is known of some files, and nothing has changed that any result rests on.

    Args:
        asked: The files that are asked for.
        files: The project's files as they are, and those beside them that results rest on.
        fact: The present value of a fact that is not about the text of a file.
    """
    if not memory.known or not asked <= memory.covered:
        return False
    analyzed = {path for path, file in files.items() if file.counts}
    before = {path for path, known in memory.files.items() if known.counts}
    if analyzed != before or any(files[path].digest != memory.files[path].digest for path in analyzed):
        return False
    if any(path not in files or files[path].digest != digest for path, digest in memory.used.items()):
        return False
    return all(fact(known) == value for known, value in memory.elsewhere.items())


def without_circles(derived: Mapping[Fact, Mapping[Fact, str]]) -> dict[Fact, Mapping[Fact, str]]:
    """Facts that were found out of others, and none of itself: what was found out in several runs may be.

    Where that is so, all that was found out on the way gives place to what it rests on.
    """
    found: dict[Fact, Mapping[Fact, str]] = {}
    for fact, rested in derived.items():
        below: dict[Fact, str] = {}
        waiting = [rested]
        while waiting:
            for one, value in waiting.pop().items():
                if one not in below:
                    below[one] = value
                    waiting.append(derived.get(one, {}))
        in_circle = fact in below
        found[fact] = {one: below[one] for one in below if one not in derived} if in_circle else rested
    return found


def sections_of(findings: Iterable[Placed]) -> set[tuple[str, str]]:
    """The sections that the places of findings are counted in, with their files."""
    found: set[tuple[str, str]] = set()

    def note(held: object) -> None:
        if isinstance(held, Site):
            found.add((held.path, held.section))
        elif isinstance(held, tuple):
            for each in held:
                note(each)
        elif isinstance(held, Cure):
            for each in dataclasses.fields(held):
                note(getattr(held, each.name))

    for placed in findings:
        note(
            (
                placed.path,
                placed.since,
                placed.owner,
                placed.around,
                placed.finding.cures,
                placed.finding.later,
            )
        )
    return {(path, section) for path, section in found if section}
