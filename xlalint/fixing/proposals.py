"""What each fix of a diagnostic would change by itself, for whoever shows it or offers it.

A proposal does what its fix says and is valid Python. Whether something else is found afterwards is only
known where it is carried out: `fixer` verifies that before a file is written.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from xlalint.checker import Report
from xlalint.cure import Cure
from xlalint.diagnostic import Applicability, Diagnostic, Edit, Fix, Position, Range
from xlalint.fixing.places import file_of
from xlalint.fixing.rewriting import Wanted, rewrite
from xlalint.fixing.surroundings import Surroundings
from xlalint.lazy.site import Path as Calls
from xlalint.sources.difference import different
from xlalint.sources.file import SourceFile
from xlalint.sources.notebook import NotebookError

_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n|\Z)")


def with_edits(report: Report) -> list[Diagnostic]:
    """The diagnostics of a report, with the edits of those of their fixes that the text allows."""
    curable = {id(diagnostic): placed for diagnostic, placed in report.curable}
    sources = {str(source.path): source for source in report.sources.values()}
    around = Surroundings(report)
    found = []
    for diagnostic in report.diagnostics:
        placed = curable.get(id(diagnostic))
        if placed is not None:
            fixes = tuple(
                _with_edits(fix, cure, placed.path, diagnostic, sources, around)
                for fix, cure in zip(diagnostic.fixes, placed.finding.cures, strict=True)
            )
            diagnostic = replace(diagnostic, fixes=fixes)
        found.append(diagnostic)
    return found


def _with_edits(
    fix: Fix, cure: Cure, calls: Calls, diagnostic: Diagnostic, sources: dict[str, SourceFile],
    around: Surroundings,
) -> Fix:  # fmt: skip
    file = sources.get(file_of(cure))
    if fix.applicability is Applicability.SHOWN or file is None:
        return fix
    exports, callees = around.of(str(file.path))
    made = rewrite(file, [Wanted([cure], calls)], [0], exports, callees)
    if (text := made.text) is None:
        return fix
    path = None if file.shown == diagnostic.path else file.shown
    before = file.text
    if file.notebook is not None:  # what is edited is the file
        try:
            before, text = file.notebook.text, file.notebook.changed(text).decode("utf-8-sig")
        except NotebookError:
            return fix
    found = [*edits(before, text, path)]
    for other, its_text in made.others.items():
        its_file = callees.module(other).file
        shown = None if its_file.shown == diagnostic.path else its_file.shown
        found += edits(its_file.text, its_text, shown)
    return replace(fix, edits=tuple(found))


def edits(old_text: str, new_text: str, path: str | None = None) -> Iterator[Edit]:
    """What differs between two texts: within a line if it is one, else whole lines."""
    before, after = _lines(old_text), _lines(new_text)
    for a, b, c, d in different(before, after):
        old, new = "".join(before[a:b]), "".join(after[c:d])
        if b - a == d - c == 1:
            start = _common(old, new)
            end = _common(old[start:][::-1], new[start:][::-1])
            place = Range(Position(b, start + 1), Position(b, len(old) - end + 1))
            yield Edit(place, new[start : len(new) - end], path)
        else:
            yield Edit(Range(_start(before, a), _start(before, b)), new, path)


def _lines(text: str) -> list[str]:
    """The lines as Python counts them, with their ends."""
    return [line for line in _LINE.findall(text) if line]


def _start(lines: Sequence[str], index: int) -> Position:
    """Where a line starts; the end of the text where there is none more and the last one has no end."""
    if index == len(lines) and lines and not lines[-1].endswith(("\r", "\n")):
        return Position(index, len(lines[-1]) + 1)
    return Position(index + 1, 1)


def _common(one: str, other: str) -> int:
    """How many characters both begin with."""
    shorter = min(len(one), len(other))
    return next((index for index in range(shorter) if one[index] != other[index]), shorter)
