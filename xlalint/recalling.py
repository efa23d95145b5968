"""Which of the results that are remembered still hold, now that some files of the project have changed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from xlalint.analysis.reuse.facts import NO_FLAGS, OF_THE_WHOLE
from xlalint.judging import located
from xlalint.lazy.site import FRAMEWORK
from xlalint.memory import Memory, Root, Told, sections_of
from xlalint.program.project import ABOUT_FILES

if TYPE_CHECKING:
    from xlalint.analysis.engine import Program
    from xlalint.analysis.reuse.cutoff import CutOff
    from xlalint.analysis.reuse.lookups import Fact


class Recall:
    """Compares what is remembered of a program with it as it is."""

    def __init__(self, memory: Memory, program: Program, digest: Callable[[str], str]) -> None:
        """
        Args:
            digest: What changes when a file does, by its path.
        """
        self._memory = memory
        self._program = program
        self._digest = digest
        self._holding: dict[Fact, bool] = {}
        """Whether a fact has the value that it had, for those that were looked at."""
        self._unchanged: dict[str, bool] = {}
        """Whether a file is as it was, for those that were looked at."""
        self._cutoff: CutOff | None = None
        """The functions that have changed and do what they did."""
        self._about_uses: dict[Fact, str] = {}
        """What the uses of names rested on: of many modules, nothing else is ever asked."""
        for root, rested in memory.rested.items():
            if root[0] == "uses" and root in memory.roots:
                self._about_uses.update(rested.facts)
        program.kept.holds = self._surely_holds
        program.recalled = self._recalled
        if memory.rested:
            changed = {path for path, held in memory.used.items() if digest(path) != held}
            self._cutoff = program.cut_off(changed, self._assume)

    def entered(self, root: Root) -> frozenset[tuple[str, str]] | None:
        """The functions that a root enters, if what is remembered of it holds."""
        memory, program = self._memory, self._program
        rested = memory.rested.get(root)
        if rested is None:
            return None
        if root in memory.roots:
            for fact, value in rested.facts.items():
                if not self._still_holds(fact, value):
                    return None
        else:
            # It is older than all else that is remembered, and tells nothing by that.
            for fact, value in rested.facts.items():
                if program.facts.value(fact) != value:
                    return None
        sections = sections_of(self.told(root).findings)
        return rested.entered if all(program.has_section(*section) for section in sections) else None

    def told(self, root: Root) -> Told:
        """What is remembered of a root, with places as they are now."""
        known = self._memory.roots.get(root) or self._memory.former[root]
        if self._cutoff is None:
            return known
        return Told([located(placed, self._cutoff.where) for placed in known.findings], known.told)

    def renewed(self, facts: Mapping[Fact, str], *, is_fact: bool = False) -> Mapping[Fact, str]:
        """Facts that a result rests on, or a fact, with all that texts rest on that came to the same."""
        if self._cutoff is None:
            return facts
        moved = self._cutoff.below if is_fact else self._cutoff.rested
        texts = [fact for fact in facts if fact in moved]
        if not texts:
            return facts
        also = {fact for text in texts for fact in moved[text]}
        return {**facts, **{fact: self.value(fact) for fact in sorted(also.union(texts))}}

    def derived(self, fact: Fact) -> Mapping[Fact, str]:
        """The facts that another was found out of, with their values."""
        if self._holding.get(fact) and self._is_unchanged(fact):
            return self.renewed(self._memory.derived[fact], is_fact=True)
        program = self._program
        program.facts.value(fact)
        below = {one: program.facts.value(one) for one in sorted(program.derived(fact))}
        return self.renewed(below)

    def value(self, fact: Fact) -> str:
        """The present value of a fact of the program."""
        known = self._program.kept.value(fact)
        if known is None:
            known = self._program.recalled(fact)
        return self._program.facts.value(fact) if known is None else known

    def _assume(self, texts: frozenset[Fact]) -> None:
        """Some facts hold, whatever is seen of them, and no others are known to."""
        self._holding = dict.fromkeys(texts, True)

    def _still_holds(self, fact: Fact, value: str) -> bool:
        """Whether a fact has the value that it had in the last run."""
        known = self._holding.get(fact)
        if known is None:
            unchanged = self._is_unchanged(fact) or (value == NO_FLAGS and self._is_as_it_was(fact[1]))
            known = unchanged or self._program.facts.value(fact) == value
            self._holding[fact] = known
        return known

    def _surely_holds(self, fact: Fact, value: str) -> bool:
        """Whether a fact is seen to have the value that it had, without interpreting anything."""
        known = self._holding.get(fact)
        if known is not None:
            return known
        if fact[0] != "attributes":
            return self._still_holds(fact, value)
        below = self._memory.derived.get(fact)
        if below is None:
            return False
        return all(self._surely_holds(one, held) for one, held in below.items())

    def _is_unchanged(self, fact: Fact) -> bool:
        """Whether it is seen without looking at the fact itself that it has not changed."""
        kind, path, _ = fact
        if path.startswith(FRAMEWORK):
            return True  # else nothing would be remembered at all
        below = self._memory.derived.get(fact)
        if below is not None:
            return all(self._still_holds(one, value) for one, value in below.items())
        if kind in OF_THE_WHOLE or kind in ABOUT_FILES:
            return False
        return self._is_as_it_was(path)

    def _is_as_it_was(self, path: str) -> bool:
        """Whether a file has the text that it had."""
        known = self._unchanged.get(path)
        if known is None:
            held = self._memory.used.get(path)
            known = self._unchanged[path] = held is not None and self._digest(path) == held
        return known

    def _recalled(self, fact: Fact) -> str | None:
        """The present value of what uses of names rest on, if it is seen not to have changed."""
        value = self._about_uses.get(fact)
        return value if value is not None and self._is_unchanged(fact) else None
