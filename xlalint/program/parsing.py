"""Source files to syntax trees, in the syntax of this Python or a newer one."""

from __future__ import annotations

import ast

from xlalint.sources.file import SourceFile, Unreadable
from xlalint.sources.syntax import parse


def parse_file(file: SourceFile) -> ast.Module | Unreadable:
    """The syntax tree of a file, or why there is none; see `syntax.parse`."""
    return parse(file, _parse_newer)


def _parse_newer(text: str) -> ast.Module:
    # LibCST is slow to import, and needed for this alone.
    from xlalint.program import cst_frontend

    return cst_frontend.parse(text)
