"""Operations carried out on the text: with LibCST, on the slice of the statements that they are about.

Everything outside the slice stays as it is, byte for byte.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence

import libcst as cst

from xlalint.fixing.blocks import Build, without_gap
from xlalint.fixing.edits import Edit, applied
from xlalint.fixing.module import Block, Module
from xlalint.fixing.operations import (
    Delete,
    Move,
    Operation,
    Replace,
    touched,
)
from xlalint.fixing.rewrite import Refused

_ABOVE = "if 1:"
"""What an indented slice is put below, so that it can be parsed alone."""
_BESIDE = "pass"
"""What another is put below, so that comments above its first statement belong to that."""


def laid_out(module: Module, operations: Sequence[Operation], edits: Iterable[Edit] = ()) -> tuple[Edit, ...]:
    """The changes to the text that carry out operations.

    Args:
        module: The file.
        operations: What is to be done.
        edits: Changes inside statements, which go where these go.

    Raises:
        Refused: the text cannot be laid out anew.
    """
    small = [*edits, *(_replaced(module, each) for each in operations if isinstance(each, Replace))]
    made = []
    for part in _parts(module, [each for each in operations if not isinstance(each, Replace)]):
        inside = [edit for edit in small if part.start <= edit.start and edit.end <= part.end]
        small = [edit for edit in small if edit not in inside]
        made.append(part.rewritten(inside))
    return (*made, *small)


def _replaced(module: Module, operation: Replace) -> Edit:
    start, end = module.span(operation.expression)
    try:
        # Positions inside formatted strings are not right in every release of Python.
        found = ast.parse(f"({module.text[start:end]})", mode="eval").body
    except SyntaxError:
        found = None
    if found is None or ast.dump(found) != ast.dump(operation.expression):
        raise Refused(f"the expression on line {operation.expression.lineno} is not found in the text")
    return Edit(start, end, operation.text)


# Slices -----------------------------------------------------------------------------------------


def _parts(module: Module, operations: Sequence[Operation]) -> list[_Slice]:
    """Slices that have no line in common, with what happens in each."""
    parts: list[_Slice] = []
    for operation in operations:
        part = _Slice(module, [operation])
        while met := [each for each in parts if each.start < part.end and part.start < each.end]:
            parts = [each for each in parts if each not in met]
            together = {id(each) for one in (*met, part) for each in one.operations}
            part = _Slice(module, [each for each in operations if id(each) in together])
        parts.append(part)
    return parts


class _Slice:
    """Whole statements of one block, on lines of their own, with the comments above the first."""

    def __init__(self, module: Module, operations: list[Operation]) -> None:
        self.operations = operations
        self._module = module
        self._touched = {statement for each in operations for statement in touched(each)}
        self._gone = {each.statement for each in operations if isinstance(each, Delete | Move)}
        self._touched |= {owner for statement in self._gone for owner in self._emptied(statement)}
        self._block, self._first, self._last = self._extent()
        self.start, self.end = self._lines()
        self._holding = {
            node for statement in self._touched for node in (statement, *module.around(statement))
        }

    def _emptied(self, statement: ast.stmt) -> Iterator[ast.stmt]:
        """The statements around one that goes of which perhaps nothing is left, or a block of which."""
        gone = {*self._gone}
        while all(each in gone for each in self._module.block(statement)):
            owner = next(
                (node for node in self._module.around(statement) if isinstance(node, ast.stmt)), None
            )
            if owner is None:
                return
            yield owner
            gone.add(owner)
            statement = owner

    def _extent(self) -> tuple[Block, int, int]:
        chains = [self._chain(statement) for statement in self._touched]
        depth = 0
        shortest = min(map(len, chains))
        while depth < shortest and len({id(chain[depth][0]) for chain in chains}) == 1:
            depth += 1
        while depth > 1 and not self._stands_alone(chains[0][depth - 1][0]):
            depth -= 1
        block = chains[0][depth - 1][0]
        places = [block.index(chain[depth - 1][1]) for chain in chains]
        first, last = min(places), max(places)
        while first > 0 and block[first - 1].end_lineno == self._line(block[first]):
            first -= 1
        while last + 1 < len(block) and self._line(block[last + 1]) == block[last].end_lineno:
            last += 1
        return block, first, last

    def _chain(self, statement: ast.stmt) -> list[tuple[Block, ast.stmt]]:
        """The blocks that a statement stands in, from the outermost inwards, each with its member."""
        nodes = (statement, *self._module.around(statement))
        members = [node for node in nodes if isinstance(node, ast.stmt)]
        return [(self._module.block(member), member) for member in reversed(members)]

    def _stands_alone(self, block: Block) -> bool:
        """Whether a block begins on a line of its own, and is no `elif`."""
        start = self._module.span(block[0])[0]
        is_elif = self._module.text.startswith("elif", start) and isinstance(block[0], ast.If)
        return not is_elif and self._module.indent(start) is not None

    def _line(self, statement: ast.stmt) -> int:
        decorators = getattr(statement, "decorator_list", None)
        return min(statement.lineno, decorators[0].lineno) if decorators else statement.lineno

    def _lines(self) -> tuple[int, int]:
        module = self._module
        above = self._block[self._first - 1].end_lineno if self._first else 0
        number = self._line(self._block[self._first])
        while number - 1 > (above or 0) and _is_blank_or_comment(module.file.line(number - 1)):
            number -= 1
        after = self._last_line() + 1
        is_last = after > len(module.file.lines)
        return module.offset(number, 0), len(module.text) if is_last else module.offset(after, 0)

    def _last_line(self) -> int:
        """The line that the slice ends on: comments below belong to it while they are indented more."""
        module, last = self._module, self._block[self._last]
        end = last.end_lineno or 0
        if not hasattr(last, "body"):
            return end
        indent = len(self._indent(self._block[self._first]))
        lines = module.file.lines
        for number in range(end + 1, len(lines) + 1):
            line = lines[number - 1]
            if not _is_blank_or_comment(line):
                break
            if line.strip():
                if len(line) - len(line.lstrip()) <= indent:
                    break
                end = number
        return end

    # To the text --------------------------------------------------------------------------------

    def rewritten(self, edits: Iterable[Edit]) -> Edit:
        """The slice as it is after all operations, and changes inside its statements."""
        module = self._module
        text = applied(
            module.text[self.start : self.end],
            (Edit(edit.start - self.start, edit.end - self.start, edit.text) for edit in edits),
        )
        indent = self._indent(self._block[self._first])
        before = f"{_ABOVE}{module.newline}{indent}" if indent else ""
        before += _BESIDE + module.newline
        try:
            tree = cst.parse_module(before + text)
        except cst.ParserSyntaxError:
            raise Refused("its syntax is not known to what lays out the text") from None
        if tree.code != before + text:
            raise Refused("the text would not stay as it is")
        above = tree.body[0] if indent else tree
        held = above.body if isinstance(above, cst.If) else tree
        assert isinstance(held, cst.IndentedBlock | cst.Module)
        beside, *lines = held.body
        build = Build(self.operations, self._holding, self._gone, self._unit())
        statements = self._block[self._first : self._last + 1]
        build.note(statements, lines)
        made, left = build.block(statements, lines, begins=not self._first and bool(indent))
        if self._ends_with_gap():
            left = without_gap(left)
        new = held.with_changes(body=[beside, *made], footer=[*left, *held.footer])
        if isinstance(above, cst.If):
            new = tree.with_changes(body=[above.with_changes(body=new)])
        assert isinstance(new, cst.Module)
        code = new.code
        return Edit(self.start, self.end, code.removeprefix(before))

    def _ends_with_gap(self) -> bool:
        """Whether a block, or a paragraph of it, ends with the slice."""
        is_last = self._last + 1 == len(self._block)
        return is_last or not self._module.rest_of_line(self.end)

    def _unit(self) -> str:
        """By how much a block is indented: as the nearest around the slice is, or the first of the file."""
        module = self._module
        owners = (node for node in module.around(self._block[0]) if isinstance(node, ast.stmt))
        for owner in (*owners, *module.tree.body):
            block = getattr(owner, "body", None)
            if isinstance(block, list) and self._stands_alone(block):
                outer, inner = self._indent(owner), self._indent(block[0])
                if inner.startswith(outer) and inner != outer:
                    return inner.removeprefix(outer)
        return "    "

    def _indent(self, statement: ast.stmt) -> str:
        return self._module.indent(self._module.span(statement)[0]) or ""


def _is_blank_or_comment(line: str) -> bool:
    line = line.strip()
    return not line or line.startswith("#")
