"""Comments that suppress diagnostics, which of them are unused, and which are not written as they must be."""

from __future__ import annotations

import re
import tokenize
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

from xlalint.diagnostic import Position, Range
from xlalint.sources.file import SourceFile, split_lines

_OURS: Final = re.compile(
    r"#\s*xlalint:\s*(?P<verb>\w+(?:-\w+)*)?(?:\s*\[(?P<codes>[^\]#]*)\]|(?P<rest>[^#]*))"
)
_VERBS: Final = ("ignore", "ignore-file")
_NOQA: Final = re.compile(
    r"#\s*noqa\b(?P<colon>\s*:\s*(?P<codes>[A-Z][A-Z0-9]*\d+(?:[\s,]+[A-Z][A-Z0-9]*\d+)*)?)?", re.I
)
_MAYBE: Final = re.compile(r"#\s*(?:xlalint:|noqa\b(?!\s*:)|noqa\s*:[^\n]*XLA\d)", re.IGNORECASE)
_JUDGED: Final = re.compile(rb"#\s*(?:xlalint:|noqa\s*:[^\n]*XLA\d)", re.IGNORECASE)
_OUR_CODE: Final = re.compile(r"XLA\d+", re.IGNORECASE)
_WORD: Final = re.compile(r"\w+(?:-\w+)*")


@dataclass(slots=True)
class Suppression:
    """One comment.

    Args:
        selectors: Codes or names that it silences; empty: all of them.
        place: Where the comment stands.
        lines: The statement lines it speaks for; None: the whole file.
        judged: Whether it is ours: a comment that is not may serve another tool, and is never called unused.
        explained: Whether a reason stands behind it.
        used: Those of `selectors` that suppressed something; "" means "all of them".
    """

    selectors: tuple[str, ...]
    place: Range
    lines: range | None
    judged: bool
    explained: bool
    used: set[str] = field(default_factory=set)

    def unused(self, is_selected: Callable[[str], bool]) -> tuple[str, ...] | None:
        """The selectors that suppressed nothing; () for a comment without selectors; None if all were used.

        Args:
            is_selected: Whether a selector names a rule that was looked for.
        """
        if not self.judged:
            return None
        if not self.selectors:
            return None if self.used else ()
        vain = tuple(s for s in self.selectors if s not in self.used and is_selected(s))
        return vain or None


class Malformed(NamedTuple):
    """A comment that looks like a suppression and silences nothing.

    Args:
        place: Where the comment stands.
        reason: What is wrong with it, as a sentence without its full stop.
        meant: How it should be written.
    """

    place: Range
    reason: str
    meant: str


Remembered = tuple[tuple[Any, ...], tuple[Any, ...]]
"""What is found in a file, as texts and numbers."""


class Suppressions:
    """All suppressions of one file, and the comments that were to be some."""

    def __init__(self, comments: Iterable[Suppression | Malformed]) -> None:
        self.all: list[Suppression] = []
        self.malformed: list[Malformed] = []
        for comment in comments:
            if isinstance(comment, Malformed):
                self.malformed.append(comment)
            else:
                self.all.append(comment)

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

    def to_remember(self) -> Remembered:
        """All of them, but for what they have silenced."""
        every = (
            (
                s.selectors,
                *_numbers(s.place),
                s.lines and (s.lines.start, s.lines.stop),
                s.judged,
                s.explained,
            )
            for s in self.all
        )
        malformed = ((*_numbers(each.place), each.reason, each.meant) for each in self.malformed)
        return tuple(every), tuple(malformed)


def remembered(found: Remembered) -> Suppressions:
    """The suppressions of which this was remembered; they have silenced nothing yet."""
    every, malformed = found
    return Suppressions(
        (
            *(
                Suppression(selectors, _place(*place), lines and range(*lines), judged, explained)
                for selectors, *place, lines, judged, explained in every
            ),
            *(Malformed(_place(*place), reason, meant) for *place, reason, meant in malformed),
        )
    )


def _numbers(place: Range) -> tuple[int, int, int, int]:
    return place.start.line, place.start.column, place.end.line, place.end.column


def _place(line: int, column: int, end_line: int, end_column: int) -> Range:
    return Range(Position(line, column), Position(end_line, end_column))


def may_be_unused(data: bytes) -> bool:
    """Whether a file may hold a suppression that could be unused: a quick look, not an answer."""
    return _JUDGED.search(data) is not None


