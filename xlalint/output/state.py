"""The invisible state, visible: what the model holds at each line of a file."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from pathlib import Path
from typing import NamedTuple, Protocol

from xlalint.lazy.gradients import Gradient
from xlalint.lazy.obligations import Fact, Obligation
from xlalint.lazy.scopes import Scope, Split
from xlalint.lazy.sharding import NO_MESH, shown
from xlalint.lazy.site import Site
from xlalint.lazy.state import State
from xlalint.lazy.values import Kind, Place, Recorded, Value, Weight, kinds_that
from xlalint.output.paint import FAINT, GUTTER, STRONG, Line, Span, plain, show_control, width, wrap
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

    def words(self, name: str) -> Iterable[str]:
        """What is known of the value of a name beside its kind."""


COLUMNS = 80
"""How wide every line is at most."""

LEGEND = {
    "recorded": "operations that torch_xla has noted and not yet run",
    "heavy": "a forward, a backward or an optimizer step: expensive",
    "input": "tensors that were just made: cheap",
    "light": "views and elementwise operations: cheap",
    "perhaps": "on some paths to this line, not on all",
    "parameters": "recorded work that changes parameters of a model",
    "open scopes": "the step, compiled function or profiler block around it",
    "caller": "a function that called this one",
    "replica": "one process of the training run; each drives one device",
    "master": "the replica that writes checkpoints and logs",
    "gradients": "how far the gradients of the current step have come",
    "local": "computed on each replica, not yet summed over them",
    "reduced": "summed over the replicas",
    "used": "already applied by an optimizer step",
    "engine": "how torch_xla runs this line",
    "lazy": "operations are recorded now and run later",
    "eager": "operations run at once",
    "wrapped": "in DDP or FSDP, which sum gradients during backward",
    "SPMD": "one program drives all devices and shards its tensors",
    "pending": "what a later line may turn into a diagnostic",
    "host read": "Python needs a value that is on the device",
    "cut": "sends everything recorded to the device as one graph",
    "step closure": "a function that runs at the next cut",
    "collective": "an operation that waits for all replicas",
    "device tensor": "a tensor on the XLA device",
    "host value": "a Python value, or a tensor on the CPU",
    "rank test": "tells replicas apart, such as `xm.is_master_ordinal()`",
    "ordinal": "the number of a replica",
    "unconfirmed": "the result of a call that xlalint cannot follow",
    "unknown": "xlalint cannot tell",
}
"""What words mean that a user of PyTorch need not know; each is explained below a text that uses it."""

_SIGNS = {Weight.NONE: "·", Weight.INPUT: "▒", Weight.LIGHT: "▒", Weight.HEAVY: "█"}
_COLORS = {Weight.NONE: "green", Weight.INPUT: "green", Weight.LIGHT: "yellow", Weight.HEAVY: "red"}
_ENGINE_KINDS = kinds_that("concerns_engine") - {Kind.CALLABLE, Kind.MODULE, Kind.SCOPE}


class _Row(NamedTuple):
    title: str
    text: str
    style: str = ""


def overview(source: SourceFile, states: Sequence[LineState]) -> Iterator[Line]:
    """Every line that something is known about. Above a line stands what holds before it runs, if it changed.

    Args:
        states: What is known; a line that is reached in several states shows each of them.
    """
    states = sorted(filter(_is_telling, states), key=lambda known: known.line)
    if not states:
        yield from _headed(source.shown, ": no line of this file is known to touch torch_xla.")
        return
    digits = max(len(_number(source, known.line)) for known in states)
    previous = states[0].line
    explained: list[_Row] = []
    yield from _headed(source.shown, ", before each line runs:")
    yield plain("")
    for line, rows in _changes(source, states):
        if line > previous + 1:
            yield [Span(f"{'⋮':>{digits}}", FAINT)]
        previous = line
        explained += rows
        for row in rows:
            margin = Span(f"{' ' * digits} ┌ ", GUTTER)
            yield from wrap([margin], Span(row.text, row.style), digits + 5, COLUMNS)
        code = _code(source, line, COLUMNS - digits - 3)
        yield [Span(f"{_number(source, line):>{digits}} │ ", GUTTER), Span(code)]
    yield from _legend(explained)


def changes(source: SourceFile, states: Sequence[LineState]) -> Iterator[tuple[int, list[str]]]:
    """The lines before which something else holds than before the last, and what, in short."""
    telling = sorted(filter(_is_telling, states), key=lambda known: known.line)
    for line, rows in _changes(source, telling):
        if rows:
            yield line, [row.text for row in rows]


def _changes(source: SourceFile, states: Iterable[LineState]) -> Iterator[tuple[int, list[_Row]]]:
    """Each line, and what holds before it runs, or nothing where that is as before the last."""
    shown: list[_Row] = []
    for line, group in groupby(states, key=lambda known: known.line):
        rows = list(dict.fromkeys(_in_short(source, known.state) for known in group))
        yield line, rows if rows != shown else []
        shown = rows


def details(source: SourceFile, states: Sequence[LineState], line: int) -> Iterator[Line]:
    """Everything that is known before a line runs, the value of each name included."""
    states = [known for known in states if known.line == line]
    yield from _headed(f"{source.shown}:{_number(source, line)}", ", before this line runs:")
    yield plain(f"  {_code(source, line, COLUMNS - 2).strip()}")
    if not states:
        yield plain("")
        yield plain("Nothing is known here: no code that touches torch_xla runs through this line.")
    explained: list[_Row] = []
    for known in states:
        facts = _facts(source, known.state)
        values = [_value(name, known) for name in sorted(known.values)]
        yield from _table(facts)
        yield from _table(values)
        explained += [_Row("", row.title) for row in facts] + facts + values
    yield from _legend(explained)


def _headed(name: str, text: str) -> Iterator[Line]:
    return wrap([Span(name, STRONG)], Span(text), 2, COLUMNS)


def _table(rows: Sequence[_Row], heading: str = "") -> Iterator[Line]:
    if not rows:
        return
    yield plain("")
    if heading:
        yield plain(heading)
    column = max(width(row.title) for row in rows)
    for row in rows:
        title = Span(f"  {row.title}{' ' * (column - width(row.title))}  ", STRONG)
        yield from wrap([title], Span(row.text, row.style), column + 4, COLUMNS)


def _legend(rows: Sequence[_Row]) -> Iterator[Line]:
    """What the words in the texts of `rows` mean; code in backticks does not count."""
    text = re.sub(r"`[^`]*`", "", "\n".join(row.text for row in rows))
    used = [word for word in LEGEND if re.search(rf"\b{word}s?\b", text)]
    return _table([_Row(word, LEGEND[word], FAINT) for word in used], "What these words mean:")


def _is_telling(known: LineState) -> bool:
    """Whether torch_xla is in play: it has recorded something, or a name holds something on the device."""
    state = known.state
    return bool(
        state.engine.recorded.may
        or state.scopes.open
        or state.replicas.splits
        or state.obligations
        or state.gradients.of(None) != {Gradient.NONE}
        or any(value.kind in _ENGINE_KINDS for value in known.values.values())
    )


def _in_short(source: SourceFile, state: State) -> _Row:
    """What is recorded, and all that is not as it is in a plain script."""
    recorded = _recorded(source, state)
    parts = [f"{_SIGNS[state.engine.recorded.may]} recorded: {recorded}"]
    if state.scopes.open:
        parts.append(f"open scopes: {_scopes(source, state)}")
    if state.replicas.splits:
        parts.append(f"replicas: {_replicas(source, state)}")
    if state.gradients.of(None) != {Gradient.NONE}:
        parts.append(f"gradients: {_gradients(state)}")
    if state.engine.eager:
        parts.append("engine: eager")
    return _Row("", "; ".join(parts), _COLORS[state.engine.recorded.may])


def _facts(source: SourceFile, state: State) -> list[_Row]:
    parameters = state.engine.parameters
    rows = [
        _Row(
            "recorded",
            _signed(state.engine.recorded, _recorded(source, state)),
            _COLORS[state.engine.recorded.may],
        ),
        _Row("parameters", _signed(parameters, _parameters(state)), _COLORS[parameters.may]),
        _Row("open scopes", _scopes(source, state), "magenta" if state.scopes.open else FAINT),
        _Row("replicas", _replicas(source, state), "bold red" if state.replicas.splits else FAINT),
        _Row(
            "gradients",
            _each_gradient(source, state),
            FAINT if state.gradients.of(None) == {Gradient.NONE} else "cyan",
        ),
        _Row("engine", _engine(state)),
    ]
    for title, words in (
        ("last cut", _last_cut(source, state)),
        ("this loop", _loop(source, state)),
        ("collectives", [f"`{name}`" for name, _ in state.collectives]),
        ("tests", [_fact(fact) for fact in sorted(state.facts)]),
    ):
        if words:
            rows.append(_Row(title, ", ".join(words)))
    for index, owed in enumerate(sorted(state.obligations, key=str)):
        rows.append(_Row("" if index else "pending", _obligation(source, owed), "yellow"))
    return rows


def _value(name: str, known: LineState) -> _Row:
    value = known.values[name]
    words = [value.kind.value]
    if not value.sure and value.kind is not Kind.UNKNOWN:
        words.append("unconfirmed")
    place = getattr(value.payload, "place", None)
    if isinstance(place, Place) and place is not Place.UNKNOWN:
        words.append(f"on {'the device' if place is Place.XLA else 'the host'}")
    words += known.words(name)
    if value.differs:
        words.append("differs between replicas")
    if value.reduced is not False:
        words.append("depends on a collective" if value.reduced else "perhaps depends on a collective")
    if value.recorded.may:
        words.append(_signed(value.recorded, f"{_weight(value.recorded)} recorded"))
    return _Row(name, ", ".join(words), _COLORS[value.recorded.may] if value.recorded.may else "")


def _recorded(source: SourceFile, state: State) -> str:
    since = {site for site in state.engine.since if not site.is_entry}
    if not (state.engine.recorded.may and since):
        return _weight(state.engine.recorded)
    here = sorted({site.line for site in since if site.path == str(source.path)})
    if source.notebook is None:
        places = [f"line{'s' * (len(here) > 1)} {', '.join(map(str, here))}"] if here else []
    else:
        places = [_line(source, line) for line in here]
    places += sorted({_where(source, site) for site in since if site.path != str(source.path)})
    return f"{_weight(state.engine.recorded)} since {', '.join(places)}"


def _signed(recorded: Recorded, text: str) -> str:
    return f"{_SIGNS[recorded.may]} {text}"


def _weight(recorded: Recorded) -> str:
    must, may = recorded
    if may is Weight.NONE:
        return "nothing"
    if must is may:
        return may.name.lower()
    least = "" if must is Weight.NONE else f"{must.name.lower()}, "
    return f"{least}perhaps {may.name.lower()}"


def _scopes(source: SourceFile, state: State) -> str:
    return ", then ".join(_scope(source, scope) for scope in state.scopes.open) or "none"


def _scope(source: SourceFile, scope: Scope) -> str:
    outside = scope.inherited or scope.site.is_entry
    return f"{scope.kind.value} {'of a caller' if outside else f'from {_where(source, scope.site)}'}"


def _replicas(source: SourceFile, state: State) -> str:
    return ", then ".join(_split(source, split) for split in state.replicas.splits) or "all"


def _split(source: SourceFile, split: Split) -> str:
    if split.master:
        who = "master only" if split.polarity else "all but master"
    else:
        who = "some" if split.polarity else "the others"
    outside = split.inherited or split.site.is_entry
    where = " (tested by a caller)" if outside else f" (test on {_where(source, split.site)})"
    return f"{'' if split.certain else 'perhaps '}{who}{where}"


def _gradients(state: State) -> str:
    return _in_order(state.gradients.of(None))


def _in_order(gradients: frozenset[Gradient]) -> str:
    return " or ".join(gradient.value for gradient in Gradient if gradient in gradients)


def _each_gradient(source: SourceFile, state: State) -> str:
    """The gradients of each optimizer that is told apart, and what else is known of them."""
    held = state.gradients
    words = [_gradients(state)]
    if held.named:
        words = [
            f"{_in_order(those)} for the optimizer of {_where(source, site)}" for site, those in held.named
        ]
    if held.met:
        words.append("the replicas have met since backward")
    if held.accumulated:
        words.append("perhaps of several batches")
    recorded = state.engine.gradients
    if recorded.may:
        words.append(_signed(recorded, f"{_weight(recorded)} recorded"))
    return ", ".join(words)


def _parameters(state: State) -> str:
    depends = ", depends on a collective" if state.engine.parameters_reduced else ""
    return _weight(state.engine.parameters) + depends


def _last_cut(source: SourceFile, state: State) -> list[str]:
    """Since which cuts nothing was recorded, and what else the next one finds."""
    engine = state.engine
    words = [
        f"nothing recorded since {cut.cause.value}"
        + ("" if cut.site.is_entry else f" on {_where(source, cut.site)}")
        for cut in engine.idle_since
        if cut.cause is not None
    ]
    words += [
        f"marker on {_where(source, marker.site)}{'' if marker.needed else ' perhaps not needed'}"
        for marker in sorted(engine.markers, key=lambda marker: marker.site)
        if not marker.site.is_entry
    ]
    words += ["the loader's next cut is left out, as a StepTrace has begun"] * engine.skip_cut
    words += ["work that no clock has waited for"] * engine.unwaited
    if engine.clock is not None:
        words.append(f"clock read on {_where(source, engine.clock)}")
    words += ["a part recorded by the forward that runs"] * engine.of_forward
    return words


def _loop(source: SourceFile, state: State) -> list[str]:
    """What the present round, or one before, has done so far."""
    done = state.loop.all
    questions = (
        (done.works, "heavy work"),
        (done.backward, "backward"),
        (done.clears, "gradients dropped"),
        (done.steps, "optimizer step" if done.steps_often else "optimizer step in few rounds"),
        (done.reads or bool(done.fetches), "host read"),
        (done.cuts, "cut" if done.cuts_often else "cut in few rounds"),
        (done.may_cut and not done.cuts, "perhaps cut"),
        (done.opens_step, "step scope"),
        (done.saves, "save"),
        (done.asks, "asked for preemption"),
        (done.moves, "batch moved by hand"),
        (bool(done.closures), "step closure"),
        (bool(done.dynamo), "trained through Dynamo"),
        (state.loop.draws is not None, "random numbers of the device"),
        (state.loop.finds_callers, "what its caller recorded"),
    )
    words = [word for is_so, word in questions if is_so]
    words += [
        f"{cause.value} on {_where(source, site)}"
        for cause, site in sorted(done.cut_by, key=lambda cut: (cut[1], cut[0].value))
        if not site.is_entry
    ]
    trained = {_where(source, each.site) for each in done.trained if not each.site.is_entry}
    words += [f"training on {place}" for place in sorted(trained)]
    return words + [f"met by `{name}`" for name in sorted(done.meets)]


def _fact(fact: Fact) -> str:
    return f"`{fact.subject}` is {'' if fact.holds else 'not '}{fact.value}"


def _engine(state: State) -> str:
    questions = (
        (state.engine.eager, "eager", "lazy", "lazy or eager"),
        (state.replicas.launched, "several replicas", "one replica", "number of replicas"),
        (state.replicas.wrapped, "wrapped model", "model not wrapped", "wrapped model"),
        (state.replicas.spmd, "SPMD", "no SPMD", "SPMD"),
    )
    scopes, replicas = state.scopes, state.replicas
    words = [yes if answer else no for answer, yes, no, _ in questions if answer is not None]
    words += _setup(state)
    words += {True: ["autograd off"], None: ["perhaps autograd off"]}.get(state.scopes.no_grad, [])
    words += ["parameters in parts"] * (replicas.sharded is True)
    if replicas.backend is not None:
        words.append(f"process group of `{replicas.backend}`")
    if scopes.in_loop:
        words.append("in a loop" + " over batches" * scopes.in_batches)
    words += ["every so many rounds"] * scopes.seldom
    if scopes.between is not None:
        words.append("in a generator between whose elements nothing cuts the graph")
    words += ["in a step closure"] * scopes.in_closure + ["in a forward"] * scopes.in_forward
    if state.trust.opaque:
        words.append("a call that xlalint cannot follow may have cut the graph")
    if state.trust.summing:
        words.append("a call that xlalint cannot follow may have summed the gradients")
    if state.trust.raised is not None:
        words.append("behind what raises")
    if state.trust.bounded:
        words.append("incomplete: xlalint stopped following calls")
    unknown = [question for answer, _, _, question in questions if answer is None]
    return "; ".join([", ".join(words), *([f"unknown: {', '.join(unknown)}"] if unknown else [])])


def _setup(state: State) -> list[str]:
    """What is known of the mesh and of sharded parameters, where there is any."""
    mesh, words = state.setup.mesh, []
    if mesh is not None and mesh.names:
        words.append(f"global mesh over {', '.join(mesh.names)}")
    elif state.replicas.spmd and mesh == NO_MESH:
        words.append("no global mesh")
    for one in sorted(state.setup.marked, key=str):
        words.append(f"`{one.name}` sharded as {shown(one.spec)}")
    words += ["persistent cache"] * state.setup.caches
    return words + ["module of the device for PyTorch"] * state.setup.registered


def _obligation(source: SourceFile, owed: Obligation) -> str:
    where = "of a caller" if owed.inherited else f"at {_where(source, owed.path[-1])}"
    detail = f" `{owed.detail}`" if owed.detail else ""
    return f"{owed.owed.value}{detail}, {where}"


def _where(source: SourceFile, site: Site) -> str:
    """`line 12` in the file itself, `other.py:12` elsewhere."""
    if site.path == str(source.path):
        return _line(source, site.line)
    return f"{show(Path(site.path))}:{site.line}"


def _line(source: SourceFile, line: int) -> str:
    if source.notebook is None:
        return f"line {line}"
    cell, line = source.notebook.cell_at(line)
    return f"line {line} of cell {cell}"


def _number(source: SourceFile, line: int) -> str:
    """A line as the user names it: `12`, or `3:2` for the second line of the third cell."""
    return str(line) if source.notebook is None else "{}:{}".format(*source.notebook.cell_at(line))


def _code(source: SourceFile, line: int, columns: int) -> str:
    text = show_control(source.line(line).expandtabs(4).rstrip())
    if width(text) <= columns:
        return text
    while width(text) > columns - 1:
        text = text[:-1]
    return f"{text}…"
