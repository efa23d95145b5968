"""Blocks with operations carried out on them, built with LibCST from the statements that they had."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import takewhile

import libcst as cst

from xlalint.fixing.module import Block
from xlalint.fixing.operations import (
    Decorate,
    Insert,
    Move,
    Operation,
    Undecorate,
    Unwrap,
    Wrap,
)
from xlalint.fixing.rewrite import Refused


class Build:
    """Blocks built anew, statement for statement, beside those of the `ast`."""

    def __init__(
        self, operations: Sequence[Operation], holding: set[ast.AST], gone: set[ast.stmt], indent: str
    ) -> None:
        self._indent = indent
        self._holding = holding
        self._gone = gone
        self._wraps = {each.first: each for each in operations if isinstance(each, Wrap)}
        self._unwraps = {each.statement: each for each in operations if isinstance(each, Unwrap)}
        self._decorated = {each.function: each.text for each in operations if isinstance(each, Decorate)}
        self._undecorated = [each for each in operations if isinstance(each, Undecorate)]
        self._moves = {each.statement for each in operations if isinstance(each, Move)}
        self._beside: dict[tuple[ast.stmt, bool], list[Insert | Move]] = defaultdict(list)
        for each in operations:
            if isinstance(each, Insert):
                self._beside[each.beside, each.above].append(each)
            elif isinstance(each, Move):
                self._beside[each.to, each.above].append(each)
        self._moved: dict[ast.stmt, cst.BaseStatement] = {}
        self._left: dict[ast.stmt, list[cst.EmptyLine]] = {}
        """Comments at the end of blocks whose statements stay."""

    def _suite(self, statements: Block, suite: cst.BaseSuite) -> cst.BaseSuite | None:
        """The block of a compound statement; None: nothing is left of it."""
        if not any(statement in self._holding for statement in statements):
            return suite
        if isinstance(suite, cst.IndentedBlock):
            lines, left = self.block(statements, suite.body)
            made = suite.with_changes(body=lines, footer=[*without_gap(left), *suite.footer])
        else:
            assert isinstance(suite, cst.SimpleStatementSuite)
            line = cst.SimpleStatementLine(suite.body, trailing_whitespace=suite.trailing_whitespace)
            lines, left = self.block(statements, [line])
            made = cst.IndentedBlock(lines, indent=self._indent, footer=without_gap(left))
        return made if lines else None

    def block(
        self, statements: Block, lines: Sequence[cst.BaseStatement], *, begins: bool = True
    ) -> tuple[list[cst.BaseStatement], list[cst.EmptyLine]]:
        """The statements of a block, and what is left of those that went below the last of them.

        Args:
            statements: The statements.
            lines: The same, as LibCST has them.
            begins: Whether a block that is indented begins with the first of them.
        """
        result: list[cst.BaseStatement] = []
        wrapped: list[cst.BaseStatement] | None = None
        wrap: Wrap | None = None
        left: list[cst.EmptyLine] = []
        for statement, line in self._paired(statements, lines):
            above = self._come(statement, above=True)
            made = [] if statement in self._gone else self._statement(statement, line)
            if above and made:
                blank, own = _parted(made[0])
            # What was parted from its neighbours by gaps stays so, and so does what it comes above.
            if above and made and not (blank and _blank(_leading(above[0]))):
                above[0] = above[0].with_changes(leading_lines=[*blank, *_leading(above[0])])
                made[0] = made[0].with_changes(leading_lines=own)
            if not made and statement not in self._moves:
                left = _one_gap(left, _leading(line))
            elif made:
                made[0] = made[0].with_changes(leading_lines=_one_gap(left, _leading(made[0])))
                left = self._left.pop(statement, [])
            if wrap is None and (wrap := self._wraps.get(statement)) is not None:
                wrapped = []
                if statement not in self._moves:
                    result += above
                    above = []
            if wrapped is not None and wrap is not None:
                wrapped += (*above, *made)
                if statement is wrap.last:
                    result.append(self._with(wrap.header, wrapped))
                    wrapped = wrap = None
            else:
                result += (*above, *made)
            (result if wrapped is None else wrapped).extend(self._come(statement, above=False))
        assert wrapped is None
        if begins and result and statements[0] in self._gone and not _blank(_leading(lines[0])):
            above_first = _leading(result[0])
            result[0] = result[0].with_changes(leading_lines=above_first[_blank(above_first) :])
        return result, left

    def _paired(
        self, statements: Block, lines: Sequence[cst.BaseStatement]
    ) -> Iterator[tuple[ast.stmt, cst.BaseStatement]]:
        """Each statement with its line; of several on one line that nothing happens to, the first."""
        rest = iter(statements)
        for line in lines:
            own = (
                [next(rest) for _ in line.body] if isinstance(line, cst.SimpleStatementLine) else [next(rest)]
            )
            if len(own) > 1 and any(statement in self._holding for statement in own):
                yield from zip(own, _split(line), strict=True)  # type: ignore[arg-type]
            else:
                yield own[0], line

    def note(self, statements: Block, lines: Sequence[cst.BaseStatement]) -> None:
        """Know what moves away, wherever it stands in these statements, before its new place is built."""
        for statement, line in self._paired(statements, lines):
            if statement in self._moves and statement not in self._moved:
                self._moved[statement] = line
            elif statement in self._holding:
                for block, suite in _suites(statement, line):
                    inner = suite.body
                    if isinstance(suite, cst.SimpleStatementSuite):
                        inner = [cst.SimpleStatementLine(suite.body)]
                    self.note(block, inner)  # type: ignore[arg-type]

    def _come(self, statement: ast.stmt, *, above: bool) -> list[cst.BaseStatement]:
        """What comes to stand beside a statement."""
        return [
            _parsed(each.text) if isinstance(each, Insert) else self._moved[each.statement]
            for each in self._beside.get((statement, above), ())
        ]

    def _statement(self, statement: ast.stmt, line: cst.BaseStatement) -> list[cst.BaseStatement]:
        if statement not in self._holding:
            return [line]
        if isinstance(line, cst.If):
            built: cst.BaseStatement | None = self._if(statement, line)
        elif _suites(statement, line):
            built = self._compound(statement, line)
        else:
            return [line]
        unwrap = self._unwraps.get(statement)  # type: ignore[call-overload]
        if built is None or unwrap is None:
            return [] if built is None else [built]
        assert isinstance(built, cst.With) and isinstance(statement, ast.With | ast.AsyncWith)
        if unwrap.item is not None:
            place = statement.items.index(unwrap.item)
            items = [item for number, item in enumerate(built.items) if number != place]
            items[-1] = items[-1].with_changes(comma=cst.MaybeSentinel.DEFAULT)
            return [built.with_changes(items=items)]
        if isinstance(built.body, cst.IndentedBlock):
            self._left[statement] = [each for each in built.body.footer if each.comment is not None]
        return _unwrapped(built)

    def _if(self, statement: ast.stmt, line: cst.If) -> cst.If | None:
        assert isinstance(statement, ast.If)
        body, orelse = self._suite(statement.body, line.body), line.orelse
        if isinstance(orelse, cst.If):
            orelse = self._if(statement.orelse[0], orelse)
        elif orelse is not None:
            suite = self._suite(statement.orelse, orelse.body)
            orelse = None if suite is None else orelse.with_changes(body=suite)
        if body is None and orelse is None:
            return None
        return line.with_changes(body=body or self._nothing(), orelse=orelse)

    def _compound(self, statement: ast.stmt, line: cst.BaseStatement) -> cst.BaseStatement | None:
        match line:
            case cst.With():
                assert isinstance(statement, ast.With | ast.AsyncWith)
                suite = self._suite(statement.body, line.body)
                return None if suite is None else line.with_changes(body=suite)
            case cst.For() | cst.While():
                assert isinstance(statement, ast.For | ast.AsyncFor | ast.While)
                return self._with_else(
                    statement, line.with_changes(body=self._kept(statement.body, line.body))
                )
            case cst.Try() | cst.TryStar():
                tried: ast.Try = statement  # type: ignore[assignment]
                caught: Sequence[cst.ExceptHandler | cst.ExceptStarHandler] = line.handlers
                handlers = [
                    each.with_changes(body=self._kept(node.body, each.body))
                    for node, each in zip(tried.handlers, caught, strict=True)
                ]
                line = line.with_changes(body=self._kept(tried.body, line.body), handlers=handlers)
                if line.finalbody is not None:
                    final = self._kept(tried.finalbody, line.finalbody.body)
                    line = line.with_changes(finalbody=line.finalbody.with_changes(body=final))
                return self._with_else(tried, line)
            case cst.Match():
                assert isinstance(statement, ast.Match)
                cases = [
                    each.with_changes(body=self._kept(node.body, each.body))
                    for node, each in zip(statement.cases, line.cases, strict=True)
                ]
                return line.with_changes(cases=cases)
            case cst.FunctionDef() | cst.ClassDef():
                assert isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
                line = line.with_changes(body=self._kept(statement.body, line.body))
                gone = [
                    statement.decorator_list.index(each.decorator)
                    for each in self._undecorated
                    if each.function is statement
                ]
                left = [each for number, each in enumerate(line.decorators) if number not in gone]
                if statement in self._decorated:
                    left.insert(0, cst.Decorator(cst.parse_expression(self._decorated[statement])))
                return line.with_changes(decorators=left)
        raise Refused(f"the statement on line {statement.lineno} is not known to what lays out the text")

    def _with_else(
        self, statement: ast.stmt, line: cst.For | cst.While | cst.Try | cst.TryStar
    ) -> cst.BaseStatement:
        if line.orelse is None:
            return line
        suite = self._suite(statement.orelse, line.orelse.body)  # type: ignore[attr-defined]
        orelse = None if suite is None else line.orelse.with_changes(body=suite)
        return line.with_changes(orelse=orelse)

    def _with(self, header: str, lines: list[cst.BaseStatement]) -> cst.With:
        """A `with` around statements; what stands above the comments of the first one stays above it."""
        blank, own = _parted(lines[0])
        lines[0] = lines[0].with_changes(leading_lines=own)
        lines = [line.visit(_Deeper(self._indent)) for line in lines]  # type: ignore[misc]
        item = cst.WithItem(cst.parse_expression(header))
        return cst.With([item], cst.IndentedBlock(lines, indent=self._indent), leading_lines=blank)

    def _nothing(self) -> cst.IndentedBlock:
        return cst.IndentedBlock([cst.SimpleStatementLine([cst.Pass()])], indent=self._indent)

    def _kept(self, statements: Block, suite: cst.BaseSuite) -> cst.BaseSuite:
        return self._suite(statements, suite) or self._nothing()


def _suites(statement: ast.stmt, line: cst.BaseStatement) -> list[tuple[Block, cst.BaseSuite]]:
    """The blocks of a compound statement, each with its suite."""
    found: list[tuple[Block, cst.BaseSuite]] = []
    if isinstance(line, cst.Match) and isinstance(statement, ast.Match):
        return [(node.body, each.body) for node, each in zip(statement.cases, line.cases, strict=True)]
    if isinstance(line, cst.SimpleStatementLine):
        return []
    found.append((statement.body, line.body))  # type: ignore[attr-defined]
    for node, each in zip(getattr(statement, "handlers", ()), getattr(line, "handlers", ()), strict=True):
        found.append((node.body, each.body))
    match getattr(line, "orelse", None):
        case cst.If() as inner:
            found += _suites(statement.orelse[0], inner)  # type: ignore[attr-defined]
        case cst.Else(body=body):
            found.append((statement.orelse, body))  # type: ignore[attr-defined]
    final = getattr(line, "finalbody", None)
    if final is not None:
        found.append((statement.finalbody, final.body))  # type: ignore[attr-defined]
    return found


class _Deeper(cst.CSTTransformer):
    """Indents what goes on behind a backslash by one level, as LibCST does with all other lines."""

    def __init__(self, indent: str) -> None:
        super().__init__()
        self._indent = indent

    def leave_SimpleWhitespace(
        self, original_node: cst.SimpleWhitespace, updated_node: cst.SimpleWhitespace
    ) -> cst.SimpleWhitespace:
        first, *others = updated_node.value.splitlines(keepends=True) or [""]
        return updated_node.with_changes(value=first + "".join(f"{self._indent}{each}" for each in others))


# Lines ------------------------------------------------------------------------------------------


def _parsed(text: str) -> cst.BaseStatement:
    statement = cst.parse_statement(text)
    assert isinstance(statement, cst.SimpleStatementLine)
    return statement


def _unwrapped(line: cst.With) -> list[cst.BaseStatement]:
    body = line.body
    above = [*line.leading_lines]
    lines: list[cst.BaseStatement]
    if isinstance(body, cst.IndentedBlock):
        lines = [*body.body]
        if body.header.comment is not None:
            above.append(cst.EmptyLine(comment=body.header.comment))
    else:
        assert isinstance(body, cst.SimpleStatementSuite)
        lines = [cst.SimpleStatementLine(body.body, trailing_whitespace=body.trailing_whitespace)]
    lines[0] = lines[0].with_changes(leading_lines=[*above, *_leading(lines[0])])
    return lines


def _split(line: cst.SimpleStatementLine) -> list[cst.SimpleStatementLine]:
    """The statements of a line, each on a line of its own."""
    lines = [
        cst.SimpleStatementLine([small.with_changes(semicolon=cst.MaybeSentinel.DEFAULT)])
        for small in line.body
    ]
    lines[0] = lines[0].with_changes(leading_lines=line.leading_lines)
    lines[-1] = lines[-1].with_changes(trailing_whitespace=line.trailing_whitespace)
    return lines


def _leading(line: cst.BaseStatement) -> Sequence[cst.EmptyLine]:
    return line.leading_lines  # type: ignore[attr-defined, no-any-return]


def _parted(line: cst.BaseStatement) -> tuple[list[cst.EmptyLine], list[cst.EmptyLine]]:
    """What stands above a statement, and the comments directly above it.

    A comment that is indented more belongs to the block that ends there.
    """
    leading = [*_leading(line)]
    own = len(leading)
    while own and leading[own - 1].comment is not None and not leading[own - 1].whitespace.value:
        own -= 1
    return leading[:own], leading[own:]


def _one_gap(left: Sequence[cst.EmptyLine], leading: Sequence[cst.EmptyLine]) -> list[cst.EmptyLine]:
    """What stood above a statement that goes, and what stands above the next: of two gaps the larger.

    Comments stay: they may speak of more than of what goes.
    """
    above, below = _blank(reversed(left)), _blank(leading)
    if above > below:
        return [*left, *leading[below:]]
    return [*without_gap(left), *leading]


def without_gap(lines: Sequence[cst.EmptyLine]) -> list[cst.EmptyLine]:
    """Lines down to the last comment."""
    return [*lines[: len(lines) - _blank(reversed(lines))]]


def _blank(lines: Iterable[cst.EmptyLine]) -> int:
    """How many lines hold nothing before the first that holds a comment."""
    return sum(1 for _ in takewhile(lambda line: line.comment is None, lines))
