"""What a change of texts undoes of what was found out of a program that stays in memory.

What the interpreter found out rests on facts. Those whose values a change has altered are known when the
changed modules have been outlined anew; what rests on none of them holds. All else is set aside, and comes
back where it turns out to hold. First it is seen whether changed functions do what they did, in each context
that they were entered in: mostly they do, and then nothing is left in doubt. What instances of a class hold
is a fact, too, and found out by interpreting; that is done again where something changed that it rests on.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping
from functools import partial
from typing import Any, NamedTuple

from xlalint.analysis.decorators import is_context_manager
from xlalint.analysis.interpreter import ATTRIBUTES, Interpreter
from xlalint.analysis.reuse.appearance import looks
from xlalint.analysis.reuse.facts import OF_FUNCTIONS, OF_THE_WHOLE, Facts
from xlalint.analysis.reuse.kept import Context, Narrowed
from xlalint.analysis.reuse.lookups import Fact
from xlalint.analysis.reuse.summaries import Summary
from xlalint.analysis.reuse.trail import Numbered
from xlalint.analysis.roots import Plan
from xlalint.program.outline import Class, Function, Key, Outline
from xlalint.program.project import ABOUT_FILES

Text = tuple[str, ast.Module]

_Aside = tuple[Context, Summary | None, list[Narrowed]]


class Updates:
    """Gives modules of one program other texts, as often as they change."""

    def __init__(self, facts: Facts, plan: Plan, interpreter: Interpreter) -> None:
        self._facts = facts
        self._plan = plan
        self._interpreter = interpreter
        self._numbered = interpreter.facts
        self._also: dict[int, int] = {}
        """By the bit of a text that changed and came to the same, the facts that this rests on beside it."""
        self._derived: dict[Fact, int] = {}
        """The facts that were found out before the present change, and those that each rested on."""

    def change(self, texts: Mapping[Outline, Text]) -> int:
        """Take other texts, and forget what does not hold any more.

        Args:
            texts: By module, the new text with its syntax tree.

        Returns:
            The facts that have another value than before, as bits; without those of functions of which
            nobody can tell that they have changed.
        """
        numbered, lookups = self._numbered, self._interpreter.lookups
        numbered.tidy()  # or it would grow with every change
        self._interpreter.functions.tidy()
        about = _About(numbered)
        for context, function, key in self._interpreter.contexts():
            if context.about < 0:
                context.about = about.context(function, key, context)
        files = {outline.file for outline in texts}
        looked_at = [
            fact
            for fact in numbered.all
            if fact[0] not in ABOUT_FILES
            and fact[0] != "attributes"
            and (fact[1] in files or fact[0] in OF_THE_WHOLE)
        ]
        self._derived = dict(lookups.derived)
        before = {fact: self._facts.value(fact) for fact in (*looked_at, *self._derived)}
        seen = {
            (outline.file, detail): _Seen(defined, outline.lines)
            for outline in texts
            for kind, file, detail in looked_at
            if kind in OF_FUNCTIONS
            and file == outline.file
            and isinstance(defined := outline.definition(detail), Function)
        }
        for outline, (text, tree) in texts.items():
            outline.change(text, tree)
        for outline in texts:
            self._plan.change(outline)
        self._facts.forget(looked_at)
        self._interpreter.classes.forget(files)

        altered = [
            fact
            for fact in looked_at
            if self._facts.value(fact) != before[fact]
            and not ((known := seen.get(fact[1:])) is not None and known.is_said_otherwise(fact))
        ]
        changed = self._bits(altered)
        doubtful = self._in_doubt(changed)
        forgotten = lookups.forget(doubtful, about.question)
        texts_altered = [fact for fact in altered if fact[0] == "text"]
        entered = self._entered({seen[fact[1:]].function for fact in texts_altered if fact[1:] in seen})
        aside = _set_aside(self._interpreter, doubtful)
        # What a function does may be the same in all contexts: then nobody else can tell that it has changed.
        for section in {_section(fact) for fact in texts_altered}:
            inside = [fact for fact in texts_altered if _section(fact) == section]
            if self._comes_to_the_same(inside, seen, entered):
                changed &= ~self._bits(inside)
        changed = self._with_what_rests_on(changed)
        doubtful = self._in_doubt(changed)
        lookups.remember(forgotten, doubtful, about.question)
        aside = _bring_back(aside, doubtful)
        unseen = {fact for fact in numbered.of(doubtful) if fact in self._derived}
        while found := [fact for fact in unseen if self._derived[fact] & changed]:
            unseen.difference_update(found)
            self._facts.forget(found)
            altered = [fact for fact in sorted(found) if self._facts.value(fact) != before[fact]]
            changed = self._with_what_rests_on(changed | self._bits(altered))
        lookups.remember(forgotten, changed, about.question)
        _bring_back(aside, changed)
        for bit in [bit for bit in self._also if bit & changed]:
            del self._also[bit]
        return changed

    def _bits(self, facts: Iterable[Fact]) -> int:
        bits = 0
        for fact in facts:
            bits |= self._numbered.bit(fact)
        return bits

    def _with_what_rests_on(self, changed: int) -> int:
        """Facts that have changed, with texts of which what they come to has changed, too."""
        known = -1
        while changed != known:
            known = changed
            for bit, also in self._also.items():
                if also & changed:
                    changed |= bit
        return changed

    def _in_doubt(self, changed: int) -> int:
        """Facts that have changed, with all that may have with them."""
        known = -1
        while changed != known:
            known = changed
            changed |= self._with_what_rests_on(changed) | self._resting_on(changed)
        return changed

    def _resting_on(self, changed: int) -> int:
        """The facts that were found out of some others, be it through each other."""
        found, known = 0, -1
        while found != known:
            known = found
            for fact, rested in self._derived.items():
                if rested & (changed | found):
                    found |= self._numbered.bit(fact)
        return found

    def _entered(self, functions: set[Function]) -> dict[Function, list[_Entered]]:
        """The contexts in which some functions were entered, with what came of it."""
        found: dict[Function, list[_Entered]] = {function: [] for function in functions}
        for context, function, key in self._interpreter.contexts():
            if function in functions and not context.is_gone and key[0] != ATTRIBUTES:
                clean = context.clean if context.lasting else None
                narrowed = tuple(each for each in context.narrowed if not each.is_here)
                found[function].append(_Entered(context, key, clean, narrowed))
        return found

    def _comes_to_the_same(
        self,
        texts: list[Fact],
        seen: Mapping[Key, _Seen],
        entered: Mapping[Function, list[_Entered]],
    ) -> bool:
        """Whether the functions of a section that has changed do what they did, wherever they are entered.

        Args:
            texts: The texts of these functions.
            seen: What others saw of functions before.
            entered: How they were entered, and what came of it.
        """
        also = 0
        for fact in texts:
            before = seen.get(fact[1:])
            if before is None or not before.looks_the_same():
                return False
            for context, key, clean, narrowed in entered[before.function]:
                if clean is None and not narrowed:
                    return False
                if clean is not None:
                    rested = self._interpreter.again(before.function, key, context, clean)
                    if rested is None:
                        return False
                    also |= rested
                for each in narrowed:
                    rested = self._interpreter.again(before.function, key, context, each.summary, each)
                    if rested is None:
                        return False
                    also |= rested
        for bit in map(self._numbered.bit, texts):
            self._also[bit] = self._also.get(bit, 0) | also
        return True


class _Entered(NamedTuple):
    """One way in which a function was entered, and the summaries that were made of it."""

    context: Context
    key: Any
    clean: Summary | None
    narrowed: tuple[Narrowed, ...]


def _section(text: Fact) -> str:
    """The section that a function stands in, by the fact of its text."""
    return text[1] + text[2].rsplit(":", 2)[0]


class _Seen:
    """What others see of a function without entering it."""

    def __init__(self, function: Function, lines: list[str]) -> None:
        self.function = function
        self._node = function.node
        self._around = _outermost(function).node
        self._lines = lines
        self._site = function.site
        """With its end: callers note where a function stands that trains."""

    def is_said_otherwise(self, fact: Fact) -> bool:
        """Whether a text has another remark, and is the same program at the same place."""
        function = self.function
        if fact[0] not in OF_FUNCTIONS or function.outline.definition(function.key[1]) is not function:
            return False
        before, now = self._around, _outermost(function).node
        if (before.lineno, before.end_lineno) != (now.lineno, now.end_lineno):
            return False
        lines = zip(
            *(each[before.lineno - 1 : before.end_lineno] for each in (self._lines, function.outline.lines)),
            strict=True,
        )
        if any(old is not new and _code(old) != _code(new) for old, new in lines):
            return False
        return ast.dump(before, include_attributes=True) == ast.dump(now, include_attributes=True)

    def looks_the_same(self) -> bool:
        """Whether that is as it was, and it is known what entering it comes to."""
        function = self.function
        now = function.outline.definition(function.key[1])
        return (
            now is function
            and not is_context_manager(function)
            and looks(self._node, self._lines) == looks(function.node, function.outline.lines)
            and function.site == self._site
        )


def _outermost(function: Function) -> Function:
    """The function that one is defined in, be it through others."""
    while function.parent is not None:
        function = function.parent
    return function


def _code(line: str) -> str:
    """What stands in a line before anything that may be a remark."""
    return line.partition("#")[0].rstrip()


def _set_aside(interpreter: Interpreter, changed: int) -> list[_Aside]:
    """Take the summaries away that rest on some facts, and those that no other run would have had."""
    contexts = [context for context, _, _ in interpreter.contexts()]
    speaking = 0
    for context in contexts:
        if context.about & changed:
            speaking |= context.bit
    stands = partial(_stands, changed, speaking)

    aside: list[_Aside] = []
    for context in contexts:
        if context.about & changed:
            context.is_gone = True
        if not context.lasting:
            context.clean = None
        clean, narrowed = context.clean, context.narrowed
        speaks = bool(context.about & changed)
        gone = clean if clean is not None and (speaks or not stands(clean)) else None
        lost = [each for each in narrowed if speaks or not all(map(stands, _summaries(each)))]
        if gone is not None:
            context.clean = None
        if lost:
            context.narrowed = [each for each in narrowed if not any(each is other for other in lost)]
        if gone is not None or lost:
            aside.append((context, gone, lost))
    return aside


def _stands(changed: int, speaking: int, summary: Summary) -> bool:
    """Whether a summary rests neither on some facts, nor on contexts that speak of them."""
    return not (summary.trail.rested & changed or summary.trail.contexts & speaking)


def _summaries(narrowed: Narrowed) -> list[Summary]:
    """All that a summary at a bound stands for, and what it was made beside."""
    inside = [summary for _, summary in narrowed.inside]
    return [narrowed.summary, *narrowed.held.values(), *inside]


def _bring_back(aside: list[_Aside], changed: int) -> list[_Aside]:
    """Give summaries back that rest on nothing that has changed; returns the others."""
    left: list[_Aside] = []
    speaking = 0
    for context, _, _ in aside:
        if context.about & changed:
            speaking |= context.bit
    stands = partial(_stands, changed, speaking)

    for context, clean, narrowed in aside:
        if context.about & changed:
            left.append((context, clean, narrowed))
            continue
        context.is_gone = False
        if clean is not None and stands(clean):
            if context.clean is None:
                context.clean, context.lasting = clean, True
            clean = None
        lost = [each for each in narrowed if not all(map(stands, _summaries(each)))]
        context.narrowed += [each for each in narrowed if not any(each is other for other in lost)]
        if clean is not None or lost:
            left.append((context, clean, lost))
    return left


class _About:
    """The facts that say what the functions and classes are that something speaks of, as bits."""

    def __init__(self, numbered: Numbered[Fact]) -> None:
        self._numbered = numbered
        self._known: dict[int, int] = {}
        self._met: list[object] = []
        """What was met, lest something else is found where it was."""

    def of(self, held: object) -> int:
        """Those of all that a part of a value, a state or a key speaks of."""
        if isinstance(held, Function):
            return self._numbered.bit(("text", *held.key))
        if isinstance(held, Class):
            return self._numbered.bit(("class", *held.key))
        if not isinstance(held, tuple | frozenset):
            return 0
        known = self._known.get(id(held))
        if known is None:
            known = 0
            for part in held:
                known |= self.of(part)
            self._known[id(held)] = known
            self._met.append(held)
        return known

    def context(self, function: Function, key: Any, context: Context) -> int:
        """Those of a function in a context."""
        kind = "assigned" if key[0] == ATTRIBUTES else "text"
        return self._numbered.bit((kind, *function.key)) | self.of((key, context.attributes))

    def question(self, question: Any) -> int:
        """The facts that say what a question is about."""
        kind, subject, *details = question
        if isinstance(subject, Outline):
            return self._numbered.bit((kind, subject.file, *details))
        return self.of(subject)