def find_suppressions(file: SourceFile, names: Collection[str] = ()) -> Suppressions:
    """The suppressions of a file; none where it cannot be split into tokens as far as they reach.

    A comment on the first or last line of a statement speaks for the whole statement (of a
    compound statement: its header), one between them for its own line.

    Args:
        file: The file.
        names: The names of rules, to tell one that lacks its brackets from a word of a reason.
    """
    # Splitting into tokens is slow, and in most files no such comment concerns us.
    maybe = [*_MAYBE.finditer(file.text)]
    if not maybe:
        return Suppressions(())
    # A comment that speaks for the whole file is worth nothing where the file cannot be split to its end;
    # for others it is enough to come to the end of the statement in which the last one stands.
    lasting = any("xlalint" in match[0].lower() for match in maybe)
    last = len(file.lines) if lasting else len(split_lines(file.text[: maybe[-1].start()]))
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
                if token.start[0] >= last:
                    break
            elif first is None and token.type not in _BETWEEN:
                first = token.start[0]
    except (tokenize.TokenError, SyntaxError):
        return Suppressions(())
    ends = {line: statement for statement in statements for line in statement}
    return Suppressions(
        found for token in comments for found in _read_comment(token, ends.get(token.start[0]), names)
    )


_BETWEEN: Final = frozenset(
    {tokenize.NL, tokenize.INDENT, tokenize.DEDENT, tokenize.ENCODING, tokenize.ENDMARKER}
)


def _read_comment(
    token: tokenize.TokenInfo, statement: tuple[int, int] | None, names: Collection[str]
) -> Iterable[Suppression | Malformed]:
    line, column = token.start
    lines = range(statement[0], statement[1] + 1) if statement else range(line, line + 1)
    for match in _OURS.finditer(token.string):
        fault = _fault(match, names)
        if fault is not None:
            end = match.start() + len(match[0].rstrip())
            yield Malformed(_range(line, column + match.start(), column + end), fault, _meant(match, names))
            continue
        codes = tuple(_split(match["codes"] or ""))
        # What stands behind a bare `ignore` is its reason, and no part of the comment's place.
        end = match.start("rest") if match["codes"] is None else match.end()
        place = _range(line, column + match.start(), column + end)
        reach = None if match["verb"] == "ignore-file" else lines
        yield Suppression(codes, place, reach, judged=True, explained=_has_reason(token.string[end:]))
    for match in _NOQA.finditer(token.string):
        place = _range(line, column + match.start(), column + match.end())
        if match["codes"] is None:
            if match["colon"] is None:
                yield Suppression((), place, lines, judged=False, explained=False)
            continue
        ours = tuple(_OUR_CODE.findall(match["codes"]))
        if ours:
            explained = _has_reason(token.string[match.end() :])
            yield Suppression(ours, place, lines, judged=True, explained=explained)


def _has_reason(behind: str) -> bool:
    """Whether words follow a suppression, before the next comment on its line."""
    return _WORD.search(behind.partition("#")[0]) is not None


def _fault(match: re.Match[str], names: Collection[str]) -> str | None:
    """What is wrong with a comment of ours, if anything: then it silences nothing rather than everything."""
    verb, codes, rest = match["verb"], match["codes"], match["rest"]
    if verb not in _VERBS:
        return f"{verb!r} is neither 'ignore' nor 'ignore-file'" if verb else "it does not say 'ignore'"
    if codes is not None:
        return None if _split(codes) else "its brackets name no rule"
    if rest.lstrip().startswith("["):
        return "its bracket is not closed"
    return "its rules do not stand in brackets" if _rules_in(rest, names) else None


def _meant(match: re.Match[str], names: Collection[str]) -> str:
    """The comment as it should be written."""
    verb = "ignore-file" if "file" in (match["verb"] or "") else "ignore"
    rules = _split(match["codes"] or "") or _rules_in(match["rest"] or "", names)
    return f"# xlalint: {verb}[{', '.join(rules) or 'CODE'}]"


def _rules_in(text: str, names: Collection[str]) -> list[str]:
    """The words of a text that are meant as rules: codes, whether there are such or not, and names."""
    return [word for word in _WORD.findall(text) if _OUR_CODE.fullmatch(word) or word in names]


def _split(codes: str) -> list[str]:
    return [code for code in re.split(r"[\s,]+", codes) if code]


def _range(line: int, start: int, end: int) -> Range:
    return Range(Position(line, start + 1), Position(line, end + 1))
