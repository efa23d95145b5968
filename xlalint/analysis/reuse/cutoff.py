"""Changed functions that do what they did: nothing above them is analyzed again.

A function is interpreted once more in each context that it was entered in. Where it comes to the same in all
of them, nobody else can tell that it has changed, and what rests on its text holds. All functions whose text
has changed are looked at together, each as if the others did what they did. If all do, that is so: what
happens first in a run happens as it did, and so does what happens next.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from xlalint.analysis.decorators import is_context_manager
from xlalint.analysis.interpreter import ATTRIBUTES, Interpreter
from xlalint.analysis.reuse.appearance import line_marks, look_of, moved
from xlalint.analysis.reuse.facts import OF_FUNCTIONS, Facts
from xlalint.analysis.reuse.kept import Context, Kept, place_of
from xlalint.analysis.reuse.lookups import Fact
from xlalint.lazy.site import Site
from xlalint.program.outline import Function, Outline

Section = tuple[str, str]
"""A file, and the name of a section of it."""


class CutOff:
    """What has changed in texts since the last run, and what of it makes no difference."""

    def __init__(
        self, kept: Kept, interpreter: Interpreter, facts: Facts, files: set[str], failed: set[Section]
    ) -> None:
        """
        Args:
            files: Those with another text than before.
            failed: Sections that are known to do something else.
        """
        self._kept = kept
        self._interpreter = interpreter
        self._facts = facts
        self._sections: dict[Section, list[Fact]] = {}
        for fact, value in kept.values.items():
            if value and fact[0] in OF_FUNCTIONS and fact[1] in files and facts.value(fact) != value:
                self._sections.setdefault(section_of(fact), []).append(fact)
        for section in failed.union(
            section for section, texts in self._sections.items() if not all(map(self._may_do_the_same, texts))
        ):
            self._sections.pop(section, None)
        self.texts = frozenset(text for texts in self._sections.values() for text in texts)
        """The facts that are taken to make no difference."""
        self.rested: dict[Fact, frozenset[Fact]] = {}
        """By such a fact, what it rests on now."""
        self.below: dict[Fact, frozenset[Fact]] = {}
        """The same without facts that were found out of others, but with what these rest on."""
        self._where: dict[Section, Callable[[int], int | None]] = {}
        """Where the lines of a section have moved to."""

    def find(self) -> set[Section]:
        """Look whether these make a difference; returns the sections in which one does."""
        for section in self._sections:
            now = line_marks(self._outline_of(section), section[1])
            if now != self._kept.marks[section]:
                self._where[section] = moved(self._kept.marks[section], now)
                self._kept.move_lines(*section, self._where[section])
        wrong = set()
        for section, texts in self._sections.items():
            rested = self._comes_to_the_same(texts)
            if rested is None:
                wrong.add(section)
                continue
            below, facts = self._below(rested), self._kept.facts
            for text in texts:
                self._kept.came_to_the_same(text, self._facts.value(text), rested, below)
                self.rested[text] = frozenset(facts.of(rested))
                self.below[text] = frozenset(facts.of(below))
        return wrong

    def _below(self, rested: int) -> int:
        """Facts with what those rest on that were found out of others, in their place."""
        derived, facts = self._interpreter.lookups.derived, self._kept.facts
        known = -1
        found = 0
        while known != found:
            known = found
            found |= rested
            for fact in facts.of(rested):
                found |= derived.get(fact, 0)
            rested = found
        for fact in derived:
            found &= ~facts.bit(fact)
        return found

    def where(self, site: Site) -> Site:
        """Where a place of the last run is now."""
        where = self._where.get((site.path, site.section))
        if where is None:
            return site
        line, end_line = where(site.line), where(site.end_line)
        assert line is not None and end_line is not None  # or something else would happen there
        return site._replace(line=line, end_line=end_line)

    def _outline_of(self, section: Section) -> Outline:
        project = self._interpreter.project
        outline = project.outline(project.path(section[0]))
        assert outline is not None
        return outline

    def _function(self, text: Fact) -> Function | None:
        defined = self._outline_of(section_of(text)).definition(text[2])
        return defined if isinstance(defined, Function) else None

    def _may_do_the_same(self, text: Fact) -> bool:
        """Whether a function looks to others as it did, and all is known that was seen of it."""
        kept, key = self._kept, (text[1], text[2])
        project = self._interpreter.project
        if not kept.is_whole or key in kept.partial or project.outline(project.path(text[1])) is None:
            return False
        function, before = self._function(text), kept.looks.get(key)
        if function is None or before is None or is_context_manager(function):
            return False
        look, (line, column, end_line, end_column) = before
        section = section_of(text)
        where = moved(kept.marks[section], line_marks(function.outline, section[1]))
        now = (where(line), column, where(end_line), end_column)
        return look == look_of(function) and now == place_of(function)

    def _comes_to_the_same(self, texts: Iterable[Fact]) -> int | None:
        """What some functions rest on now, as bits; None if one does something else than before."""
        rested = 0
        for text in texts:
            function = self._function(text)
            assert function is not None
            entered = self._kept.entered(function)
            if entered is None:
                return None
            for key, context in entered:
                if (key[0] == ATTRIBUTES) == (text[0] == "assigned"):
                    for now in self._again(function, key, context):
                        if now is None:
                            return None
                        rested |= now
        return rested

    def _again(self, function: Function, key: Any, context: Context) -> Iterator[int | None]:
        """What a function rests on now, for each summary of a context; None where it does something else."""
        interpreter, clean = self._interpreter, context.clean
        if key[0] == ATTRIBUTES:
            if clean is not None:
                yield interpreter.tabulated_again(function, key, context, clean)
            return
        if clean is not None:
            yield interpreter.again(function, key, context, clean)
        for bound in context.narrowed[: context.unpacked]:
            yield interpreter.again(function, key, context, bound.summary, bound)


def section_of(text: Fact) -> Section:
    """The section that a function stands in, by the fact of its text."""
    return text[1], text[2].rsplit(":", 2)[0]
