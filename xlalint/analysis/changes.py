"""What a change of texts undoes of what was found out of a program that stays in memory.

What the interpreter found out rests on facts. Those whose values a change has altered are known when the
changed modules have been outlined anew; what rests on none of them holds. What instances of a class hold is
such a fact, too, and found out by interpreting: until that has been done again, all is set aside that rests
on it, and comes back where it turns out to be the same.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping
from typing import Any

from xlalint.analysis.facts import OF_THE_WHOLE, Facts
from xlalint.analysis.interpreter import Interpreter
from xlalint.analysis.kept import Context, Narrowed
from xlalint.analysis.lookups import Fact
from xlalint.analysis.outline import Class, Function, Outline
from xlalint.analysis.project import ABOUT_FILES
from xlalint.analysis.roots import Plan
from xlalint.analysis.summaries import Summary
from xlalint.analysis.trail import Numbered

Text = tuple[str, ast.Module]

_Aside = tuple[Context, Summary | None, list[Narrowed]]


def change(texts: Mapping[Outline, Text], facts: Facts, plan: Plan, interpreter: Interpreter) -> int:
    """Give modules of a program other texts, and forget what does not hold any more.

    Args:
        texts: By module, the new text with its syntax tree.
        facts: The facts of the program.

    Returns:
        The facts that have another value than before, as bits.
    """
    numbered, lookups = interpreter.facts, interpreter.lookups
    about = _About(numbered)
    for context, function, key in interpreter.contexts():
        if context.about < 0:
            context.about = about.of((function, key, context.attributes))
    files = {outline.file for outline in texts}
    looked_at = [
        fact
        for fact in numbered.all
        if fact[0] not in ABOUT_FILES
        and fact[0] != "attributes"
        and (fact[1] in files or fact[0] in OF_THE_WHOLE)
    ]
    before = {fact: facts.value(fact) for fact in (*looked_at, *lookups.derived)}

    for outline, (text, tree) in texts.items():
        outline.change(text, tree)
    for outline in texts:
        plan.change(outline)
    facts.forget(looked_at)

    changed = _bits(numbered, (fact for fact in looked_at if facts.value(fact) != before[fact]))
    doubtful = _resting_on(changed, lookups.derived, numbered)
    lookups.forget(changed | doubtful, about.question)
    interpreter.classes.forget(files)
    aside = _set_aside(interpreter, changed | doubtful)
    in_doubt = numbered.of(doubtful)
    facts.forget(in_doubt)
    changed |= _bits(numbered, (fact for fact in in_doubt if facts.value(fact) != before[fact]))
    _bring_back(aside, changed)
    return changed


def _bits(numbered: Numbered[Fact], facts: Iterable[Fact]) -> int:
    bits = 0
    for fact in facts:
        bits |= numbered.bit(fact)
    return bits


def _resting_on(changed: int, derived: Mapping[Fact, int], numbered: Numbered[Fact]) -> int:
    """The facts that were found out of some others, be it through each other."""
    found, known = 0, -1
    while found != known:
        known = found
        for fact, rested in derived.items():
            if rested & (changed | found):
                found |= numbered.bit(fact)
    return found


def _set_aside(interpreter: Interpreter, changed: int) -> list[_Aside]:
    """Take the summaries away that rest on some facts, and those that no other run would have had."""
    contexts = [context for context, _, _ in interpreter.contexts()]
    speaking = 0
    for context in contexts:
        if context.about & changed:
            speaking |= context.bit

    def stands(summary: Summary) -> bool:
        return not (summary.trail.rested & changed or summary.trail.contexts & speaking)

    aside: list[_Aside] = []
    for context in contexts:
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


def _summaries(narrowed: Narrowed) -> list[Summary]:
    """All that a summary at a bound stands for, and what it was made beside."""
    inside = [summary for _, summary in narrowed.inside]
    return [narrowed.summary, *narrowed.held.values(), *inside]


def _bring_back(aside: list[_Aside], changed: int) -> None:
    """Give summaries back that rest on nothing that has changed."""
    speaking = 0
    for context, _, _ in aside:
        if context.about & changed:
            speaking |= context.bit

    def stands(summary: Summary) -> bool:
        return not (summary.trail.rested & changed or summary.trail.contexts & speaking)

    for context, clean, narrowed in aside:
        if context.about & changed:
            continue
        if clean is not None and context.clean is None and stands(clean):
            context.clean, context.lasting = clean, True
        context.narrowed += [each for each in narrowed if all(map(stands, _summaries(each)))]


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

    def question(self, question: Any) -> int:
        """The facts that say what a question is about."""
        kind, subject, *details = question
        if isinstance(subject, Outline):
            return self._numbered.bit((kind, subject.file, *details))
        return self.of(subject)
