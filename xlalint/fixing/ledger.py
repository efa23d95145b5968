"""Operations carried out on the syntax tree, by themselves: what the new text has to mean."""

from __future__ import annotations

import ast
from bisect import bisect_left
from collections.abc import Iterable, Sequence

from xlalint.fixing.edits import Edit, applied
from xlalint.fixing.module import Block, Module, blocks
from xlalint.fixing.operations import (
    Decorate,
    Delete,
    Insert,
    Move,
    Operation,
    Replace,
    Undecorate,
    Unwrap,
    Wrap,
    touched,
)
from xlalint.sources.file import split_lines

_GO_WITH_THEIR_BLOCK = (ast.If, ast.With, ast.AsyncWith)


def agrees(module: Module, operations: Sequence[Operation], text: str, edits: Iterable[Edit] = ()) -> bool:
    """Whether a new text of a file holds what operations make of it: no more, no less, in this order.

    Args:
        module: The file before.
        operations: What happens to its statements.
        text: The file after.
        edits: What changes beside that, inside statements.
    """
    edits = [*edits]
    members = _concerned_members(module, operations, edits)
    start, end = _extent(module, members)
    before, after = module.text[:start], module.text[end:]
    if not text.startswith(before) or not text.endswith(after) or len(text) < len(before) + len(after):
        return False  # more has changed
    text = text[start : len(text) - len(after)]
    within = (Edit(each.start - start, each.end - start, each.text) for each in edits)
    inside = applied(module.text[start:end], within)
    try:
        found = ast.parse(text)
        wanted = _Tree(module, members, ast.parse(inside), operations).after(operations)
    except (SyntaxError, ValueError, LookupError):
        return False
    lines, others = split_lines(inside), split_lines(text)
    return len(wanted.body) == len(found.body) and all(
        _text(one, lines) == _text(other, others) is not None or _equal(one, other)
        for one, other in zip(wanted.body, found.body, strict=True)
    )


def _concerned_members(module: Module, operations: Sequence[Operation], edits: Sequence[Edit]) -> Block:
    """The outermost statements from the first to the last that something happens to: the others stay, text
    and all, and need not be parsed again."""
    body = module.tree.body
    concerned = {module.outermost(node) for each in operations for node in _concerned(each)}
    places = [place for place, each in enumerate(body) if each in concerned]
    ends = [module.offset(each.end_lineno or 0, each.end_col_offset or 0) for each in body]
    for edit in edits:
        places.append(min(bisect_left(ends, edit.start), len(body) - 1))
        places.append(min(bisect_left(ends, edit.end), len(body) - 1))
    first, last = min(places), max(places)
    while first and body[first - 1].end_lineno == body[first].lineno:
        first -= 1
    while last + 1 < len(body) and body[last + 1].lineno == body[last].end_lineno:
        last += 1
    return body[first : last + 1]


def _extent(module: Module, members: Block) -> tuple[int, int]:
    """The whole lines of outermost statements, with all between their neighbours and them."""
    body = module.tree.body
    first, last = body.index(members[0]), body.index(members[-1])
    above, below = body[first - 1] if first else None, body[last + 1] if last + 1 < len(body) else None
    start = module.next_line(module.span(above)[1]) if above is not None else 0
    return start, len(module.text) if below is None else module.line_start(module.span(below)[0])


def _equal(one: object, other: object) -> bool:
    """Whether two trees, or parts of such, say the same: as `ast.dump` would, in a third of its time."""
    if one.__class__ is not other.__class__:
        return False
    if isinstance(one, ast.AST):
        return all(_equal(getattr(one, name, None), getattr(other, name, None)) for name in one._fields)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(_equal, one, other))
    return one == other


def _text(statement: ast.stmt, lines: list[str]) -> list[str] | None:
    """The lines of an outermost statement that nothing happened to: equal text has equal meaning."""
    if getattr(statement, "changed", False):
        return None
    return [str(statement.col_offset), *lines[statement.lineno - 1 : statement.end_lineno]]


