"""Several cures of one file become one new text."""

from __future__ import annotations

import ast
import dataclasses
from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field

from xlalint.analysis.parsing import parse_file
from xlalint.cure import Cure, WrapBody
from xlalint.fixing import imports
from xlalint.fixing.edits import Edit, applied
from xlalint.fixing.module import Module
from xlalint.fixing.operations import nodes
from xlalint.fixing.rewrite import Refused, Rewrite
from xlalint.fixing.rewriters import rewriter_of
from xlalint.lazy.site import Site
from xlalint.sources.file import SourceFile, Unreadable

Cures = Sequence[Cure]
"""Of one diagnostic: those that may be tried, the best first; at least one."""


@dataclass(slots=True)
class Rewritten:
    """What a file changes to.

    Args:
        text: The new text; None: nothing changes.
        done: The diagnostics that it cures, by their number, with the cure taken.
        refused: Those that no cure fits, with the best one and the reason.
        moves: Whether statements move, and not only names change.
    """

    text: str | None = None
    done: dict[int, Cure] = field(default_factory=dict)
    refused: dict[int, tuple[Cure, str]] = field(default_factory=dict)
    moves: bool = False


def rewrite(file: SourceFile, wanted: Sequence[Cures], leading: Collection[int]) -> Rewritten:
    """Carry out as many cures as go together; what is in the way of another is left for later.

    Args:
        file: The file, which can be parsed.
        wanted: The cures of each diagnostic.
        leading: The numbers of the diagnostics to be cured; others are only if that is the same cure.
    """
    return _Rewriting(_module(file), wanted, leading).run()


def _module(file: SourceFile) -> Module:
    tree = parse_file(file)
    assert isinstance(tree, ast.Module)
    return Module(file, tree)


@dataclass(slots=True)
class _Step:
    """One rewrite, and the diagnostics that it cures."""

    cure: Cure
    rewrite: Rewrite
    numbers: list[int]


class _Rewriting:
    def __init__(self, module: Module, wanted: Sequence[Cures], leading: Collection[int]) -> None:
        self._module = module
        self._wanted = wanted
        self._leading = leading
        self._result = Rewritten()

    def run(self) -> Rewritten:
        steps = [*self._wraps()]
        taken = {number for step in steps for number in step.numbers}
        for number, cures in enumerate(self._wanted):
            if number not in taken and number in self._leading:
                steps += self._first(number, cures)
        moving = [step for step in steps if step.rewrite.operations]
        self._result.moves = bool(moving)
        for together in self._attempts(self._apart(moving or steps)):
            if self._take(together):
                break
        return self._result

    # Choosing -----------------------------------------------------------------------------------

    def _wraps(self) -> Iterator[_Step]:
        """Step scopes around loops: all that is to be done to one loop is done at once."""
        by_loop: dict[ast.AST, list[int]] = defaultdict(list)
        for number, cures in enumerate(self._wanted):
            first = cures[0]
            if isinstance(first, WrapBody) and isinstance(first.loop, Site):
                loop = self._module.loop(first.loop)
                if loop is not None:
                    by_loop[loop].append(number)
        for numbers in by_loop.values():
            if not any(number in self._leading for number in numbers):
                continue
            wraps = [cure for number in numbers if isinstance(cure := self._wanted[number][0], WrapBody)]
            try:
                yield self._step(_together(wraps), numbers)
            except Refused:
                continue  # each by itself, then

    def _first(self, number: int, cures: Cures) -> Iterator[_Step]:
        """The best cure of a diagnostic that the text allows, if there is one."""
        reasons = []
        for cure in cures:
            try:
                yield self._step(cure, [number])
                return
            except Refused as refusal:
                reasons.append(str(refusal))
        self._result.refused[number] = (cures[0], reasons[0])

    def _step(self, cure: Cure, numbers: list[int]) -> _Step:
        rewrite = rewriter_of(cure)(self._module, cure)
        for also in cure.also:
            rewrite = rewrite.with_(rewriter_of(also)(self._module, also))
        return _Step(cure, rewrite, numbers)

    def _apart(self, steps: list[_Step]) -> list[_Step]:
        """Steps that are not in each other's way: of one function, only one moves statements."""
        chosen: list[_Step] = []
        edits: list[Edit] = []
        moved: set[ast.AST] = set()
        for step in steps:
            where = {self._module.function(node) for each in step.rewrite.operations for node in nodes(each)}
            if moved & where or any(a.overlaps(b) for a in step.rewrite.edits for b in edits if a != b):
                continue
            moved |= where
            edits += step.rewrite.edits
            chosen.append(step)
        return chosen

    @staticmethod
    def _attempts(steps: list[_Step]) -> Iterator[list[_Step]]:
        """All steps; and if these cannot be done together, each alone."""
        if steps:
            yield steps
        if len(steps) > 1:
            yield from ([step] for step in steps)

    # Rewriting ----------------------------------------------------------------------------------

    def _take(self, steps: list[_Step]) -> bool:
        """Make the new text. Returns whether it is what the steps say; if not, they are refused."""
        rewrite = Rewrite()
        for step in steps:
            rewrite = rewrite.with_(step.rewrite)
        try:
            text = new_text(self._module, rewrite)
        except Refused as refusal:
            for step in steps:
                for number in step.numbers:
                    self._result.refused[number] = (step.cure, str(refusal))
            return False
        self._result.text = text
        for step in steps:
            for number in step.numbers:
                self._result.done[number] = step.cure
                self._result.refused.pop(number, None)
        return True


def new_text(module: Module, rewrite: Rewrite, exported: Collection[str] = ()) -> str:
    """The text of a file after a rewrite, which is seen to do what it says and no more.

    Args:
        exported: Names that other files take from this one.

    Raises:
        Refused: it does not.
    """
    changes = (*rewrite.edits, *imports.added(module, rewrite.needs))
    text = applied(module.text, changes)
    after = _parsed(module, text)
    return imports.tidied(module, after, rewrite.leaves, exported)


def _parsed(module: Module, text: str) -> Module:
    file = SourceFile(module.file.path, module.file.shown, text, is_hot=module.file.is_hot)
    tree = parse_file(file)
    if isinstance(tree, Unreadable):
        raise Refused(f"the result is not valid Python ({tree.reason})")
    return Module(file, tree)


def _together(wraps: list[WrapBody]) -> WrapBody:
    """One step scope for all that cures of one loop want of it."""
    markers = {marker for wrap in wraps for marker in wrap.markers}
    below = {place: None for wrap in wraps for place in wrap.below}
    return dataclasses.replace(wraps[0], markers=tuple(sorted(markers)), below=tuple(below))
