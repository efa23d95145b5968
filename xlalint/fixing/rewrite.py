"""What a cure does to one file, before any text is made of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from xlalint.cure import Cure
from xlalint.fixing.edits import Edit
from xlalint.fixing.module import Module
from xlalint.fixing.operations import Operation


class Refused(Exception):
    """A cure cannot be carried out here. Its text says why, as a sentence without its full stop."""


@dataclass(frozen=True, slots=True)
class Rewrite:
    """What is to be done to one file.

    Args:
        edits: Changes inside statements, at places of the text, such as names.
        operations: What happens to statements.
        needs: Qualified names that it writes, each with a statement of the file at which it is written: they
            must be imported.
        leaves: Names that it no longer writes: their imports go where nothing else uses them.
    """

    edits: tuple[Edit, ...] = ()
    operations: tuple[Operation, ...] = ()
    needs: tuple[str, ...] = ()
    leaves: tuple[str, ...] = ()


C = TypeVar("C", bound=Cure)
Rewriter = Callable[[Module, C], Rewrite]
"""Says what a cure does to a file.

Raises:
    Refused: the text does not allow it.
"""
