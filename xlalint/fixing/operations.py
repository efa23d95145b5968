"""What a fix does to the statements of a file, apart from how the text is laid out.

A rewriter says what is to be done in operations. `layout` carries them out on the text, `ledger` on the
syntax tree, each by itself: only if both come to the same program is the text written.

All operations of a rewrite are about the tree as it was before the first of them: statements are known by
their nodes there.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, fields


@dataclass(frozen=True, slots=True, eq=False)
class Wrap:
    """The statements from `first` to `last`, of one block, go into the block of a new `with`.

    Args:
        header: The expression after `with`: `torch_xla.step()`.
    """

    first: ast.stmt
    last: ast.stmt
    header: str


@dataclass(frozen=True, slots=True, eq=False)
class Unwrap:
    """The `with` goes and its block stays; or one of its items goes.

    Args:
        item: The item that goes; None: the whole statement.
    """

    statement: ast.With | ast.AsyncWith
    item: ast.withitem | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Undecorate:
    """A function loses one of its decorators."""

    function: ast.FunctionDef | ast.AsyncFunctionDef
    decorator: ast.expr


@dataclass(frozen=True, slots=True, eq=False)
class Decorate:
    """A function gets one more decorator, above those that it has: its text, without the `@`."""

    function: ast.FunctionDef | ast.AsyncFunctionDef
    text: str


@dataclass(frozen=True, slots=True, eq=False)
class Delete:
    """The statement goes, with the comments on its own lines.

    An `if`, `else` or `with` that held nothing else goes, too; any other block is left with a `pass`.
    """

    statement: ast.stmt


@dataclass(frozen=True, slots=True, eq=False)
class Move:
    """The statement, with the comments directly above it, moves below or above another one.

    Several that move below the same statement keep their order. Below a statement of a block that a
    `Wrap` of the same rewrite ends with means below the new `with`.

    Args:
        to: The statement that it comes to stand beside, of whatever block.
        above: Whether above that, and not below.
    """

    statement: ast.stmt
    to: ast.stmt
    above: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Insert:
    """A new statement, of one line, comes above or below another, in its block.

    Where the other one moves away, it stands in its place.
    """

    text: str
    beside: ast.stmt
    above: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Replace:
    """The text of an expression gives way to another, wherever its statement goes."""

    expression: ast.expr
    text: str


def nodes(operation: Operation) -> Iterator[ast.AST]:
    """The statements and expressions that an operation is about."""
    for each in fields(operation):
        held = getattr(operation, each.name)
        if isinstance(held, ast.AST):
            yield held


Operation = Wrap | Unwrap | Decorate | Undecorate | Delete | Move | Insert | Replace


def touched(operation: Operation) -> tuple[ast.stmt, ...]:
    """The statements that an operation is about; none where it changes an expression only."""
    match operation:
        case Wrap(first=first, last=last):
            return first, last
        case Move(statement=statement, to=to):
            return statement, to
        case Unwrap(statement=statement) | Delete(statement=statement):
            return (statement,)
        case Decorate(function=function) | Undecorate(function=function):
            return (function,)
        case Insert(beside=beside):
            return (beside,)
    return ()
