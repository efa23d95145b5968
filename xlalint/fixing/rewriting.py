"""Several cures of one file become one new text."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from xlalint.cure import Cure, MoveBelow, Remove, SyncBefore, WrapBody
from xlalint.fixing import names
from xlalint.fixing.callees import Callees
from xlalint.fixing.dropping import tidied
from xlalint.fixing.edits import Edit, applied
from xlalint.fixing.exports import Exports
from xlalint.fixing.markers import require_end_in_callers, require_no_loop_in_step
from xlalint.fixing.module import Module
from xlalint.fixing.moves import all_moved_below
from xlalint.fixing.nodes import walk
from xlalint.fixing.operations import Operation, nodes, touched
from xlalint.fixing.places import body_around, file_of, loop_at, seen_in, statement_at
from xlalint.fixing.rewrite import Refused, Rewrite
from xlalint.fixing.rewriters import rewriter_of
from xlalint.fixing.scopes import together as as_one
from xlalint.fixing.spelling import imports_for
from xlalint.lazy.site import Path
from xlalint.program.parsing import parse_file
from xlalint.sources.file import SourceFile, Unreadable


class Wanted(NamedTuple):
    """What is to be done about one diagnostic.

    Args:
        cures: Those that may be tried, the best first; at least one.
        path: The calls that lead to what the diagnostic is about, the outermost first, and the place of that.
        also: Such paths of other diagnostics that the same cures are for.
    """

    cures: Sequence[Cure]
    path: Path
    also: Sequence[Path] = ()


@dataclass(slots=True)
class Rewritten:
    """What a file changes to.

    Args:
        text: The new text; None: nothing changes.
        done: The diagnostics that it cures, by their number, with the cure taken.
        refused: Those that no cure fits, with the best one and the reason.
        moves: Whether statements move, and not only names change.
        others: The new texts of other files that change with it, by their paths.
    """

    text: str | None = None
    done: dict[int, Cure] = field(default_factory=dict)
    refused: dict[int, tuple[Cure, str]] = field(default_factory=dict)
    moves: bool = False
    others: dict[str, str] = field(default_factory=dict)


def rewrite(
    file: SourceFile, wanted: Sequence[Wanted], leading: Collection[int], exports: Exports,
    callees: Callees | None = None,
) -> Rewritten:  # fmt: skip
    """Carry out as many cures as go together; what is in the way of another is left for later.

    Args:
        file: The file, which can be parsed.
        wanted: The diagnostics.
        leading: The numbers of the diagnostics to be cured; others are only if that is the same cure.
        exports: What other files take from this one.
        callees: The functions of the project; None: those of the files that `exports` knows, as on disk.
    """
    callees = callees or Callees(exports.paths)
    try:
        return _Rewriting(_module(file, callees, exports), wanted, leading, exports).run()
    finally:
        walk.cache_clear()  # the tree is not needed any more


def _module(file: SourceFile, callees: Callees, exports: Exports) -> Module:
    tree = parse_file(file)
    assert isinstance(tree, ast.Module)
    return Module(file, tree, callees, lambda: exports.of(str(file.path)))


@dataclass(slots=True)
class _Step:
    """One rewrite, and the diagnostics that it cures."""

    cure: Cure
    rewrite: Rewrite
    numbers: list[int]


class _Rewriting:
    def __init__(
        self, module: Module, wanted: Sequence[Wanted], leading: Collection[int], exports: Exports
    ) -> None:
        self._exports = exports
        self._module = module
        self._wanted = wanted
        self._leading = leading
        self._result = Rewritten()

    def run(self) -> Rewritten:
        steps = [*self._wraps()]
        taken = {number for step in steps for number in step.numbers}
        steps += self._moves(taken)
        taken = {number for step in steps for number in step.numbers}
        others = [number for number in self._leading if number not in taken]
        of_text = [number for number in others if self._changes_text(number)]
        for number in others:
            if number not in of_text:
                steps += self._first(number)
        moving = self._in_order([step for step in steps if step.rewrite.operations])
        if any(isinstance(step.cure, WrapBody) for step in moving):
            # A step may make a marker needless.
            moving = [step for step in moving if not isinstance(step.cure, SyncBefore)]
        if any(map(self._take, self._attempts(self._apart(moving)))):
            self._result.moves = True
            return self._result
        # What only changes names is looked at once nothing moves any more.
        renaming = [step for step in steps if not step.rewrite.operations]
        renaming += (step for number in of_text for step in self._first(number))
        renaming.sort(key=lambda step: step.numbers)
        any(map(self._take, self._attempts(self._apart(renaming))))
        return self._result

    # Choosing -----------------------------------------------------------------------------------

    def _changes_text(self, number: int) -> bool:
        """Whether no cure of a diagnostic moves a statement, by their kinds."""
        cures = self._wanted[number].cures
        return all(type(cure) in names.REWRITERS and not cure.also for cure in cures)

    def _wraps(self) -> Iterator[_Step]:
        """Step scopes around loops: all that is to be done to one loop is done at once."""
        by_loop: dict[ast.AST, list[tuple[int, WrapBody]]] = defaultdict(list)
        for number, wanted in enumerate(self._wanted):
            try:
                cure = self._here(wanted.cures[0], wanted)
                if isinstance(cure, WrapBody):
                    by_loop[loop_at(self._module, cure.loop)].append((number, cure))
            except Refused:
                continue
        for found in by_loop.values():
            numbers = [number for number, _ in found]
            if not any(number in self._leading for number in numbers):
                continue
            try:
                (cure,) = as_one(self._module, [cure for _, cure in found])
                rewrite = rewriter_of(cure)(self._module, cure)
                yield _Step(cure, _within_cells(self._module, rewrite), numbers)
            except Refused:
                continue  # each by itself, then

    def _moves(self, taken: Collection[int]) -> Iterator[_Step]:
        """What moves below the same scope moves at once, and so keeps its order."""
        by_scope: dict[ast.AST, list[tuple[int, MoveBelow]]] = defaultdict(list)
        for number, wanted in enumerate(self._wanted):
            if number in taken:
                continue
            try:
                cure = self._here(wanted.cures[0], wanted)
                if isinstance(cure, MoveBelow) and not cure.also:
                    by_scope[statement_at(self._module, cure.below)].append((number, cure))
            except Refused:
                continue
        for found in by_scope.values():
            numbers = [number for number, _ in found]
            if len(found) == 1 or not any(number in self._leading for number in numbers):
                continue
            try:
                cures = [cure for _, cure in found]
                rewrite = all_moved_below(self._module, cures)
                yield _Step(cures[0], _within_cells(self._module, rewrite), numbers)
            except Refused:
                continue  # each by itself, then

    def _in_order(self, steps: Sequence[_Step]) -> list[_Step]:
        """Steps, of which those that move something below the same statement are one: it keeps its order."""
        by_scope: dict[ast.AST, list[tuple[_Step, MoveBelow]]] = defaultdict(list)
        for step in steps:
            if isinstance(step.cure, MoveBelow) and not step.cure.also and len(step.numbers) == 1:
                here = self._here(step.cure, self._wanted[step.numbers[0]])
                assert isinstance(here, MoveBelow)
                by_scope[statement_at(self._module, here.below)].append((step, here))
        together = [*steps]
        for found in by_scope.values():
            if len(found) == 1:
                continue
            found.sort(key=lambda each: each[0].numbers)
            try:
                rewrite = _within_cells(
                    self._module, all_moved_below(self._module, [here for _, here in found])
                )
            except Refused:
                continue  # each by itself, then
            moved = [step for step, _ in found]
            together = [step for step in together if step not in moved]
            together.append(_Step(moved[0].cure, rewrite, [step.numbers[0] for step in moved]))
        return together

    def _first(self, number: int) -> Iterator[_Step]:
        """The best cure of a diagnostic that the text allows, if there is one."""
        wanted = self._wanted[number]
        reasons = []
        for cure in wanted.cures:
            try:
                yield self._step(cure, wanted, number)
                return
            except Refused as refusal:
                reasons.append(str(refusal))
        self._result.refused[number] = (wanted.cures[0], reasons[0])

    def _step(self, cure: Cure, wanted: Wanted, number: int) -> _Step:
        rewrite = Rewrite()
        for each in (cure, *cure.also):
            here = self._here(each, wanted)
            rewrite = rewrite.with_(rewriter_of(here)(self._module, here))
        return _Step(cure, _within_cells(self._module, rewrite), [number])

    def _here(self, cure: Cure, wanted: Wanted) -> Cure:
        """The cure, about this file."""
        if file_of(cure) != str(self._module.file.path):
            raise Refused(f"it begins in another file, {file_of(cure)}")
        if isinstance(cure, SyncBefore):
            for path in (wanted.path, *wanted.also):
                if cure.site in path:
                    require_end_in_callers(self._module, path[: path.index(cure.site)])
        if isinstance(cure, Remove):
            require_no_loop_in_step(self._module, wanted.path)
        return seen_in(self._module, cure, wanted.path)

    def _apart(self, steps: list[_Step]) -> list[_Step]:
        """Steps that are not in each other's way: no two concern the same lines."""
        chosen: list[_Step] = []
        edits: list[Edit] = []
        lines: list[tuple[int, int]] = []
        synced: set[ast.AST] = set()
        for step in _outer_markers_first(steps):
            own = [_lines(operation) for operation in step.rewrite.operations]
            around = [(min(own)[0], max(last for _, last in own))] if own else []
            if isinstance(step.cure, SyncBefore):
                # What one marker cures below itself, the next check tells.
                body = body_around(self._module, statement_at(self._module, step.cure.site))
                if body in synced:
                    lines += around  # nor does another one come into the statement in the meantime
                    continue
                synced.add(body)
            if any(a <= d and c <= b for a, b in around for c, d in lines):
                continue
            if any(one.overlaps(other) for one in step.rewrite.edits for other in edits if one != other):
                continue
            if step.rewrite.elsewhere and any(each.rewrite.elsewhere for each in chosen):
                continue  # what both do to another file might meet
            lines += around
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
            text = new_text(self._module, rewrite, self._exports)
            others = {
                path: new_text(self._module.beside(path), own, self._exports)
                for path, own in rewrite.elsewhere
            }
        except Refused as refusal:
            for step in steps:
                for number in step.numbers:
                    self._result.refused[number] = (step.cure, str(refusal))
            return False
        self._result.text, self._result.others = text, others
        for step in steps:
            for number in step.numbers:
                self._result.done[number] = step.cure
                self._result.refused.pop(number, None)
        return True


