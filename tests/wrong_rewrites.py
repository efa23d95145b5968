"""Rewrites that went wrong, made of right ones: verification has to refuse them.

Most are wrong texts for what was to be done. Two are wrong plans: a statement that moves past what it
depends on, and a name that is rebound on the way of one that moves.
"""

from __future__ import annotations

import ast
import copy
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from fixing import Step, module_of, text_after
from xlalint.fixing.edits import Edit
from xlalint.fixing.ledger import agrees
from xlalint.fixing.module import Block, Module, statements
from xlalint.fixing.operations import Move, Operation, Wrap
from xlalint.fixing.order import require_order
from xlalint.fixing.places import qualified
from xlalint.fixing.rewrite import Refused

STRIDE = 5
"""Every which statement is done something to: all of them take minutes, and show the same."""


@dataclass(frozen=True)
class Wrong:
    """A rewrite that is wrong.

    Args:
        module: The file before.
        operations: What is to be done.
        text: The file after.
        what: What is wrong, for who reads it.
        edits: What is to change beside that, inside statements.
        needs: What the text must import.
    """

    module: Module
    operations: tuple[Operation, ...]
    text: str
    what: str
    edits: tuple[Edit, ...] = ()
    needs: tuple[str, ...] = ()

    def is_accepted(self) -> bool:
        """Whether compiling, the ledger, the order of what moves and the imports say nothing against it."""
        try:
            compile(self.text, "<wrong>", "exec", dont_inherit=True)
            require_order(self.module, self.operations)
        except (SyntaxError, Refused):
            return False
        if self.needs:
            return imports_bring(self.text, self.needs)
        return agrees(self.module, self.operations, self.text, self.edits)


def imports_bring(text: str, needs: tuple[str, ...]) -> bool:
    """Whether what a rewrite needs is imported where it is written."""
    module = module_of(Path("program.py").absolute(), text)
    named = {
        qualified(module, node)
        for node in ast.walk(module.tree)
        if isinstance(node, ast.Name | ast.Attribute)
    }
    return named.issuperset(needs)


# Operators --------------------------------------------------------------------------------------


def changed_text(step: Step, change: Callable[[Block, int], bool]) -> Iterator[tuple[str, int]]:
    """The new text with one thing done to each of its statements in turn, where it can be."""
    before = {ast.dump(statement) for statement in statements(step.module.tree)}
    tree = ast.parse(step.text)
    outermost = [each for each in tree.body if ast.dump(each) not in before]
    for statement in outermost:
        for number in range(0, len(near(statement, before)), STRIDE):
            # A copy of its own for each: the same walk comes to the same statement.
            copied = copy.deepcopy(statement)
            block, place = near(copied, before)[number]
            line = block[place].lineno
            if change(block, place):
                body = [copied if each is statement else each for each in tree.body]
                yield ast.unparse(ast.fix_missing_locations(ast.Module(body, []))), line


def near(statement: ast.stmt, before: set[str]) -> list[tuple[Block, int]]:
    """The statements of blocks that have changed, each by its block and place."""
    found = []
    for each in (statement, *statements(statement)):
        if ast.dump(each) not in before:
            for name in ("body", "orelse", "finalbody"):
                block = getattr(each, name, None)
                if isinstance(block, list) and block and isinstance(block[0], ast.stmt):
                    found += [(block, place) for place in range(len(block))]
    return found


def _text_operator(what: str, change: Callable[[Block, int], bool]) -> Callable[[Step], Iterator[Wrong]]:
    def operator(step: Step) -> Iterator[Wrong]:
        for text, line in changed_text(step, change):
            yield Wrong(
                step.module, step.rewrite.operations, text, f"{what} on line {line}", step.rewrite.edits
            )

    return operator


def _drop(block: Block, place: int) -> bool:
    del block[place]
    if not block:
        block.append(ast.Pass())
    return True


def _double(block: Block, place: int) -> bool:
    block.insert(place, block[place])
    return True


def _swap(block: Block, place: int) -> bool:
    if place + 1 == len(block) or ast.dump(block[place]) == ast.dump(block[place + 1]):
        return False
    block[place], block[place + 1] = block[place + 1], block[place]
    return True


def _rebind(block: Block, place: int) -> bool:
    names = [each.id for each in ast.walk(block[place]) if isinstance(each, ast.Name)]
    if not names:
        return False
    block.insert(place, ast.parse(f"{names[0]} = None").body[0])
    return True


def _read_left_inside(block: Block, place: int) -> bool:
    """What stands directly below a `with` goes into it."""
    if not place or not isinstance(scope := block[place - 1], ast.With):
        return False
    scope.body.append(block.pop(place))
    return True


def _indent_lost(block: Block, place: int) -> bool:
    """The last statement of a `with` comes to stand below it."""
    scope = block[place]
    if not isinstance(scope, ast.With) or len(scope.body) < 2:
        return False
    block.insert(place + 1, scope.body.pop())
    return True


def _import_forgotten(step: Step) -> Iterator[Wrong]:
    """No line of the file imports what it needs, once each of those that do is gone."""
    needs = tuple(need.name for need in step.rewrite.needs if need.name.startswith("torch_xla."))
    lines = step.whole.splitlines(keepends=True)
    for number, line in enumerate(lines):
        left = "".join((*lines[:number], *lines[number + 1 :]))
        if needs and imports_bring(step.whole, needs) and re.fullmatch(r"import torch_xla\s*", line):
            yield Wrong(step.module, step.rewrite.operations, left, f"{line.strip()} is missing", needs=needs)


def _moved_too_far(step: Step) -> Iterator[Wrong]:
    """A statement moves past another that binds, or uses, what it is about."""
    module = step.module
    for wrap in step.rewrite.operations:
        if not isinstance(wrap, Wrap):
            continue
        block = module.block(wrap.first)
        first, last = block.index(wrap.first), block.index(wrap.last)
        for place in range(first, last):
            for further in range(place + 1, last + 1):
                if bound(block[place]) & used(block[further]):
                    move = Move(block[place], block[further])
                    try:
                        text = text_after(module, [move])
                    except Refused:
                        break
                    what = f"line {block[place].lineno} moves below line {block[further].lineno}"
                    yield Wrong(module, (move,), text, what)
                    break


def bound(statement: ast.stmt) -> set[str]:
    return {
        each.id
        for each in ast.walk(statement)
        if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store)
    }


def used(statement: ast.stmt) -> set[str]:
    return {
        each.id
        for each in ast.walk(statement)
        if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Load)
    }


OPERATORS: dict[str, Callable[[Step], Iterator[Wrong]]] = {
    "a statement dropped": _text_operator("a statement is dropped", _drop),
    "a statement doubled": _text_operator("a statement is doubled", _double),
    "two neighbours swapped": _text_operator("two statements are swapped", _swap),
    "moved past what it depends on": _moved_too_far,
    "an import forgotten": _import_forgotten,
    "a name rebound": _text_operator("a name is rebound", _rebind),
    "a read left inside": _text_operator("a read is left inside", _read_left_inside),
    "an indent lost": _text_operator("an indent is lost", _indent_lost),
}
