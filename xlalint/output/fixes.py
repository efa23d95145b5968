"""What fixing did, for people: the changes as a diff, what was fixed, and what was not and why."""

from __future__ import annotations

import difflib
import io
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence

from xlalint.cure import Cure
from xlalint.diagnostic import Diagnostic
from xlalint.output.counts import count_of
from xlalint.output.paint import STRONG, Line, Span, plain, show_control


def diff(shown: str, before: str, after: str) -> Iterator[str]:
    """The changes of one file as a unified diff, line by line, each with its line end.

    Args:
        shown: How the file is named.
    """
    was, now = (io.StringIO(text, newline="").readlines() for text in (before, after))
    for line in difflib.unified_diff(was, now, shown, shown):
        yield line if line.endswith(("\n", "\r")) else f"{line}\n\\ No newline at end of file\n"


def summary(fixed: int, files: int, left: int, *, written: bool) -> Iterator[Line]:
    """How much was fixed, and in how many files.

    Args:
        left: How many more have a fix that their code does not allow, and nobody was told why.
    """
    if fixed:
        done = "Fixed" if written else "Would fix"
        yield plain(f"{done} {count_of(fixed, 'diagnostic')} in {count_of(files, 'file')}.")
    elif not left:
        yield plain("Nothing to fix." if written else "Would fix nothing.")
    if left:
        yield plain(
            f"The code of {count_of(left, 'diagnostic')} does not allow the fix; `--show-fixes` says why."
        )


def left_by_hand(found: Sequence[Diagnostic]) -> Iterator[Line]:
    """What nobody but the author can do, with what helps."""
    if found:
        yield [Span("Left to do by hand", STRONG), Span(":")]
    for one in found:
        start = one.range.start
        yield plain(
            f"  {one.path}:{start.line}:{start.column}: {one.code} {one.name}: {show_control(one.help)}"
        )


def listed(
    fixed: Sequence[tuple[Diagnostic, Cure]], left: Sequence[tuple[Diagnostic, Cure, str]]
) -> Iterator[Line]:
    """What was fixed in each file, and what was not.

    Args:
        fixed: Diagnostics with what was done.
        left: Diagnostics with what would have been done, and why it was not.
    """
    counts = Counter((found.path, found.code, found.name, cure.title) for found, cure in fixed)
    changes: dict[tuple[str, ...], set[str]] = defaultdict(set)
    for found, cure in fixed:
        changes[found.path, found.code, found.name, cure.title].add(cure.changes)
    path = ""
    for (where, code, name, title), count in sorted(counts.items()):
        if where != path:
            yield [Span(where, STRONG), Span(":")]
            path = where
        times = f" ({count} times)" if count > 1 else ""
        yield plain(f"  {code} {name}: {title}{times}")
        yield from (plain(f"    {what}") for what in sorted(changes[where, code, name, title]) if what)
    if left:
        yield [Span("Not fixed", STRONG), Span(":")]
    for found, cure, reason in left:
        start = found.range.start
        yield plain(f"  {found.path}:{start.line}:{start.column}: {found.code}: {cure.title}: {reason}")
