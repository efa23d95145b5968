"""Comments that silence nothing go."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from xlalint.cure import Cure, DropSuppression
from xlalint.fixing.edits import Edit
from xlalint.fixing.module import Module
from xlalint.fixing.rewrite import Refused, Rewrite, Rewriter

_LISTED = re.compile(r"[A-Za-z][\w-]*")
_START = re.compile(r"#\s*(?:xlalint:\s*ignore(?:-file)?\b|noqa\b\s*:?)", re.IGNORECASE)


def drop_suppression(module: Module, cure: DropSuppression) -> Rewrite:
    """A comment no longer names rules; one that names none any more goes, with its reason."""
    start = module.offset(cure.site.line, cure.site.column)
    end = module.offset(cure.site.end_line, cure.site.end_column)
    comment = module.text[start:end]
    opening = _START.match(comment)
    if opening is None:
        raise Refused("there is no such comment here")
    listed = list(_LISTED.finditer(comment, opening.end()))
    gone = [match for match in listed if match[0] in cure.codes]
    if len(gone) < len(listed):
        return Rewrite(tuple(_without(listed, gone, start)))
    return Rewrite((_whole(module, start, end),))


def _without(listed: list[re.Match[str]], gone: list[re.Match[str]], offset: int) -> list[Edit]:
    """Codes go from a list, each with what stands between it and the one before, or else behind."""
    edits = []
    left = [match for match in listed if match not in gone]
    for match in gone:
        before = [each for each in listed if each.end() <= match.start()]
        if before and before[-1].end() >= left[0].start():
            edits.append(Edit(offset + before[-1].end(), offset + match.end(), ""))
        else:
            following = next(each for each in listed if each.start() >= match.end())
            edits.append(Edit(offset + match.start(), offset + following.start(), ""))
    return edits


def _whole(module: Module, start: int, end: int) -> Edit:
    """A comment goes, with its reason; and its line, if nothing else stands there."""
    line_end = module.line_end(end)
    other = module.text.find("#", end, line_end)
    if other >= 0:
        return Edit(start, other, "")
    lines = module.lines_of(start, line_end)
    if lines is not None:
        return Edit(*lines, "")
    before = module.text[module.line_start(start) : start]
    return Edit(start - len(before) + len(before.rstrip()), line_end, "")


REWRITERS: Mapping[type[Cure], Rewriter[Any]] = {DropSuppression: drop_suppression}
