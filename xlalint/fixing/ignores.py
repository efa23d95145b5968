"""Comments that suppress diagnostics, written where these stand."""

from __future__ import annotations

import re
import tokenize
from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from xlalint.checker import Report
from xlalint.diagnostic import Diagnostic, Edit, Position, Range
from xlalint.sources.file import SourceFile, read_bytes, split_lines
from xlalint.sources.file import changed as rewritten
from xlalint.sources.notebook import Notebook, NotebookError

_OURS = re.compile(r"#\s*xlalint:\s*ignore\s*\[(?P<codes>[^\]#]*)\]")
_WHOLE_FILE = re.compile(r"#\s*xlalint:\s*ignore-file\s*\[(?P<codes>[^\]#]+)\]")
_NEVER = frozenset({"XLA000", "XLA090", "XLA091"})
"""A file that cannot be read has no room for a comment. One that suppresses nothing should go, one without a
reason should get it."""


class Ignored(NamedTuple):
    """A file that gets comments.

    Args:
        path: Absolute.
        before, after: Its bytes.
        diagnostics: What is suppressed.
    """

    path: str
    before: bytes
    after: bytes
    diagnostics: Sequence[Diagnostic]


def with_ignores(report: Report, reason: str) -> tuple[list[Ignored], list[Diagnostic]]:
    """Suppress all diagnostics of a report.

    Args:
        reason: What to write behind each comment; one line, without `#`.

    Returns:
        The files that change, and the diagnostics that are left.
    """
    by_path: dict[str, list[Diagnostic]] = defaultdict(list)
    for diagnostic in report.diagnostics:
        by_path[diagnostic.path].append(diagnostic)
    changed, left = [], []
    for shown, found in by_path.items():
        file = report.sources.get(shown)
        ours = [diagnostic for diagnostic in found if diagnostic.code not in _NEVER]
        done = None if file is None or not ours else _in_file(file, ours, reason)
        if done is not None:
            changed.append(done)
        left += [diagnostic for diagnostic in found if done is None or diagnostic.code in _NEVER]
    return changed, left


def ignored_at(file: SourceFile, line: int, code: str) -> Edit | None:
    """What suppresses a rule at a line: its statement gets a comment. None where there is no room for one."""
    statements = _statements(file)
    if statements is None or code in _NEVER:
        return None
    ends, comments = statements
    last = ends.get(line, line)
    if file.notebook is not None and file.notebook.is_masked(last):
        return None
    return _whole_line(file, last, _commented(file.line(last), comments.get(last), [code], ""))


def ignored_in_file(file: SourceFile, code: str) -> Edit | None:
    """What suppresses a rule in a whole file. None where there is no room for a comment."""
    if code in _NEVER:
        return None
    first = 1 if file.notebook is None else _first_of_cells(file.notebook)
    for number, line in enumerate(file.lines, 1):
        match = _WHOLE_FILE.match(line)
        if match is not None:
            codes = f"{match['codes'].strip()}, {code}"
            return _whole_line(
                file, number, f"{line[: match.start('codes')]}{codes}{line[match.end('codes') :]}"
            )
        if line.startswith(("#!", "# -*-")) and number <= 2:
            first = number + 1
    if first is None:
        return None
    place = Position(first, 1)
    return Edit(Range(place, place), f"# xlalint: ignore-file[{code}]\n")


def _first_of_cells(notebook: Notebook) -> int | None:
    """The first line of the first cell that nothing must stand above in, as in one that begins with `%%`."""
    return next((cell.first for cell in notebook.cells if not cell.text.lstrip().startswith("%%")), None)


def _whole_line(file: SourceFile, number: int, text: str) -> Edit:
    return Edit(Range(Position(number, 1), Position(number, len(file.line(number)) + 1)), text)


def _in_file(file: SourceFile, found: Sequence[Diagnostic], reason: str) -> Ignored | None:
    data = read_bytes(str(file.path))
    statements = _statements(file)
    if isinstance(data, str) or statements is None:
        return None
    ends, comments = statements
    codes: dict[int, list[str]] = defaultdict(list)
    for diagnostic in found:
        codes[ends.get(diagnostic.range.start.line, diagnostic.range.start.line)].append(diagnostic.code)
    position = 0
    parts = []
    for number, line in enumerate(split_lines(file.text), 1):
        end = position + len(line)
        if number in codes:
            line = _commented(line, comments.get(number), codes[number], reason)
        parts.append(line)
        following = _LINE_END.match(file.text, end)
        parts.append(following[0] if following else "")
        position = following.end() if following else end
    try:
        after, before = rewritten(file, "".join(parts), data), rewritten(file, file.text, data)
    except (UnicodeEncodeError, NotebookError):
        return None
    return Ignored(str(file.path), before, after, found)


_LINE_END = re.compile(r"\r\n|\r|\n")


def _commented(line: str, comment: int | None, codes: Iterable[str], reason: str) -> str:
    """A line with a comment for some rules; one that is there gets the rules that it lacks.

    Args:
        comment: Where a comment of the line begins.
    """
    match = None if comment is None else _OURS.search(line, comment)
    if match is not None:
        known = [code for code in re.split(r"[\s,]+", match["codes"]) if code]
        named = ", ".join(dict.fromkeys([*known, *sorted(set(codes))]))
        return f"{line[: match.start('codes')]}{named}{line[match.end('codes') :]}"
    return f"{line.rstrip()}  # xlalint: ignore[{', '.join(sorted(set(codes)))}] {reason}".rstrip()


def _statements(file: SourceFile) -> tuple[dict[int, int], dict[int, int]] | None:
    """For each line the last one of its statement, where a comment is possible; and where comments begin.

    None for what cannot be split into tokens.
    """
    ends: dict[int, int] = {}
    comments: dict[int, int] = {}
    first: int | None = None
    lines = iter([line + "\n" for line in file.lines])
    try:
        for token in tokenize.generate_tokens(lambda: next(lines, "")):
            if token.type == tokenize.COMMENT:
                comments[token.start[0]] = token.start[1]
            elif token.type == tokenize.NEWLINE:
                last = token.start[0]
                ends.update(dict.fromkeys(range(first if first is not None else last, last + 1), last))
                first = None
            elif first is None and token.type not in _BETWEEN:
                first = token.start[0]
    except (tokenize.TokenError, SyntaxError):
        return None
    return ends, comments


_BETWEEN = frozenset({tokenize.NL, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER})