def _outer_markers_first(steps: Sequence[_Step]) -> Iterator[_Step]:
    """Steps, of which those that set a marker come in the order of the file.

    One above a test of replicas makes the same needless below it, where only some of them would cut.
    """
    markers = [step for step in steps if isinstance(step.cure, SyncBefore)]
    markers.sort(key=lambda step: min(_lines(operation)[0] for operation in step.rewrite.operations))
    in_order = iter(markers)
    return (next(in_order) if isinstance(step.cure, SyncBefore) else step for step in steps)


def _within_cells(module: Module, rewrite: Rewrite) -> Rewrite:
    """A rewrite that moves nothing between the cells of a notebook: each shows what it prints below itself.

    Raises:
        Refused: something would.
    """
    notebook = module.file.notebook
    if notebook is None:
        return rewrite
    for operation in rewrite.operations:
        cells = {notebook.cell_at(statement.lineno)[0] for statement in touched(operation)}
        if len(cells) > 1:
            raise Refused(
                f"it would reach over cells {min(cells)} to {max(cells)}, of which each is run by itself"
            )
    return rewrite


def new_text(module: Module, rewrite: Rewrite, exports: Exports) -> str:
    """The text of a file after a rewrite, which is seen to do what it says and no more.

    Raises:
        Refused: it does not.
    """
    changes, new = rewrite.edits, imports_for(module, rewrite.needs)
    if rewrite.operations:
        from xlalint.fixing.layout import laid_out  # which needs LibCST
        from xlalint.fixing.ledger import agrees

        changes = laid_out(module, rewrite.operations, rewrite.edits)
        if not agrees(module, rewrite.operations, applied(module.text, changes), rewrite.edits):
            raise Refused("the result is not what the fix should do")
        if any(one.overlaps(other) for one in changes for other in new):
            raise Refused("an import would have to stand in the midst of it")
    text = applied(module.text, (*changes, *new))
    if rewrite.operations and not new and not rewrite.leaves:
        return text  # which the ledger has parsed
    after = _parsed(module, text)
    if not rewrite.leaves:
        return text
    return tidied(module, after, rewrite.leaves, exports.of(str(module.file.path)))


def _parsed(module: Module, text: str) -> Module:
    file = SourceFile(module.file.path, module.file.shown, text, is_hot=module.file.is_hot)
    tree = parse_file(file)
    if isinstance(tree, Unreadable):
        raise Refused(f"the result is not valid Python ({tree.reason})")
    return Module(file, tree)


def _lines(operation: Operation) -> tuple[int, int]:
    """The first and the last line of what an operation is about."""
    about = [node for node in nodes(operation) if isinstance(node, ast.stmt | ast.expr)]
    return min(node.lineno for node in about), max(node.end_lineno or node.lineno for node in about)
