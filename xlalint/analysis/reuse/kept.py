"""Summaries that are kept from one run to the next, as long as the facts hold that they rest on.

A kept summary stands for a call where one of this run would: the context is the same, nothing that it tried
to enter is being entered, and it has no bound in its way. One that a bound on contexts had a say in also
needs the root to have come to the same contexts before. Contexts have the same number in all runs, so that
they are counted once, whoever met them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

from xlalint.analysis.reuse.appearance import line_marks, look_of
from xlalint.analysis.reuse.lookups import Fact
from xlalint.analysis.reuse.packing import Packer, Row, Unpackable, Unpacker, move_lines
from xlalint.analysis.reuse.summaries import Summary, is_wide
from xlalint.analysis.reuse.trail import Numbered, Trail, as_bits, as_text, places
from xlalint.analysis.store import AttributeKey
from xlalint.lazy.values import Value
from xlalint.program.outline import Function, Key
from xlalint.program.project import Project

MOST_ROWS: Final = 60_000
"""At most so many rows are kept; what would need more starts anew."""
MOST_VERSIONS: Final = 8
"""Of the summaries of one context that a bound had a say in, at most so many are kept."""

Holds = Callable[[Fact, str], bool]
Entry = list[Any]
"""What is kept of a context: the file and key of its function, the rows of its own key and of what else made
a difference, the number of its clean summary, and those of the others with the contexts that they need."""
Place = tuple[int, int, int, int]
"""Where a function stands in its section: first line and column, last line and column."""
Version = list[Any]
"""What is kept of a summary: its height, the bits of the facts that it holds with, of the contexts below it,
of functions that were entered and of those that were tried, and of the facts that all rests on which it
serves; then the rows of its parts."""


class Narrowed(NamedTuple):
    """A summary that a bound on contexts had a say in.

    Args:
        before: The contexts that the root had come to.
        held: Those of them that had a summary for this root alone, as far as they count here.
        inside: The contexts on the way that have got one.
        is_here: Whether it holds only where the call is as deep, and for this run.
    """

    before: int
    held: dict[Context, Summary]
    summary: Summary
    inside: tuple[tuple[Context, Summary], ...]
    is_here: bool = False


@dataclass(slots=True, eq=False)
class Context:
    """One way in which a function was entered.

    Args:
        bit: What stands for it in a trail.
        attributes: What objects held under those names that made a difference.
        asked: The sorts of obligations that made one, as bits of `ASKED`.
        owed: Those of them that were owed.
        clean: The summary, where no bound and no recursion had a say: it serves every root.
        watched: Whether an observer, where there is one, has seen it.
        lasting: Whether the clean summary may serve another run.
        narrowed: Summaries that serve where a root has come to the same contexts.
        is_packed: Whether something was kept of it and not looked at yet.
        unpacked: How many of the narrowed summaries are another run's.
        about: The facts that say what its function is, and what its key speaks of; -1 until that is asked.
        is_gone: Whether something that it speaks of has changed since it was interpreted.
        is_partial: Whether it came to something that no other run is told of.
    """

    bit: int
    attributes: tuple[tuple[AttributeKey, Value | None], ...]
    asked: int = 0
    owed: int = 0
    clean: Summary | None = None
    watched: bool = False
    lasting: bool = False
    narrowed: list[Narrowed] = field(default_factory=list)
    is_packed: bool = False
    unpacked: int = 0
    about: int = -1
    is_gone: bool = False
    is_partial: bool = False

    def is_met(self, attributes: dict[AttributeKey, Value], owed: int) -> bool:
        """Whether it is that of a call where objects hold this, and obligations of these sorts are owed."""
        if (self.owed ^ owed) & self.asked:
            return False
        return all(attributes.get(name) == value for name, value in self.attributes)

    @property
    def number(self) -> int:
        """What it is known by in all runs."""
        return self.bit.bit_length() - 1


class Kept:
    """What the last run kept, and what this one has to keep."""

    def __init__(self, content: Any, project: Project) -> None:
        """Args: content: what `to_keep` returned in another run; None for nothing."""
        held = content or NOTHING
        self.facts: Numbered[Fact] = Numbered()
        self.functions: Numbered[Key] = Numbered()
        self.attributes: Numbered[AttributeKey] = Numbered()
        self.holds: Holds = lambda fact, value: False
        """Says whether a fact has a value. While something is interpreted, it may not be asked what must be
        found out by interpreting."""
        for file, key in held["functions"]:
            self.functions.bit((file, key))
        self.rows: list[Row] = list(held["rows"])
        self.entries: list[Entry] = list(held["contexts"])
        self.versions: list[Version | None] = list(held["summaries"])
        self.wide = 0
        """The contexts, as bits, that are known to be the same where many are."""
        self.values: dict[Fact, str] = {}
        for kind, file, detail, value in held["facts"]:
            self.facts.bit((kind, file, detail))
            self.values[kind, file, detail] = value
        self.looks: dict[Key, tuple[str, Place]] = {
            (file, key): (look, tuple(place)) for file, key, look, place in held["looks"]
        }
        """How functions looked to others, and where they stood."""
        self.marks: dict[Key, str] = {(file, name): marks for file, name, marks in held["marks"]}
        """By file and section, what marked its lines."""
        self.partial: set[Key] = set(map(tuple, held["partial"]))
        """The functions that came to something that was not kept."""
        self.is_whole: bool = held["whole"]
        """Whether all ways are known in which functions were entered that results rest on."""
        self._answers: dict[Fact, tuple[int, int]] = {
            (kind, file, detail): (row, as_bits(rested))
            for kind, file, detail, row, rested in held["answers"]
        }
        """What instances of classes hold: the rows of that, and what it rests on."""
        self.also: dict[int, tuple[int, int]] = {}
        """By the bit of a text that changed and came to the same, the facts that this rests on beside it; and
        the same with what those rest on that were found out of others, in their place."""
        self._unpacker = Unpacker(self.rows, project)
        self._project = project
        self._holding = 0
        self._changed = 0
        """The facts that were looked at and still have their values, and those that do not."""
        self._by_function: dict[Key, list[int]] = {}
        for number, (file, key, *_) in enumerate(self.entries):
            self._by_function.setdefault((file, key), []).append(number)
        self._contexts: dict[int, tuple[Any, Context] | None] = {}
        self._summaries: dict[int, Summary | None] = {}
        self._made: dict[Context, tuple[Function, Any]] = {}
        """The contexts that were interpreted in this run, with their functions and keys."""

    def close(self) -> None:
        """Forget what was kept and found out; see `Program.close`."""
        self._contexts.clear()
        self._summaries.clear()
        self._made.clear()

    def bits(self) -> dict[Key, int]:
        """The contexts of each function, as bits."""
        return {key: sum(1 << number for number in numbers) for key, numbers in self._by_function.items()}

    def of(self, function: Function) -> Iterator[tuple[Any, Context]]:
        """The contexts of a function that were kept, with their keys."""
        for number in self._by_function.get(function.key, ()):
            known = self._context(number)
            if known is not None:
                yield known

    def value(self, fact: Fact) -> str | None:
        """The present value of a fact, where it is seen to be what it was."""
        return self.values[fact] if fact in self.values and self._holding & self.facts.bit(fact) else None

    def answer(self, fact: Fact) -> tuple[dict[str, Value], int] | None:
        """What instances of a class hold, where that is as it was, and the facts that it rests on."""
        known = self._answers.get(fact)
        if known is not None and self._hold(known[1]):
            with suppress(Unpackable):
                return dict(self._unpacker.unpack(known[0])), known[1]
        return None

    def move_lines(self, file: str, section: str, where: Callable[[int], int | None]) -> None:
        """Lines of a section have other numbers than before. To be called before anything is looked at.

        Args:
            where: The number that a line has now; None if it is gone.
        """
        move_lines(self.rows, file, section, where)

    def entered(self, function: Function) -> list[tuple[Any, Context]] | None:
        """All ways in which a function was entered, with what came of it; None if that is not known."""
        found = []
        for number in self._by_function.get(function.key, ()):
            _, _, key, _, clean, narrowed = self.entries[number]
            if key is None:
                continue  # no result rests on it any more
            known = self._context(number)
            if known is None:
                return None
            context = known[1]
            if context.is_packed:
                self.unpack(context)
            if (clean is not None) != (context.clean is not None) or context.unpacked < len(narrowed):
                return None
            if clean is None and not narrowed:
                return None
            found.append(known)
        return found

    def came_to_the_same(self, text: Fact, value: str, rested: int, below: int) -> None:
        """A text has changed and makes no difference.

        Args:
            value: Its present value.
            rested: What it rests on now.
            below: The same without facts that were found out of others, but with what these rest on.
        """
        self.values[text] = value
        bit = self.facts.bit(text)
        self._holding |= bit
        self.also[bit] = rested, below

    def with_also(self, rested: int) -> int:
        """Facts that a summary rests on, with those that texts rest on that came to the same."""
        for bit, (also, _) in self.also.items():
            if rested & bit:
                rested |= also
        return rested

    def with_below(self, rested: int) -> int:
        """The same for what was found out: in no circle may that rest on itself."""
        for bit, (_, below) in self.also.items():
            if rested & bit:
                rested |= below
        return rested

    def met(self, key: Any, context: Context) -> None:
        """A context is known from now on."""
        if is_wide(key):
            self.wide |= context.bit

    def made(self, function: Function, key: Any, context: Context) -> None:
        """A context was interpreted."""
        self._made[context] = function, key

    def unpack(self, context: Context) -> None:
        """Look at what was kept of a context: from now on, it has those summaries that still hold."""
        context.is_packed = False
        _, _, _, _, clean, narrowed = self.entries[context.number]
        if clean is not None:
            context.clean = self._summary(clean)
            context.lasting = context.clean is not None
        for before, held, number, inside in narrowed:
            summary = self._summary(number)
            pairs = [self._pair(*each) for each in (*held, *inside)]
            if summary is not None and None not in pairs:
                known = tuple(pair for pair in pairs if pair is not None)
                first = dict(known[: len(held)])
                context.narrowed.append(Narrowed(as_bits(before), first, summary, known[len(held) :]))
        context.unpacked = len(context.narrowed)

    def _pair(self, number: int, version: int) -> tuple[Context, Summary] | None:
        known, summary = self._context(number), self._summary(version)
        return (known[1], summary) if known is not None and summary is not None else None

    def _context(self, number: int) -> tuple[Any, Context] | None:
        """A context with its key; None if something that it speaks of is no more."""
        if number not in self._contexts:
            self._contexts[number] = None
            _, _, key, met, _, _ = self.entries[number]
            if key is not None:
                with suppress(Unpackable):
                    unpack = self._unpacker.unpack
                    attributes, asked, owed = unpack(met)
                    context = Context(1 << number, attributes, asked, owed, is_packed=True)
                    held = unpack(key), context
                    self._contexts[number] = held
                    self.met(*held)
        return self._contexts[number]

    def _summary(self, number: int) -> Summary | None:
        """A summary; None if it does not hold any more."""
        if number not in self._summaries:
            version = self.versions[number]
            self._summaries[number] = None if version is None else self._unpacked(version)
        return self._summaries[number]

    def _unpacked(self, version: Version) -> Summary | None:
        height, *sets = version[:5]
        facts, contexts, entered, tried = [as_bits(each) for each in sets]
        if not self._hold(facts) or any(self._context(number) is None for number in places(contexts)):
            return None
        try:
            parts = [self._unpacker.unpack(part) for part in version[6:]]
        except Unpackable:
            return None
        store, value, occurrences, carried, yields, changed, acted, touched, asked = parts
        trail = Trail(
            rested=facts,
            entered=entered,
            tried=tried,
            contexts=contexts,
            deepest=height,
        )
        for attribute in touched:
            trail.touched |= self.attributes.bit(attribute)
        trail.asked = asked
        return Summary(store, value, occurrences, carried, list(yields), trail, 0, changed, acted)

    def _hold(self, facts: int) -> bool:
        """Whether all of some facts have the values that they had."""
        unseen = facts & ~self._holding
        while unseen and not unseen & self._changed:
            bit = unseen & -unseen
            fact = self.facts.one(bit)
            if self.holds(fact, self.values[fact]):
                self._holding |= bit
            else:
                self._changed |= bit
            unseen &= ~self._holding
        return not unseen

    # Keeping ------------------------------------------------------------------------------------

    def to_keep(
        self, value: Callable[[Fact], str], of: Callable[[Iterable[Key]], int],
        found: Mapping[Fact, tuple[dict[str, Value], int]],
    ) -> Any:  # fmt: skip
        """All that holds, for another run, as JSON; None if that is just what was kept before.

        Args:
            value: The present value of a fact.
            of: All contexts of some functions, as bits.
            found: What instances of classes were found to hold, and the facts that it rests on.
        """
        if not (self._drop() or self._made or self.also):
            return None
        packer = _Packer(self)
        for context, (function, key) in self._made.items():
            packer.take(context, function, key)
        for context, (function, _) in self._made.items():
            packer.take_summaries(context, function, of)
        answers = {fact: known for fact, known in self._answers.items() if self._hold(known[1])}
        for fact, (held, rested) in found.items():
            if fact not in answers and (told := packer.answer(held, rested)) is not None:
                answers[fact] = told
        if len(self.rows) > MOST_ROWS:
            return NOTHING
        needed = 0
        for version in self.versions:
            if version is not None:
                rested = as_bits(version[1])
                complete = self.with_also(rested)
                if complete != rested:
                    version[1] = as_text(complete)
                needed |= complete
        for fact, (row, rested) in answers.items():
            answers[fact] = row, self.with_below(rested)
            needed |= answers[fact][1]
        values = {fact: self.values[fact] for fact in self.facts.of(needed & self._holding)}
        values.update((fact, value(fact)) for fact in self.facts.of(needed & ~self._holding))
        self._look(fact[1:] for fact in values if fact[0] == "text")
        return {
            "functions": self.functions.all,
            "facts": [[*fact, values.get(fact, "")] for fact in self.facts.all],
            "rows": self.rows,
            "contexts": self.entries,
            "summaries": self.versions,
            "looks": [[*key, *told] for key, told in self.looks.items()],
            "marks": [[*section, marks] for section, marks in self.marks.items()],
            "partial": sorted(self.partial),
            "whole": self.is_whole,
            "answers": [[*fact, row, as_text(rested)] for fact, (row, rested) in answers.items()],
        }

    def _look(self, functions: Iterable[Key]) -> None:
        """Note how functions look now, where nobody has seen that they look as they did."""
        former, self.looks = self.looks, {}
        marks, self.marks = self.marks, {}
        for file, key in functions:
            name = key.rsplit(":", 2)[0]
            text = self.facts.bit(("text", file, key))
            if text & self._holding and not text & self._moved and (file, key) in former:
                self.looks[file, key] = former[file, key]
                self.marks[file, name] = marks[file, name]
                continue
            outline = self._project.outline(self._project.path(file))
            function = outline.definition(key) if outline is not None else None
            if outline is not None and isinstance(function, Function) and not outline.is_framework:
                self.looks[file, key] = look_of(function), place_of(function)
                self.marks[file, name] = line_marks(outline, name)

    @property
    def _moved(self) -> int:
        """The texts that changed and came to the same."""
        moved = 0
        for bit in self.also:
            moved |= bit
        return moved

    def _drop(self) -> bool:
        """Drop what does not hold any more; returns whether there was any."""
        gone: set[int] = set()
        dead: set[int] = set()
        """Those that no result rests on any more: it is found out anew."""
        for number, version in enumerate(self.versions):
            if version is not None and not self._hold(as_bits(version[1])):
                gone.add(number)
                self.versions[number] = None
                if as_bits(version[5]) & self._changed:
                    dead.add(number)
        for entry in self.entries if gone else ():
            lost = [each for each in entry[5] if not gone.isdisjoint(_versions(each))]
            numbers = [_versions(each) for each in lost]
            if lost:
                entry[5] = [each for each in entry[5] if each not in lost]
            if entry[4] in gone:
                numbers.append([entry[4]])
                entry[4] = None
            if any(map(dead.isdisjoint, numbers)) and not self._has_changed((entry[0], entry[1])):
                self.partial.add((entry[0], entry[1]))
            elif numbers and entry[4] is None and not entry[5]:
                entry[2] = entry[3] = None
        self.partial = {key for key in self.partial if not self._has_changed(key)}
        return bool(gone)

    def _has_changed(self, function: Key) -> bool:
        return bool(self._changed & self.facts.bit(("text", *function)))


class _Packer:
    """Adds the summaries of a run to those that were kept."""

    def __init__(self, kept: Kept) -> None:
        self._kept = kept
        self._packer = Packer(kept.rows, kept.facts)
        self._about: dict[int, int | None] = {}
        self._numbers: dict[int, int | None] = {}

    def take(self, context: Context, function: Function, key: Any) -> None:
        """Note what a context is, without its summaries."""
        entries, number = self._kept.entries, context.number
        while len(entries) <= number:
            entries.append(["", "", None, None, None, []])
        entry = entries[number]
        if entry[2] is None:
            entry[:2] = function.key
            try:
                met = context.attributes, context.asked, context.owed
                entry[2:4] = self._packer.pack(key), self._packer.pack(met)
            except Unpackable:
                self._kept.partial.add(function.key)

    def take_summaries(
        self, context: Context, function: Function, of: Callable[[Iterable[Key]], int]
    ) -> None:
        """Add the summaries of a context, as far as another run could use them."""
        entry, clean = self._kept.entries[context.number], context.clean
        if context.lasting and clean is not None and entry[4] is None:
            entry[4] = self._version(context, clean)
        is_partial = context.is_partial or (clean is not None and entry[4] is None)
        for before, held, summary, inside, is_here in context.narrowed[context.unpacked :]:
            if is_here:
                continue
            number = self._version(context, summary)
            pairs = [[one.number, self._version(one, below)] for one, below in (*held.items(), *inside)]
            if number is not None and all(version is not None for _, version in pairs):
                tried = of(self._kept.functions.of(summary.trail.tried))
                told = [as_text(before & tried), pairs[: len(held)], number, pairs[len(held) :]]
                is_partial = is_partial or len(entry[5]) >= MOST_VERSIONS
                entry[5] = [told, *entry[5]][:MOST_VERSIONS]
            else:
                is_partial = True
        if is_partial:
            self._kept.partial.add(function.key)

    def answer(self, held: dict[str, Value], rested: int) -> tuple[int, int] | None:
        """The row of what instances hold, and what that rests on; None if another run cannot be told."""
        try:
            row = self._packer.pack(tuple(held.items()))
        except Unpackable:
            return None
        return row, rested | self._packer.about(row)

    def _version(self, context: Context, summary: Summary) -> int | None:
        """The number of a summary; None if it cannot be told to another run."""
        known = id(summary)
        if known not in self._numbers:
            version = self._packed(context, summary)
            self._numbers[known] = None if version is None else len(self._kept.versions)
            if version is not None:
                self._kept.versions.append(version)
        return self._numbers[known]

    def _packed(self, context: Context, summary: Summary) -> Version | None:
        trail, kept = summary.trail, self._kept
        rested = trail.rested
        for number in places(trail.contexts | context.bit):
            about = self._about_context(number)
            if about is None:
                return None
            rested |= about
        told = (
            summary.store, summary.value, summary.occurrences, summary.carried, tuple(summary.yields),
            summary.changed, summary.acted, kept.attributes.of(trail.touched), trail.asked,
        )  # fmt: skip
        try:
            rows = list(map(self._packer.pack, told))
        except Unpackable:
            return None
        sets = (rested, trail.contexts, trail.entered, trail.tried, trail.rested)
        return [summary.height, *map(as_text, sets), *rows]

    def _about_context(self, number: int) -> int | None:
        """The facts that say what a context speaks of; None if it cannot be told to another run."""
        if number not in self._about:
            file, key, row, attributes, *_ = self._kept.entries[number]
            self._about[number] = None
            if row is not None:
                text = self._kept.facts.bit(("text", file, key))
                self._about[number] = text | self._packer.about(row) | self._packer.about(attributes)
        return self._about[number]


def _versions(narrowed: list[Any]) -> list[int]:
    """The numbers of all summaries that one needs that a bound had a say in."""
    _, held, number, inside = narrowed
    return [number, *(version for _, version in (*held, *inside))]


def place_of(function: Function) -> Place:
    """Where a function stands in its section."""
    site = function.site
    return site.line, site.column, site.end_line, site.end_column


NOTHING: Final[Any] = {
    "functions": [], "facts": [], "rows": [], "contexts": [], "summaries": [], "looks": [], "marks": [],
    "partial": [], "whole": False, "answers": [],
}  # fmt: skip
