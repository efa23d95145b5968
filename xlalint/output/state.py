"""The invisible state, visible: what the model holds at each line of a file."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Protocol

from xlalint.lazy.site import Site
from xlalint.lazy.state import Gradient, Obligation, Scope, Split, State
from xlalint.lazy.values import Kind, Place, Recorded, Value, Weight
from xlalint.output.paint import FAINT, GUTTER, STRONG, Line, Span, plain, show_control, width
from xlalint.sources.file import SourceFile, show


class LineState(Protocol):
    """What is known before a line runs."""

    @property
    def line(self) -> int:
        """The 1-based line."""

    @property
    def state(self) -> State:
        """What the engine holds."""

    @property
    def values(self) -> Mapping[str, Value]:
        """What each name holds."""


_WIDEST_CODE = 72
_SIGNS = {Weight.NONE: "·", Weight.LIGHT: "▒", Weight.HEAVY: "█"}
_COLORS = {Weight.NONE: "green", Weight.LIGHT: "yellow", Weight.HEAVY: "red"}
_ENGINE_KINDS = frozenset(
    {Kind.TENSOR, Kind.DEVICE, Kind.PARAMETERS, Kind.OPTIMIZER, Kind.SCALER, Kind.LOADER, Kind.STATE_DICT}
)
_TITLES = ("recorded", "open scopes", "replicas", "gradients")


def overview(source: SourceFile, states: Sequence[LineState]) -> Iterator[Line]:
    """Every line that something is known of, and beside it what is recorded and which scopes,
    replicas and gradients there are before it runs.

    Args:
        states: By line; several for one line are shown below each other.
    """
    states = sorted(filter(_is_telling, states), key=lambda known: known.line)
    if not states:
        yield plain(f"{source.shown}: no line of it is known to touch the lazy engine.")
        return
    digits = len(str(states[-1].line))
    texts = {known.line: _code(source, known.line) for known in states}
    code_width = max(width(source.shown), *(width(text) for text in texts.values()))
    rows = [_cells(source, known.state) for known in states]
    widths = [
        max(len(title), *(width("".join(span.text for span in row[index])) for row in rows))
        for index, title in enumerate(_TITLES)
    ]
    yield [
        Span(" " * (digits + 3)),
        Span(_pad(source.shown, code_width), STRONG),
        *(
            span
            for title, column in zip(_TITLES, widths, strict=True)
            for span in (Span(" │ ", GUTTER), Span(_pad(title, column), STRONG))
        ),
    ]
    previous = states[0].line
    for known, row in zip(states, rows, strict=True):
        if known.line > previous + 1:
            yield [Span(f"{'⋮':>{digits}}", FAINT)]
        repeated = known.line == previous and known is not states[0]
        previous = known.line
        number = "" if repeated else str(known.line)
        line: Line = [
            Span(f"{number:>{digits}} │ ", GUTTER),
            Span(_pad("" if repeated else texts[known.line], code_width)),
        ]
        for cell, column in zip(row, widths, strict=True):
            used = width("".join(span.text for span in cell))
            line += [Span(" │ ", GUTTER), *cell, Span(" " * (column - used))]
        yield line


def details(source: SourceFile, states: Sequence[LineState], line: int) -> Iterator[Line]:
    """Everything that is known before a line runs, the value of each name included."""
    states = [known for known in states if known.line == line]
    yield [Span(f"{source.shown}:{line}", STRONG), Span(f"  {_code(source, line)}")]
    if not states:
        yield plain("nothing is known here: no code that touches the lazy engine runs through this line")
    for known in states:
        yield plain("")
        state = known.state
        facts = [
            ("recorded", _recorded(source, state)),
            ("parameters", [_weight(state.engine.parameters)]),
            (
                "open scopes",
                _joined(_scope(source, scope) for scope in state.scopes.open) or [Span("none", FAINT)],
            ),
            (
                "replicas",
                _joined(_split(source, split) for split in state.replicas.splits) or [Span("all", FAINT)],
            ),
            ("gradients", [_gradients(state)]),
            ("engine", [Span(_engine(state))]),
        ]
        titles = [title for title, _ in facts] + ["pending"] * bool(state.obligations)
        column = max(len(title) for title in titles)
        for title, spans in facts:
            yield [Span(f"  {title:<{column}}  ", FAINT), *spans]
        for index, owed in enumerate(sorted(state.obligations, key=str)):
            yield [Span(f"  {'pending' if not index else '':<{column}}  ", FAINT), _obligation(source, owed)]
        if known.values:
            yield plain("")
            yield from _values(known.values)


def _is_telling(known: LineState) -> bool:
    """Whether the engine is in play: it holds something, or a name holds something of its."""
    state = known.state
    return bool(
        state.engine.recorded.may
        or state.scopes.open
        or state.replicas.splits
        or state.obligations
        or state.gradients.of(None) != {Gradient.NONE}
        or any(value.kind in _ENGINE_KINDS for value in known.values.values())
    )


def _values(values: Mapping[str, Value]) -> Iterator[Line]:
    column = max(width(name) for name in values)
    for name in sorted(values):
        value = values[name]
        text = value.kind.value if value.sure else f"{value.kind.value}, not sure"
        place = getattr(value.payload, "place", None)
        if isinstance(place, Place) and place is not Place.UNKNOWN:
            text += f", on {'the device' if place is Place.XLA else 'the host'}"
        if value.differs:
            text += ", not the same on every replica"
        if value.reduced:
            text += ", depends on a collective"
        line: Line = [Span(f"  {_pad(name, column)}  ", STRONG), Span(text)]
        if value.recorded.may:
            line += [Span(", "), _weight(value.recorded)]
        yield line


def _cells(source: SourceFile, state: State) -> tuple[Line, Line, Line, Line]:
    return (
        _recorded(source, state),
        _joined(_scope(source, scope) for scope in state.scopes.open),
        _joined(_split(source, split) for split in state.replicas.splits) or [Span("all", FAINT)],
        [_gradients(state)],
    )


def _recorded(source: SourceFile, state: State) -> Line:
    line = [_weight(state.engine.recorded)]
    since = [site for site in state.engine.since if not site.is_entry]
    if state.engine.recorded.may and since:
        here = sorted({site.line for site in since if site.path == str(source.path)})
        places = [f"line{'s' * (len(here) > 1)} {', '.join(map(str, here))}"] if here else []
        places += [_where(source, site) for site in since if site.path != str(source.path)]
        line.append(Span(f" since {', '.join(places)}"))
    if state.engine.eager:
        line.append(Span(" (eager)", FAINT))
    return line


def _weight(recorded: Recorded) -> Span:
    must, may = recorded
    sign, color = _SIGNS[may], _COLORS[may]
    if must is may:
        return Span(f"{sign} {'nothing' if may is Weight.NONE else may.name.lower()}", color)
    least = "perhaps" if must is Weight.NONE else f"{must.name.lower()}, perhaps"
    return Span(f"{sign} {least} {may.name.lower()}", "yellow")


def _scope(source: SourceFile, scope: Scope) -> Span:
    where = "of a caller" if scope.inherited or scope.site.is_entry else f"from {_where(source, scope.site)}"
    return Span(f"{scope.kind.value} {where}", "magenta")


def _split(source: SourceFile, split: Split) -> Span:
    if split.master:
        who = "master only" if split.polarity else "all but master"
    else:
        who = "some" if split.polarity else "the others"
    where = "" if split.inherited or split.site.is_entry else f", by {_where(source, split.site)}"
    return Span(f"{who}{'' if split.certain else '?'}{where}", "bold red")


def _gradients(state: State) -> Span:
    words = [gradient.value for gradient in Gradient if gradient in state.gradients.of(None)]
    return Span(" or ".join(words), FAINT if words == ["none"] else "cyan")


def _engine(state: State) -> str:
    def answer(fact: bool | None, yes: str, no: str, unknown: str) -> str:
        return unknown if fact is None else yes if fact else no

    words = [
        answer(state.engine.eager, "eager", "lazy", "eager or lazy"),
        answer(state.replicas.launched, "replicas launched", "one replica", "replicas not known"),
        answer(state.replicas.wrapped, "model wrapped", "model not wrapped", "wrapping not known"),
        answer(state.replicas.spmd, "SPMD", "no SPMD", "SPMD not known"),
    ]
    words += ["in a loop"] * state.scopes.in_loop + ["in a step closure"] * state.scopes.in_closure
    words += ["an unknown callee may have cut"] * state.trust.opaque + [
        "incomplete: a bound was reached"
    ] * state.trust.bounded
    return ", ".join(words)


def _obligation(source: SourceFile, owed: Obligation) -> Span:
    where = "of a caller" if owed.inherited else f"at {_where(source, owed.path[-1])}"
    detail = f" `{owed.detail}`" if owed.detail else ""
    return Span(f"{owed.owed.value}{detail}, {where}", "yellow")


def _where(source: SourceFile, site: Site) -> str:
    """`line 12` in the file itself, `other.py:12` elsewhere."""
    if site.path == str(source.path):
        return f"line {site.line}"
    return f"{show(Path(site.path))}:{site.line}"


def _joined(spans: Iterable[Span]) -> Line:
    line: Line = []
    for span in spans:
        if line:
            line.append(Span(" > ", FAINT))
        line.append(span)
    return line


def _code(source: SourceFile, line: int) -> str:
    text = show_control(source.line(line).expandtabs(4).rstrip())
    if width(text) <= _WIDEST_CODE:
        return text
    while width(text) > _WIDEST_CODE - 1:
        text = text[:-1]
    return f"{text}…"


def _pad(text: str, columns: int) -> str:
    return text + " " * (columns - width(text))
