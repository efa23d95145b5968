"""Comments that suppress diagnostics, and which of them are unused."""

from __future__ import annotations

import re
import tokenize
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from xlalint.diagnostic import Position, Range
from xlalint.sources.file import SourceFile

_OURS = re.compile(r"#\s*xlalint:\s*(?P<kind>ignore-file|ignore)\b(?:\s*\[(?P<codes>[^\]#]*)\])?")
_NOQA = re.compile(
    r"#\s*noqa\b(?P<colon>\s*:\s*(?P<codes>[A-Z][A-Z0-9]*\d+(?:[\s,]+[A-Z][A-Z0-9]*\d+)*)?)?", re.I
)
_MAYBE = re.compile(r"#\s*(?:xlalint:|noqa\b(?!\s*:)|noqa\s*:[^\n]*XLA\d)", re.IGNORECASE)
_JUDGED = re.compile(rb"#\s*(?:xlalint:|noqa\s*:[^\n]*XLA\d)", re.IGNORECASE)
_OUR_CODE = re.compile(r"XLA\d+", re.IGNORECASE)


@dataclass(slots=True)
class Suppression:
    """One comment.

    Args:
        selectors: Codes or names that it silences; empty: all of them.
        place: Where the comment stands.
        lines: The statement lines it speaks for; None: the whole file.
        judged: Whether it is ours: a comment that is not may serve another tool, and is never called unused.
        used: Those of `selectors` that suppressed something; "" means "all of them".
    """

    selectors: tuple[str, ...]
    place: Range
    lines: range | None
    judged: bool
    used: set[str] = field(default_factory=set)

    def unused(self, is_selected: Callable[[str], bool]) -> tuple[str, ...] | None:
        """The selectors that suppressed nothing; () for a comment without selectors; None if all were used.

        Args:
            is_selected: Whether a selector names a rule that was looked for, or none at all.
        """
        if not self.judged:
            return None
        if not self.selectors:
            return None if self.used else ()
        vain = tuple(s for s in self.selectors if s not in self.used and is_selected(s))
        return vain or None


class Suppressions:
    """All suppressions of one file."""

    def __init__(self, comments: Iterable[Suppression]) -> None:
        self.all = list(comments)

    def silences(self, code: str, names: Iterable[str], place: Range, *, by_name: bool = False) -> bool:
        """Whether a diagnostic is silenced; whatever silences it counts as used.

        Args:
            code: The rule's code.
            names: Its name and its former codes and names.
            place: Where the diagnostic stands.
            by_name: Whether only comments that name the rule count.
        """
        known = {code.upper(), *(name.upper() for name in names)}
        silenced = False
        for suppression in self.all:
            lines = suppression.lines
            if lines is not None and (place.end.line < lines.start or place.start.line >= lines.stop):
                continue
            if not suppression.selectors and not by_name:
                suppression.used.add("")
                silenced = True
            for selector in suppression.selectors:
                if selector.upper() in known:
                    suppression.used.add(selector)
                    silenced = True
        return silenced


def may_be_unused(data: bytes) -> bool:
    """Whether a file may hold a suppression that could be unused: a quick look, not an answer."""
    return _JUDGED.search(data) is not None


def find_suppressions(file: SourceFile) -> Suppressions:
    """The suppressions of a file; none where it cannot be split into tokens.

    A comment on the first or last line of a statement speaks for the whole statement (of a
    compound statement: its header), one between them for its own line.
    """
    # Splitting into tokens is slow, and in most files no such comment concerns us.
    if _MAYBE.search(file.text) is None:
        return Suppressions(())
    comments: list[tokenize.TokenInfo] = []
    statements: list[tuple[int, int]] = []
    first: int | None = None
    # `readline` must end lines where Python does, not where `str.splitlines` would.
    lines = iter([line + "\n" for line in file.lines])
    try:
        for token in tokenize.generate_tokens(lambda: next(lines, "")):
            if token.type == tokenize.COMMENT:
                comments.append(token)
            elif token.type == tokenize.NEWLINE:
                if first is not None:
                    statements.append((first, token.start[0]))
                first = None
            elif first is None and token.type not in _BETWEEN:
                first = token.start[0]
    except (tokenize.TokenError, SyntaxError):
        return Suppressions(())
    ends = {line: statement for statement in statements for line in statement}
    return Suppressions(
        suppression for token in comments for suppression in _read_comment(token, ends.get(token.start[0]))
    )


_BETWEEN = frozenset({tokenize.NL, tokenize.INDENT, tokenize.DEDENT, tokenize.ENCODING, tokenize.ENDMARKER})


def _read_comment(token: tokenize.TokenInfo, statement: tuple[int, int] | None) -> Iterable[Suppression]:
    line, column = token.start
    lines = range(statement[0], statement[1] + 1) if statement else range(line, line + 1)
    for match in _OURS.finditer(token.string):
        of_file = match["kind"] == "ignore-file"
        codes = tuple(code for code in re.split(r"[\s,]+", match["codes"] or "") if code)
        if match["codes"] is not None and not codes:
            continue  # `ignore[]` names nothing, and must not be read as "everything"
        place = _range(line, column + match.start(), column + match.end())
        yield Suppression(codes, place, None if of_file else lines, judged=True)
    for match in _NOQA.finditer(token.string):
        place = _range(line, column + match.start(), column + match.end())
        if match["codes"] is None:
            if match["colon"] is None:
                yield Suppression((), place, lines, judged=False)
            continue
        ours = tuple(_OUR_CODE.findall(match["codes"]))
        if ours:
            yield Suppression(ours, place, lines, judged=True)


def _range(line: int, start: int, end: int) -> Range:
    return Range(Position(line, start + 1), Position(line, end + 1))
