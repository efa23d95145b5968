"""The headers of compound statements, which stand for the whole where that would be too much to show."""

from __future__ import annotations

import re
import tokenize
from typing import Final

from xlalint.diagnostic import Position, Range
from xlalint.sources.file import SourceFile

_COMPOUND: Final = re.compile(r"(async\s+)?(class|def|for|if|match|try|while|with)\b")


def without_body(source: SourceFile, place: Range) -> Range:
    """The header of a compound statement that spans several lines; any other place as it is."""
    start = place.start
    if start.line == place.end.line or not _COMPOUND.match(source.line(start.line), start.column - 1):
        return place
    lines = iter([line + "\n" for line in source.lines[start.line - 1 :]])
    end = place.end
    try:
        for token in tokenize.generate_tokens(lambda: next(lines, "")):
            if token.type == tokenize.NEWLINE:
                break
            if token.type != tokenize.COMMENT:
                end = Position(start.line + token.end[0] - 1, token.end[1] + 1)
    except (tokenize.TokenError, SyntaxError):
        return place  # the language is newer than the Python that runs this
    return Range(start, min(end, place.end))
