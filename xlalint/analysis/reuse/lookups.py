"""What is found out once for the whole program, and what each answer rests on.

The value of a module's name, the bases of a class, what its instances hold: such answers are asked for
from everywhere, and must be the same whoever asks first. So each is found out apart from where it is
asked, and in a circle of questions only the answer to the first is kept for good.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from typing import Any, Final, NamedTuple, TypeVar

from xlalint.analysis.reuse.trail import Numbered

Fact = tuple[str, str, str]
"""Something an answer rests on: the kind of fact, the file it is about, and what about it."""

MOST_OPEN: Final = 24
"""At most so many questions are open at once."""

Apart = Callable[[Callable[[], Any]], tuple[Any, int]]
Before = Callable[[Fact], tuple[Any, int] | None]

_T = TypeVar("_T")


class Answer(NamedTuple):
    """What was found out, and the facts that it rests on.

    Args:
        circle: The outermost open question that it rests on; beyond all of them for a final answer.
    """

    value: Any
    rested: int
    circle: int


class Lookups:
    """Answers to questions about the program, and the facts that the present activation rests on."""

    def __init__(
        self, apart: Apart, rest: Callable[[int], None], facts: Numbered[Fact], before: Before
    ) -> None:
        """
        Args:
            apart: Finds something out as if nothing else were going on; returns with it what it rests on.
            rest: Tells that what is being found out rests on some facts.
            facts: The bit that stands for each fact.
            before: What a fact was found to be in another run, if that still holds, and what it rests on.
        """
        self._apart = apart
        self._rest = rest
        self._facts = facts
        self._before = before
        self.derived: dict[Fact, int] = {}
        """Answers that are facts themselves, and the facts that each rests on."""
        self.values: dict[Fact, Any] = {}
        """What these answers are."""
        self._final: dict[Hashable, Answer] = {}
        self._passing: dict[Hashable, Answer] = {}
        """Answers that hold only while a question of their circle is open."""
        self._open: dict[Hashable, int] = {}
        self._circle = MOST_OPEN
        self._bits: list[int] = []
        """What stands for each open question in `leaning`."""
        self._asked = 0
        self._finding = 0
        """How many of the open questions will be facts."""
        self.leaning = 0
        """The open questions that the present activation rests on, as bits."""

    def find(
        self,
        question: Hashable,
        answer: Callable[[], _T],
        meanwhile: Callable[[], _T],
        fact: Fact | None = None,
    ) -> _T:
        """The answer to a question about the program.

        Args:
            question: What tells it from all others.
            answer: Finds it out.
            meanwhile: What to take where the answer is being found out already.
            fact: The answer as a fact: what is found out by it rests on that, not on all that led there,
                which may change without changing the answer.
        """
        known = self._final.get(question)
        value: _T
        if known is not None:
            self._rest(known.rested)
            value = known.value
            return value
        known = self._passing.get(question)
        if known is not None:
            self._rest(known.rested)
            if known.circle < len(self._open):
                self._circle = min(self._circle, known.circle)
                self.leaning |= self._bits[known.circle]
            value = known.value
            return value
        number = len(self._open)
        if self.is_open(question):
            return meanwhile()
        if number >= MOST_OPEN:
            self._circle = 0  # what it leads to depends on how deep we are
            self.leaning |= self._bits[0]
            return meanwhile()
        # What is found out on the way to a fact must not rest on that very fact.
        before = None if fact is None or self._finding else self._before(fact)
        if fact is not None and before is not None:
            value, self.derived[fact] = before
            self.values[fact] = value
            rested = self._facts.bit(fact)
            self._rest(rested)
            self._final[question] = Answer(value, rested, MOST_OPEN)
            return value
        outer_circle, self._circle = self._circle, number
        self._open[question] = number
        self._asked += 1
        self._bits.append(1 << self._asked)
        self._finding += fact is not None
        try:
            value, rested = self._apart(answer)
        finally:
            self._finding -= fact is not None
            del self._open[question]
            self.leaning &= ~self._bits.pop()
            circle, self._circle = self._circle, min(outer_circle, self._circle)
        found = Answer(value, rested, circle)
        if circle < number:
            self._rest(rested)
            self._passing[question] = found
            return value
        if fact is not None:
            self.derived[fact] = rested
            self.values[fact] = value
            rested = self._facts.bit(fact)
        self._rest(rested)
        self._circle = outer_circle
        self._final[question] = Answer(value, rested, MOST_OPEN)
        self._passing = {key: held for key, held in self._passing.items() if held.circle < number}
        return value

    def forget(self, changed: int, about: Callable[[Hashable], int]) -> dict[Hashable, Answer]:
        """Forget the answers that rest on facts that have changed, or may have.

        Args:
            changed: These facts.
            about: The facts that say what a question is about.

        Returns:
            What was forgotten.
        """
        forgotten = {}
        for question, held in list(self._final.items()):
            if (held.rested | about(question)) & changed:
                forgotten[question] = self._final.pop(question)
        return forgotten

    def remember(
        self, forgotten: dict[Hashable, Answer], changed: int, about: Callable[[Hashable], int]
    ) -> None:
        """Take back what was forgotten of which no fact has changed."""
        for question, held in forgotten.items():
            if not (held.rested | about(question)) & changed:
                self._final.setdefault(question, held)

    @contextmanager
    def held_open(self, question: Hashable) -> Iterator[None]:
        """Go on as if a question were being answered; what is found out on the way is forgotten."""
        number, circle = len(self._open), self._circle
        self._open[question] = number
        self._asked += 1
        self._bits.append(1 << self._asked)
        try:
            yield
        finally:
            del self._open[question]
            self._bits.pop()
            self._circle = circle
            self._passing = {key: held for key, held in self._passing.items() if held.circle < number}

    def close(self) -> None:
        """Forget all answers; see `Program.close`."""
        self._final.clear()
        self._passing.clear()

    @property
    def open(self) -> int:
        """All open questions, as bits."""
        bits = 0
        for bit in self._bits:
            bits |= bit
        return bits

    @property
    def innermost(self) -> int:
        """The question that was opened last, as a bit."""
        return self._bits[-1] if self._bits else 0

    def is_open(self, question: Hashable) -> bool:
        """Whether a question is being answered; what is found out now then rests on that."""
        number = self._open.get(question)
        if number is None:
            return False
        self._circle = min(self._circle, number)
        self.leaning |= self._bits[number]
        return True
