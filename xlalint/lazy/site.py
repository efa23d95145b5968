"""Places in the user's program, as both observers name them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    import ast

FRAMEWORK: Final = "<framework "
"""What the path of a place in the program of a framework begins with."""


class Site(NamedTuple):
    """A stretch of the user's source that an event happened at.

    Lines are 1-based. Columns are 0-based UTF-8 byte offsets, as CPython's own positions are; the
    guard, which knows only lines, leaves them at 0 and `end_line` at `line`. The analyzer counts lines
    from the start of a function or statement, so that a site stays the same when lines are inserted above.
    """

    path: str
    line: int
    column: int = 0
    end_line: int = 0
    end_column: int = 0
    cell: int | None = None
    """The cell of a notebook, counted from 1; lines count from its first."""
    section: str = ""
    """The part of the file that lines are counted from; empty: the whole file or cell."""

    def in_file(self, first: int) -> Site:
        """The same place, counted in the lines of the whole file in which its section starts at `first`."""
        above = first - 1
        return self._replace(line=self.line + above, end_line=self.end_line + above, section="")

    @property
    def in_framework(self) -> bool:
        """Whether it stands in the program of a framework, which users do not see."""
        return self.path.startswith(FRAMEWORK)

    @property
    def is_entry(self) -> bool:
        """Whether this stands for "something before the present function was entered"."""
        return self.line < 0


def site_of(path: str, node: ast.expr | ast.stmt | ast.alias | ast.keyword) -> Site:
    """Where a node of a parsed file stands, counted in the lines of that file."""
    end_line, end_column = node.end_lineno or node.lineno, node.end_col_offset or node.col_offset
    return Site(path, node.lineno, node.col_offset, end_line, end_column)


ENTRY: Final = Site("", -1)
"""Stands, inside a summary, for places in whoever calls: resolved when the summary is replayed."""

Path = tuple[Site, ...]
"""Call sites from an outer function down to the place of the event, which comes last."""
