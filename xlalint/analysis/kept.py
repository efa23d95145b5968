"""Summaries that are kept from one run to the next, as long as the facts hold that they rest on.

A kept summary stands for a call where one of this run would: the context is the same, nothing that it tried
to enter is being entered, and it has no bound in its way. One that a bound on contexts had a say in also
needs the root to have come to the same contexts before. Contexts have the same number in all runs, so that
they are counted once, whoever met them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from xlalint.analysis.lookups import Fact
from xlalint.analysis.outline import Function, Key
from xlalint.analysis.packing import Packer, Row, Unpackable, Unpacker
from xlalint.analysis.project import Project
from xlalint.analysis.store import AttributeKey
from xlalint.analysis.summaries import Summary, is_wide
from xlalint.analysis.trail import Numbered, Trail, places
from xlalint.lazy.values import Value

MOST_ROWS = 60_000
"""At most so many rows are kept; what would need more starts anew."""
MOST_VERSIONS = 8
"""Of the summaries of one context that a bound had a say in, at most so many are kept."""
BRIEF = 12
"""Lines of a function that is short."""

Holds = Callable[[Fact, str], bool]
Entry = list[Any]
"""What is kept of a context: the file and key of its function, the rows of its own key and of what objects
held, the number of its clean summary, and those of the others with the contexts that they need."""
Version = list[Any]
"""What is kept of a summary: its height, the bits of its facts, of the contexts below it, of functions that
were entered and of those that were tried, and the rows of its parts."""


class Narrowed(NamedTuple):
    """A summary that a bound on contexts had a say in.

    Args:
        before: The contexts that the root had come to.
        held: Those of them that had a summary for this root alone, as far as they count here.
        inside: The contexts on the way that have got one.
    """

    before: int
    held: dict[Context, Summary]
    summary: Summary
    inside: tuple[tuple[Context, Summary], ...]


@dataclass(slots=True, eq=False)
class Context:
    """One way in which a function was entered.

    Args:
        bit: What stands for it in a trail.
        attributes: What objects held under those names that made a difference.
        clean: The summary, where no bound and no recursion had a say: it serves every root.
        watched: Whether an observer, where there is one, has seen it.
        lasting: Whether the clean summary may serve another run.
        narrowed: Summaries that serve where a root has come to the same contexts.
        is_packed: Whether something was kept of it and not looked at yet.
        unpacked: How many of the narrowed summaries are another run's.
        about: The facts that say what its function is, and what its key speaks of; -1 until that is asked.
        is_gone: Whether something that it speaks of has changed since it was interpreted.
    """

    bit: int
    attributes: tuple[tuple[AttributeKey, Value | None], ...]
    clean: Summary | None = None
    watched: bool = False
    lasting: bool = False
    narrowed: list[Narrowed] = field(default_factory=list)
    is_packed: bool = False
    unpacked: int = 0
    about: int = -1
    is_gone: bool = False

    @property
    def number(self) -> int:
        """What it is known by in all runs."""
        return self.bit.bit_length() - 1


class Kept:
    """What the last run kept, and what this one has to keep."""

    def __init__(self, content: Any, project: Project) -> None:
        """Args: content: what `to_keep` returned in another run; None for nothing."""
        held = content or _NOTHING
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
        self._unpacker = Unpacker(self.rows, project)
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
                context.narrowed.append(Narrowed(int(before, 16), first, summary, known[len(held) :]))
        context.unpacked = len(context.narrowed)

    def _pair(self, number: int, version: int) -> tuple[Context, Summary] | None:
        known, summary = self._context(number), self._summary(version)
        return (known[1], summary) if known is not None and summary is not None else None

    def _context(self, number: int) -> tuple[Any, Context] | None:
        """A context with its key; None if something that it speaks of is no more."""
        if number not in self._contexts:
            self._contexts[number] = None
            _, _, key, attributes, _, _ = self.entries[number]
            if key is not None:
                with suppress(Unpackable):
                    unpack = self._unpacker.unpack
                    held = unpack(key), Context(1 << number, unpack(attributes), is_packed=True)
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
        facts, contexts, entered, tried = (int(each, 16) for each in sets)
        if not self._hold(facts) or any(self._context(number) is None for number in places(contexts)):
            return None
        try:
            store, value, occurrences, carried, yields, changed, touched = map(
                self._unpacker.unpack, version[5:]
            )
        except Unpackable:
            return None
        trail = Trail(
            rested=facts,
            entered=entered,
            tried=tried,
            contexts=contexts,
            deepest=height,
        )
        for attribute in touched:
            trail.touched |= self.attributes.bit(attribute)
        return Summary(store, value, occurrences, carried, list(yields), trail, 0, changed)

    def _hold(self, facts: int) -> bool:
        """Whether all of some facts have the values that they had."""
        unseen = facts & ~self._holding
        while unseen and not unseen & self._changed:
            bit = unseen & -unseen
            (fact,) = self.facts.of(bit)
            if self.holds(fact, self.values[fact]):
                self._holding |= bit
            else:
                self._changed |= bit
            unseen &= ~self._holding
        return not unseen

    # Keeping ------------------------------------------------------------------------------------

    def to_keep(self, value: Callable[[Fact], str], of: Callable[[Iterable[Key]], int]) -> Any:
        """All that holds, for another run, as JSON; None if that is just what was kept before.

        Args:
            value: The present value of a fact.
            of: All contexts of some functions, as bits.
        """
        if not (self._drop() or self._made):
            return None
        packer = _Packer(self)
        for context, (function, key) in self._made.items():
            packer.take(context, function, key)
        for context, (function, _) in self._made.items():
            packer.take_summaries(context, function, of)
        if len(self.rows) > MOST_ROWS:
            return _NOTHING
        needed = 0
        for version in self.versions:
            needed |= int(version[1], 16) if version is not None else 0
        values = {fact: self.values[fact] for fact in self.facts.of(needed & self._holding)}
        values.update((fact, value(fact)) for fact in self.facts.of(needed & ~self._holding))
        return {
            "functions": self.functions.all,
            "facts": [[*fact, values.get(fact, "")] for fact in self.facts.all],
            "rows": self.rows,
            "contexts": self.entries,
            "summaries": self.versions,
        }

    def _drop(self) -> bool:
        """Drop what does not hold any more; returns whether there was any."""
        gone = {
            number
            for number, version in enumerate(self.versions)
            if version is not None and not self._hold(int(version[1], 16))
        }
        for number in gone:
            self.versions[number] = None
        for entry in self.entries if gone else ():
            if entry[4] in gone:
                entry[4] = None
            if entry[5]:
                entry[5] = [each for each in entry[5] if gone.isdisjoint(_versions(each))]
        return bool(gone)


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
            with suppress(Unpackable):
                entry[2:4] = self._packer.pack(key), self._packer.pack(context.attributes)

    def take_summaries(
        self, context: Context, function: Function, of: Callable[[Iterable[Key]], int]
    ) -> None:
        """Add the summaries of a context, as far as another run could use them."""
        entry, clean = self._kept.entries[context.number], context.clean
        if context.lasting and clean is not None and entry[4] is None:
            node = function.node
            # What is short and calls nothing is interpreted as quickly as it is looked up.
            if clean.trail.contexts or (node.end_lineno or 0) - node.lineno > BRIEF:
                entry[4] = self._version(context, clean)
        for before, held, summary, inside in context.narrowed[context.unpacked :]:
            number = self._version(context, summary)
            pairs = [[one.number, self._version(one, below)] for one, below in (*held.items(), *inside)]
            if number is not None and all(version is not None for _, version in pairs):
                tried = of(self._kept.functions.of(summary.trail.tried))
                told = [f"{before & tried:x}", pairs[: len(held)], number, pairs[len(held) :]]
                entry[5] = [told, *entry[5]][:MOST_VERSIONS]

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
            summary.changed, kept.attributes.of(trail.touched),
        )  # fmt: skip
        try:
            rows = list(map(self._packer.pack, told))
        except Unpackable:
            return None
        sets = (rested, trail.contexts, trail.entered, trail.tried)
        return [summary.height, *(f"{each:x}" for each in sets), *rows]

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


_NOTHING: Any = {"functions": [], "facts": [], "rows": [], "contexts": [], "summaries": []}
