"""What each fix of a diagnostic would change by itself, for whoever shows it or offers it.

A proposal does what its fix says and is valid Python. Whether something else is found afterwards is only
known where it is carried out: `fixer` verifies that before a file is written.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace

from xlalint.checker import Report
from xlalint.cure import Cure, SyncBefore, Where
from xlalint.diagnostic import Applicability, Diagnostic, Edit, Fix, Position, Range
from xlalint.fixing.callees import Callees
from xlalint.fixing.exports import Exports
from xlalint.fixing.places import file_of
from xlalint.fixing.rewriting import Wanted, allowed, rewrite
from xlalint.lazy.site import Path as Calls
from xlalint.sources.difference import different
from xlalint.sources.file import SourceFile
from xlalint.sources.notebook import NotebookError

_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n|\Z)")


def with_edits(report: Report) -> list[Diagnostic]:
    """The diagnostics of a report, with the edits of those of their fixes that the text allows."""
    curable = {id(diagnostic): placed for diagnostic, placed in report.curable}
    sources = {str(source.path): source for source in report.sources.values()}
    exports, callees = Exports(report.project), Callees(report.project, changeable=report.checked)
    found = []
    for diagnostic in report.diagnostics:
        placed = curable.get(id(diagnostic))
        if placed is not None:
            fixes = tuple(
                _with_edits(fix, cure, placed.path, diagnostic, sources, exports, callees)
                for fix, cure in zip(diagnostic.fixes, placed.finding.cures, strict=True)
            )
            diagnostic = replace(diagnostic, fixes=fixes)
        found.append(diagnostic)
    return found


def promised(report: Report) -> list[list[bool]]:
    """Of each diagnostic of a report, which of its fixes the text allows; none of those by hand.

    The answer is the same whatever is named: a fix may be in a file of the project that is not checked.
    """
    exports, callees = Exports(report.project), Callees(report.project, changeable=report.project)
    placed = {id(diagnostic): each for diagnostic, each in report.curable}
    synced: dict[Where, list[Calls]] = defaultdict(list)
    wanted: dict[str, list[tuple[int, int, Cure, Calls]]] = defaultdict(list)
    found = [[False] * len(diagnostic.fixes) for diagnostic in report.diagnostics]
    for number, diagnostic in enumerate(report.diagnostics):
        for place, fix in enumerate(diagnostic.fixes):
            known = placed.get(id(diagnostic))
            if known is None or fix.applicability is Applicability.SHOWN:
                continue
            cure = known.finding.cures[place]
            calls = (*reversed(known.around), *known.path)
            if isinstance(cure, SyncBefore):
                synced[cure.site].append(calls)
            wanted[file_of(cure)].append((number, place, cure, calls))
    for path, asked in wanted.items():
        files = (unit.files[path] for unit in report.units if path in unit.files)
        source = next((file.source() for file in files), None)
        if not isinstance(source, SourceFile):
            continue
        each = [
            Wanted([cure], calls, synced[cure.site] if isinstance(cure, SyncBefore) else ())
            for _, _, cure, calls in asked
        ]
        for index in allowed(source, each, exports, callees):
            number, place, _, _ = asked[index]
            found[number][place] = True
    return found


def _with_edits(
    fix: Fix, cure: Cure, calls: Calls, diagnostic: Diagnostic, sources: dict[str, SourceFile],
    exports: Exports, callees: Callees,
) -> Fix:  # fmt: skip
    file = sources.get(file_of(cure))
    if fix.applicability is Applicability.SHOWN or file is None:
        return fix
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