class _Tree:
    """A syntax tree in which statements come and go."""

    def __init__(
        self, module: Module, members: Block, tree: ast.Module, operations: Sequence[Operation]
    ) -> None:
        """What stands for some outermost statements of a file, which are all that something happens to."""
        self._tree = tree
        self._has_neighbours = len(members) < len(module.tree.body)
        self._module = module
        self._copies: dict[ast.AST, ast.AST] = {}
        self._homes: dict[ast.stmt, Block] = {}
        self._owners: dict[int, tuple[ast.AST, str]] = {}
        self._settle(tree)
        self._copies[module.tree] = tree
        concerned = {module.outermost(node) for each in operations for node in _concerned(each)}
        # The outermost statements that nothing happens to are compared by their text.
        for statement, copy in zip(members, tree.body, strict=True):
            self._copies[statement] = copy
            if statement in concerned:
                copy.changed = True  # type: ignore[attr-defined]
                self._pair(statement, copy)
        for operation in operations:
            if isinstance(operation, Replace):
                self._pair_expressions(operation.expression)
        self._beside: dict[tuple[ast.stmt, bool], ast.stmt] = {}

    def _settle(self, node: ast.AST) -> None:
        """Know the blocks of a node, and what stands in them."""
        for name, block in ast.iter_fields(node):
            if isinstance(block, list) and block and isinstance(block[0], ast.stmt):
                self._owners[id(block)] = node, name
                self._homes.update((statement, block) for statement in block)

    def _pair(self, node: ast.AST, copy: ast.AST) -> None:
        """Know what stands for each statement in a node, in trees of the same shape."""
        self._copies[node] = copy
        self._settle(copy)
        for block, other in zip(blocks(node), blocks(copy), strict=True):
            for one, its_copy in zip(block, other, strict=True):
                self._pair(one, its_copy)

    def _pair_expressions(self, expression: ast.expr) -> None:
        """Know what stands for an expression, and for what it stands in."""
        around = [*self._module.around(expression)]
        inner = next(place for place, node in enumerate(around) if node in self._copies)
        copy = self._copies[around[inner]]
        for node, within in zip((expression, *around[:inner])[::-1], around[: inner + 1][::-1], strict=True):
            children, copies = [*ast.iter_child_nodes(within)], [*ast.iter_child_nodes(copy)]
            copy = copies[children.index(node)]
            self._copies[node] = copy

    def after(self, operations: Sequence[Operation]) -> ast.Module:
        """The tree after all operations."""
        moved = {each.statement for each in operations if isinstance(each, Move)}
        in_place = [each for each in operations if isinstance(each, Insert) and each.beside in moved]
        for each in operations:
            if isinstance(each, Replace):
                self._replace(each)
        for insert in in_place:
            self._put(_statement(insert.text), insert.beside, above=insert.above)
        self._beside.clear()
        for each in operations:
            if isinstance(each, Wrap):
                self._wrap(each, self._copy(each.first) if each.first not in moved else None)
        for each in operations:
            match each:
                case Insert(text=text, beside=beside, above=above) if each not in in_place:
                    self._put(_statement(text), beside, above=above)
                case Move(statement=statement, to=to, above=above):
                    copy = self._copy(statement)
                    self._take(copy)
                    self._put(copy, to, above=above)
                case Delete(statement=statement):
                    self._take(self._copy(statement))
                case Decorate(function=function, text=text):
                    added = ast.parse(text, mode="eval").body
                    self._copy(function).decorator_list.insert(0, added)  # type: ignore[attr-defined]
                case Undecorate(function=function, decorator=decorator):
                    place = function.decorator_list.index(decorator)
                    del self._copy(function).decorator_list[place]  # type: ignore[attr-defined]
        for each in operations:
            if isinstance(each, Unwrap):
                self._unwrap(each)
        self._prune(operations)
        return self._tree

    def _copy(self, statement: ast.stmt) -> ast.stmt:
        copy = self._copies[statement]
        assert isinstance(copy, ast.stmt)
        return copy

    def _replace(self, operation: Replace) -> None:
        copy = self._copies[operation.expression]
        new = ast.parse(f"({operation.text})", mode="eval").body
        parent = self._copies[self._module.parents[operation.expression]]
        for name, held in ast.iter_fields(parent):
            if held is copy:
                setattr(parent, name, new)
            elif isinstance(held, list):
                held[:] = [new if each is copy else each for each in held]

    def _wrap(self, operation: Wrap, above: ast.stmt | None) -> None:
        first, last = self._copy(operation.first), self._copy(operation.last)
        block = self._homes[first]
        # What was put in the place of a first statement that moves away belongs into the block.
        start, end = block.index(first), block.index(last)
        while start and above is None and getattr(block[start - 1], "new", False):
            start -= 1
        body = block[start : end + 1]
        made = ast.With([ast.withitem(ast.parse(operation.header, mode="eval").body)], body)
        made.changed = True  # type: ignore[attr-defined]
        block[start : end + 1] = [made]
        self._homes[made] = block
        self._owners[id(body)] = made, "body"
        self._homes.update((statement, body) for statement in body)
        self._beside[last, False] = made
        if above is not None:
            self._beside[above, True] = made

    def _put(self, statement: ast.stmt, beside: ast.stmt, *, above: bool) -> None:
        copy = self._copy(beside)
        neighbour = self._beside.get((copy, above), copy)
        block = self._homes[neighbour]
        block.insert(block.index(neighbour) + (not above), statement)
        self._homes[statement] = block
        if not above:
            self._beside[copy, False] = statement  # the next one comes below this

    def _take(self, statement: ast.stmt) -> None:
        self._homes[statement].remove(statement)

    def _unwrap(self, operation: Unwrap) -> None:
        copy = self._copy(operation.statement)
        assert isinstance(copy, ast.With | ast.AsyncWith)
        if operation.item is not None:
            del copy.items[operation.statement.items.index(operation.item)]
            return
        block = self._homes[copy]
        place = block.index(copy)
        block[place : place + 1] = copy.body
        self._homes.update((statement, block) for statement in copy.body)

    def _prune(self, operations: Sequence[Operation]) -> None:
        """Take away what holds nothing any more, from the inside out."""
        left = [self._copy(each.statement) for each in operations if isinstance(each, Delete | Move)]
        was_in = dict(self._origins(operations))
        for statement in left:
            block = was_in[statement]
            while not block:
                owner, name = self._owners[id(block)]
                if name == "orelse" or (owner is self._tree and self._has_neighbours):
                    break
                goes = isinstance(owner, _GO_WITH_THEIR_BLOCK) and not getattr(owner, "orelse", None)
                if not goes or not isinstance(owner, ast.stmt):
                    block.append(ast.Pass())
                    break
                block = self._homes[owner]
                block.remove(owner)

    def _origins(self, operations: Sequence[Operation]) -> Iterable[tuple[ast.stmt, Block]]:
        """The blocks, as they are now, in which what goes stood."""
        for each in operations:
            if isinstance(each, Delete | Move):
                before = self._module.block(each.statement)
                owner = self._module.parents[each.statement]
                name = next(name for name, held in ast.iter_fields(owner) if held is before)
                yield self._copy(each.statement), getattr(self._copies[owner], name)


def _concerned(operation: Operation) -> tuple[ast.AST, ...]:
    return (operation.expression,) if isinstance(operation, Replace) else touched(operation)


def _statement(text: str) -> ast.stmt:
    (made,) = ast.parse(text).body
    made.new = made.changed = True  # type: ignore[attr-defined]
    return made
