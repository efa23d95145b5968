"""What a cure does to one file, before any text is made of it."""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple, TypeVar

from xlalint.cure import Cure
from xlalint.fixing.edits import Edit
from xlalint.fixing.module import Module
from xlalint.fixing.operations import Operation


class Refused(Exception):
    """A cure cannot be carried out here. Its text says why, as a sentence without its full stop."""


class Confined(Refused):
    """What would move stands in a statement that has to stay."""


class Need(NamedTuple):
    """A qualified name, and a node of the file before the rewrite where it will be written."""

    name: str
    at: ast.AST


@dataclass(frozen=True, slots=True)
class Rewrite:
    """What is to be done to one file.

    Args:
        edits: Changes inside statements, at places of the text, such as names.
        operations: What happens to statements.
        needs: Qualified names that it writes: they must be imported.
        leaves: Qualified names that it no longer writes: their imports go where nothing else uses them.
        elsewhere: What is to be done to other files with it, by their paths.
    """

    edits: tuple[Edit, ...] = ()
    operations: tuple[Operation, ...] = ()
    needs: tuple[Need, ...] = ()
    leaves: tuple[str, ...] = ()
    elsewhere: tuple[tuple[str, Rewrite], ...] = ()

    def with_(self, other: Rewrite) -> Rewrite:
        """Both rewrites at once."""
        return Rewrite(
            tuple(dict.fromkeys((*self.edits, *other.edits))),
            (*self.operations, *other.operations),
            tuple(dict.fromkeys((*self.needs, *other.needs))),
            tuple(dict.fromkeys((*self.leaves, *other.leaves))),
            (*self.elsewhere, *other.elsewhere),
        )


C = TypeVar("C", bound=Cure)
Rewriter = Callable[[Module, C], Rewrite]
"""Says what a cure does to a file.

Raises:
    Refused: the text does not allow it.
"""
