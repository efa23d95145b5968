"""Diagnostics for people: with a code frame and the calls that lead there, or one line each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Container, Iterator, Mapping, Sequence
from types import MappingProxyType

from xlalint.diagnostic import (
    Applicability,
    Certainty,
    Diagnostic,
    Evidence,
    Range,
    Related,
    Seen,
    Severity,
)
from xlalint.output.counts import by_file, by_rule, count_of
from xlalint.output.paint import FAINT, GUTTER, STRONG, Line, Span, plain, show_control, width, wrap
from xlalint.sources.file import SourceFile

COLUMNS = 100
"""How wide text is where no terminal says how wide it is."""

_COLORS = {Severity.ERROR: "bold red", Severity.WARNING: "bold yellow", Severity.INFO: "bold cyan"}
_FIXED_BY = {Applicability.SAFE: " [--fix]", Applicability.UNSAFE: " [--fix --unsafe-fixes]"}
_CONTEXT = 2
"""Lines shown before and after a place."""
_MOST_LINES = 6
"""A longer range shows its first lines and its last."""
_MOST_NAMED = 3
"""Of the files where the analysis was cut short, the summary names at most so many."""
_TAB = 4
_INDENT = 4
"""How far the further lines of a message are indented."""
_WIDEST = 160
"""Longer lines of code are cut to the part around the place."""


def full(
    diagnostics: Sequence[Diagnostic], sources: Mapping[str, SourceFile], columns: int = COLUMNS,
    tried: Mapping[Diagnostic, str] = MappingProxyType({}),
) -> Iterator[Line]:  # fmt: skip
    """Every diagnostic with its code frame, its call chain and its help.

    Args:
        diagnostics: In the order in which they are to be shown.
        sources: The files they stand in, by their shown path; without one there is no frame.
        columns: Where messages and help are wrapped; code is not.
        tried: Those that were to be fixed, and why they could not be.
    """
    for diagnostic in diagnostics:
        message = Span(show_control(diagnostic.message), STRONG)
        yield from wrap(_head(diagnostic), message, _INDENT, columns)
        yield from _body(diagnostic, sources, columns, tried.get(diagnostic))
        yield plain("")


def concise(diagnostics: Sequence[Diagnostic], tried: Container[Diagnostic] = ()) -> Iterator[Line]:
    """Every diagnostic in one line; what was to be fixed, and could not be, is not marked as fixable."""
    for diagnostic in diagnostics:
        likely = " (likely)" if diagnostic.certainty is Certainty.LIKELY else ""
        likely += "" if diagnostic in tried else _FIXED_BY.get(_applicability(diagnostic), "")
        place = [Span(diagnostic.path, STRONG), Span(f":{_position(diagnostic)}: ")]
        message = Span(show_control(diagnostic.message), STRONG)
        yield [*place, *_head(diagnostic), message, Span(likely, FAINT)]


def summary(
    diagnostics: Sequence[Diagnostic], files: int, hot: int, suppressed: int, bounds: Mapping[str, int],
    passed_over: int = 0, hidden: Mapping[str, int] = MappingProxyType({}),
    tried: Collection[Diagnostic] = (),
) -> Iterator[Line]:  # fmt: skip
    """What came out, and how to read on.

    Args:
        diagnostics: All of them.
        files: How many files were looked at.
        hot: How many of them use torch_xla.
        suppressed: How many diagnostics comments suppressed.
        bounds: By file, at how many places the analysis was cut short without a diagnostic that says so.
        passed_over: How many of them use a framework that may train on XLA, where nothing says XLA.
        hidden: How many more diagnostics there are, by a phrase that says why they are left out.
        tried: Those that were to be fixed, and could not be.
    """
    reasons = {"suppressed by comments": suppressed, **hidden}
    listed = ", ".join(f"{count} {reason}" for reason, count in reasons.items() if count)
    left_out = f" ({listed})" if listed else ""
    looked = f"{count_of(files, 'file')} checked, {hot} of them using torch_xla"
    if not diagnostics:
        yield [Span("No diagnostics", "bold green"), Span(f"{left_out}: {looked}.")]
        yield from _cut_short(bounds)
        yield from _passed_over(passed_over)
        return
    line: Line = [Span("Found ")]
    severities = Counter(diagnostic.severity for diagnostic in diagnostics)
    for index, severity in enumerate(sorted(severities, reverse=True)):
        if index:
            line.append(Span(" and " if index == len(severities) - 1 else ", "))
        noun = "info" if severity is Severity.INFO else str(severity)
        text = f"{severities[severity]} info" if noun == "info" else count_of(severities[severity], noun)
        line.append(Span(text, _COLORS[severity]))
    within = len({diagnostic.path for diagnostic in diagnostics})
    line.append(Span(f" in {count_of(within, 'file')}{left_out}: {looked}."))
    yield line
    yield from _fixable([diagnostic for diagnostic in diagnostics if diagnostic not in tried])
    code = max(diagnostics, key=lambda diagnostic: diagnostic.severity).code
    yield plain(f"Run `xlalint rule {code}` to see what a rule means and how to fix it.")
    yield from _cut_short(bounds)
    yield from _passed_over(passed_over)


def _fixable(diagnostics: Sequence[Diagnostic]) -> Iterator[Line]:
    """How many of them somebody else than the user may fix."""
    counts = Counter(map(_applicability, diagnostics))
    safe, unsafe = counts[Applicability.SAFE], counts[Applicability.UNSAFE]
    if safe:
        more = f", and `--unsafe-fixes` {unsafe} more" if unsafe else ""
        yield plain(f"Of these, `--fix` may fix {safe}{more}.")
    elif unsafe:
        yield plain(f"Of these, `--fix --unsafe-fixes` may fix {unsafe}.")


def _passed_over(files: int) -> Iterator[Line]:
    """What would be analyzed, if only something said that it runs on XLA."""
    if files:
        trains = "1 file hands" if files == 1 else f"{files} files hand"
        yield plain(
            f"{trains} training to a framework, but nothing in the project says XLA: to analyze "
            "them, require torch_xla or set `target-version`."
        )


def _cut_short(bounds: Mapping[str, int]) -> Iterator[Line]:
    """Where xlalint did not look to the end, and how to see it."""
    if bounds:
        files = sorted(bounds, key=lambda file: (-bounds[file], file))
        named = ", ".join(files[:_MOST_NAMED])
        more = f" and {len(files) - _MOST_NAMED} more" if len(files) > _MOST_NAMED else ""
        places = count_of(sum(bounds.values()), "place")
        yield plain(
            f"The analysis stopped at a limit at {places} in {named}{more}: "
            "add `--extend-select XLA092` to see them."
        )


def statistics(diagnostics: Sequence[Diagnostic]) -> Iterator[Line]:
    """How many diagnostics each rule gave, the most frequent first."""
    rows = by_rule(diagnostics)
    digits = max((len(str(count)) for _, count in rows), default=0)
    for (code, name), count in rows:
        yield [Span(f"{count:>{digits}}  "), Span(code, STRONG), Span(f"  {name}")]


def statistics_of_files(diagnostics: Sequence[Diagnostic]) -> Iterator[Line]:
    """How many diagnostics each file has, and below it how many of each rule; those with most come first."""
    digits = len(str(len(diagnostics)))
    for path, within in by_file(diagnostics):
        yield [Span(f"{len(within):>{digits}}  "), Span(path, STRONG)]
        for row in statistics(within):
            yield [Span(" " * (digits + 2)), *row]


def _applicability(diagnostic: Diagnostic) -> Applicability:
    """How much the user has to allow for a diagnostic to be fixed; SHOWN: that is done by hand."""
    found = {fix.applicability for fix in diagnostic.fixes}
    return next((one for one in _FIXED_BY if one in found), Applicability.SHOWN)


def _head(diagnostic: Diagnostic) -> Line:
    """What stands before the message."""
    color = _COLORS[diagnostic.severity]
    return [
        Span(f"{diagnostic.severity}[{diagnostic.code}]", color, diagnostic.url),
        Span(f" {diagnostic.name}", color),
        Span(": ", STRONG),
    ]


def _position(diagnostic: Diagnostic) -> str:
    start = diagnostic.range.start
    return f"{start.line}:{start.column}"


def _body(
    diagnostic: Diagnostic, sources: Mapping[str, SourceFile], columns: int, refused: str | None
) -> Iterator[Line]:  # fmt: skip
    source = sources.get(diagnostic.path)
    place, numbers = diagnostic.range, [1]
    if source is not None:
        from xlalint.sources.headers import without_body

        place = without_body(source, place)
        numbers = _numbers(source, place)
    digits = len(str(numbers[-1]))
    margin = " " * digits
    yield [Span(f"{margin}--> ", GUTTER), Span(diagnostic.path, STRONG), Span(f":{_position(diagnostic)}")]
    if source is not None:
        yield from _frame(source, place, numbers, digits, _COLORS[diagnostic.severity])
    chain = [related for related in diagnostic.related if not related.later]
    if chain:
        yield from _note(margin, "reached through", "", columns)
        yield from _places(chain, sources, margin)
    for later in diagnostic.related[len(chain) :]:
        yield from _note(margin, later.message, "", columns)
        yield from _places([later], sources, margin)
    if diagnostic.assumes:
        yield from _note(margin, "likely", f"assumes {show_control(diagnostic.assumes)}", columns)
    if diagnostic.evidence is not None or diagnostic.seen is not None:
        yield from _note(margin, "seen", shown_by_run(diagnostic), columns)
    if diagnostic.help:
        yield from _note(margin, "help", show_control(diagnostic.help), columns)
    option = _FIXED_BY.get(_applicability(diagnostic), "")
    if refused is not None:
        yield from _note(margin, "not fixed", show_control(refused), columns)
    elif option:
        fix = next(fix for fix in diagnostic.fixes if fix.applicability is _applicability(diagnostic))
        yield from _note(margin, "fix", f"{fix.title}{option}", columns)


def shown_by_run(diagnostic: Diagnostic) -> str:
    """What a run has shown of a diagnostic, in words."""
    counted = seen(diagnostic.evidence) if diagnostic.evidence is not None else ""
    if diagnostic.seen is None:
        return counted
    return f"{diagnostic.seen.value}: {counted or _NOT_SEEN[diagnostic.seen]}"


_NOT_SEEN = {
    Seen.CONFIRMED: "the run has shown it",
    Seen.NOT_OBSERVED: "the run did not show it; with other data or more steps one may",
    Seen.NOT_REACHED: "the run never came to this line",
    Seen.ONLY_AT_RUN_TIME: "the source does not tell",
}


_SELDOM = 2
"""Of what happened so few times it says nothing how often that was in each step."""


def seen(evidence: Evidence) -> str:
    """What was counted on the engine, in words."""
    parts = [count_of(evidence.count, "time")]
    if evidence.per_step is not None and evidence.count > _SELDOM:
        parts.append(f"{evidence.per_step:.1f} per step")
    if evidence.launches:
        parts.append(count_of(evidence.launches, "launch", "launches"))
    if evidence.compiles:
        parts.append(count_of(evidence.compiles, "compile"))
    if evidence.ms_median is not None:
        parts.append(f"median {evidence.ms_median:.1f} ms")
    if evidence.replicas is not None and evidence.replicas > 1:
        parts.append(f"on {evidence.replicas} replicas")
    return ", ".join(parts)


def _note(margin: str, label: str, text: str, columns: int) -> Iterator[Line]:
    head = [Span(f"{margin} = ", GUTTER), Span(f"{label}: ", STRONG)]
    return wrap(head, Span(text), sum(len(span.text) for span in head), columns)


def _places(held: Sequence[Related], sources: Mapping[str, SourceFile], margin: str) -> Iterator[Line]:
    places = [f"{related.path}:{related.range.start.line}" for related in held]
    widest = max(width(place) for place in places)
    for place, related in zip(places, held, strict=True):
        source = sources.get(related.path)
        code = ""
        if source is not None:
            code = _expand(source.line(related.range.start.line).strip())[0]
            code = code if len(code) <= 80 else code[:79] + "…"
        padding = " " * (widest - width(place))
        yield [Span(f"{margin}     "), Span(place, GUTTER), Span(f"{padding}  {code}")]


def _numbers(source: SourceFile, place: Range) -> list[int]:
    """The lines of a frame: those of the range, and some around them that are not blank edges."""
    first, last = place.start.line, _last_line(place)
    numbers = [*range(max(first - _CONTEXT, 1), min(last + _CONTEXT, len(source.lines)) + 1)]
    while numbers[0] < first and not source.line(numbers[0]).strip():
        numbers.pop(0)
    while numbers[-1] > last and not source.line(numbers[-1]).strip():
        numbers.pop()
    return numbers


def _last_line(place: Range) -> int:
    # A range that ends behind a line end does not reach the next line.
    ends_before = place.end.column == 1 and place.end.line > place.start.line
    return place.end.line - ends_before


def _frame(source: SourceFile, place: Range, numbers: list[int], digits: int, color: str) -> Iterator[Line]:
    first, last = place.start.line, _last_line(place)
    left_out = range(0)
    if last - first + 1 > _MOST_LINES:
        left_out = range(first + _MOST_LINES - 2, last)
    yield [Span(f"{' ' * digits} |", GUTTER)]
    for number in numbers:
        if number in left_out:
            if number == left_out[0]:
                yield [Span(f"{'.' * digits} |", GUTTER)]
            continue
        text, columns = _expand(source.line(number))
        marked = first <= number <= last
        start, end = _marks(source.line(number), number, place) if marked else (0, 0)
        text, before, under = _window(text, columns[start], columns[end])
        yield [Span(f"{number:>{digits}} | ", GUTTER), Span(text)]
        if marked:
            yield [Span(f"{' ' * digits} | ", GUTTER), Span(" " * before + "^" * under, color)]
    yield [Span(f"{' ' * digits} |", GUTTER)]


def _marks(line: str, number: int, place: Range) -> tuple[int, int]:
    """The part of a line, as 0-based code points, that lies in the range; indentation left out."""
    indent = len(line) - len(line.lstrip())
    start = place.start.column - 1 if number == place.start.line else indent
    end = place.end.column - 1 if number == place.end.line else len(line.rstrip())
    start = min(start, len(line))
    return start, min(max(end, start), len(line))


def _expand(line: str) -> tuple[str, list[int]]:
    """A line as a terminal shows it, and the column at which each of its code points begins."""
    if line.isascii() and line.isprintable():
        return line, [*range(len(line) + 1)]
    shown = []
    columns = [0]
    for character in line:
        column = columns[-1]
        text = " " * (_TAB - column % _TAB) if character == "\t" else show_control(character)
        shown.append(text)
        columns.append(column + width(text))
    return "".join(shown), columns


def _window(text: str, start: int, end: int) -> tuple[str, int, int]:
    """A line that is not too wide, the column of the mark in it and its length, at least one.

    Args:
        start, end: Columns of the mark.
    """
    if width(text) <= _WIDEST:
        return text, start, max(end - start, 1)
    left = max(0, min(start - _WIDEST // 4, width(text) - _WIDEST))
    cut = _columns(text, left, left + _WIDEST)
    before = "…" if left else ""
    after = "…" if left + _WIDEST < width(text) else ""
    length = max(min(end, left + _WIDEST) - start, 1)
    return f"{before}{cut}{after}", start - left + len(before), length


def _columns(text: str, start: int, end: int) -> str:
    if text.isascii():
        return text[start:end]
    kept = []
    column = 0
    for character in text:
        if start <= column and column + width(character) <= end:
            kept.append(character)
        elif start < column + width(character) and column < end:
            kept.append(" ")  # half of a wide character
        column += width(character)
    return "".join(kept)
