"""What a watched run did, as JSON and as text. The form of the JSON is a contract, as that of `check` is."""

from __future__ import annotations

import json as standard
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from typing import Any

from xlalint.diagnostic import Diagnostic, Seen
from xlalint.output import json, text
from xlalint.output.paint import FAINT, STRONG, Line, Span, plain
from xlalint.runs import Milliseconds, Recompiled, Run, Unattributed, Untrained
from xlalint.sources.file import SourceFile

FORM = 1
"""The form of the JSON; keys are added without a new one."""


class NoRun(ValueError):
    """A file holds no report of a run; the message says why."""


def render(run: Run, indent: int | None = 2) -> str:
    """One object, with the diagnostics as `check` writes them, in pure ASCII.

    Args:
        indent: Of each level, for people who read it; None: all on one line, which is quicker to write.
    """
    held = {"form": FORM, **{name: getattr(run, name) for name in Run.__slots__}}
    held["diagnostics"] = [json.as_object(each) for each in run.diagnostics]
    held["static"] = None if run.static is None else [json.as_object(each) for each in run.static]
    return standard.dumps(held, indent=indent, default=asdict) + "\n"


def read(data: str) -> Run:
    """What `render` wrote.

    Raises:
        NoRun: it is something else.
    """
    try:
        held: dict[str, Any] = standard.loads(data)
        if held["form"] != FORM:
            raise NoRun(f"it has form {held['form']}, and this version of xlalint reads form {FORM}")
        known = {name: held[name] for name in Run.__slots__ if name in held}
        known["diagnostics"] = tuple(json.from_object(each) for each in held["diagnostics"])
        known["unattributed"] = tuple(Unattributed(**each) for each in held["unattributed"])
        known["recompiled"] = tuple(
            Recompiled(**{**each, "diff": tuple(each.get("diff", ()))}) for each in held.get("recompiled", ())
        )
        known["untrained"] = tuple(
            Untrained(**{**each, "names": tuple(each["names"])}) for each in held.get("untrained", ())
        )
        if held.get("static") is not None:
            known["static"] = tuple(json.from_object(each) for each in held["static"])
        known["processes"] = tuple(tuple(each) for each in held.get("processes", ()))
        known["judged"] = tuple(held.get("judged", ()))
        for name in ("asked", "reached"):
            known[name] = {path: tuple(lines) for path, lines in held.get(name, {}).items()}
        known["ms"] = held["ms"] and Milliseconds(**held["ms"])
        known["notes"] = tuple(held["notes"])
        return Run(**known)
    except NoRun:
        raise
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise NoRun(f"it is no report of `xlalint run` ({type(error).__name__}: {error})") from error


def full(run: Run, sources: Mapping[str, SourceFile], columns: int = text.COLUMNS) -> Iterator[Line]:
    """The whole report for people.

    Args:
        sources: The files that diagnostics stand in, by their shown path.
        columns: Where messages are wrapped.
    """
    yield _head(run)
    for note in run.notes:
        yield [Span("note: ", STRONG), Span(note)]
    yield plain("")
    yield from text.full(run.diagnostics, sources, columns)
    yield from _untrained(run)
    yield from _unattributed(run)
    yield from _recompiled(run)
    yield from _worst(run)
    yield _numbers(run)
    yield from _fallbacks(run)
    yield from _times(run)
    yield from _static(run)
    yield _found(run)


def _head(run: Run) -> Line:
    engine = f"{run.engine} engine" if run.engine else "torch_xla was never imported"
    several = f" in {len(run.processes)} processes" if run.processes else " (threads)"
    replicas = f", {run.replicas} replicas{several}" if run.replicas > 1 else ""
    rank = f", rank {run.rank} (process {run.pid})" if run.rank is not None else ""
    counted = run.counted or "steps"
    steps = f", {run.steps} {counted.removesuffix('s') if run.steps == 1 else counted}" if run.engine else ""
    return [Span("xlalint run: ", STRONG), Span(f"{engine}{replicas}{rank}{steps}, {run.end or 'cut short'}")]


def _untrained(run: Run) -> Iterator[Line]:
    for each in run.untrained:
        more = ", ..." if each.count > len(each.names) else ""
        which = "no parameter" if each.is_whole else f"{each.count} of {each.of} parameters"
        verb = "was updated" if each.is_whole else "were not updated"
        names = f": {', '.join(each.names)}{more}" if not each.is_whole else ""
        yield [
            Span("untrained: ", STRONG),
            Span(f"{which} of {each.model} {verb}{names} ({each.why})"),
        ]
    if run.untrained:
        yield plain("")


def _unattributed(run: Run) -> Iterator[Line]:
    for each in run.unattributed:
        where = f"{each.path}:{each.line}"
        if each.after is not None and each.after != each.line:
            where = f"{each.path}:{each.after} to {each.line}"
        yield plain(f"unattributed: {_times_of(each.count, 'launch', 'launches')} at {where}")
    if run.unattributed:
        yield plain("")


def _recompiled(run: Run) -> Iterator[Line]:
    if run.recompiled:
        yield plain("compiled again after the warm-up")
        for each in run.recompiled:
            times = f" (and {each.count - 1} times more)" if each.count > 1 else ""
            yield plain(f"  step {each.step}{times}  {each.path}:{each.line}  {each.why}")
            for line in each.diff:
                yield plain(f"    {line}")
        yield plain("")


def _worst(run: Run) -> Iterator[Line]:
    """The three lines that cost most time or launches."""
    costly = sorted((each for each in run.diagnostics if _cost(each) > (0, 0)), key=_cost, reverse=True)
    if len(costly) > 1:
        yield plain("worst lines")
        for each in costly[:3]:
            assert each.evidence is not None
            yield plain(f"  {each.path}:{each.range.start.line}  {each.code}  {text.seen(each.evidence)}")
        yield plain("")


def _cost(diagnostic: Diagnostic) -> tuple[float, int]:
    evidence = diagnostic.evidence
    if evidence is None:
        return 0, 0
    return evidence.count * (evidence.ms_median or 0), evidence.launches or 0


def _numbers(run: Run) -> Line:
    parts = [f"{run.counted or 'steps'} {run.steps}"]
    if run.launches_per_step is not None:
        expected = run.expected_per_step or 1.0
        parts.append(f"launches per step {run.launches_per_step:.1f} (expected {expected:.1f})")
    else:
        parts.append(f"launches {run.launches}")
    late = f" ({run.late_compiles} after warm-up)" if run.launches_per_step is not None else ""
    parts.append(f"compiles {run.compiles}{late}")
    parts += [f"{name} {count}" for name, count in run.causes.items() if count or name == "unattributed"]
    return plain(" | ".join(parts))


def _fallbacks(run: Run) -> Iterator[Line]:
    if run.fallbacks:
        listed = sorted(run.fallbacks.items(), key=lambda each: (-each[1], each[0]))
        yield plain(f"run on the host: {', '.join(f'{name} {count}' for name, count in listed)}")


def _static(run: Run) -> Iterator[Line]:
    """What the run has shown of what was found by reading."""
    if run.static is None:
        return
    states = Counter(each.seen for each in (*run.diagnostics, *run.static))
    parts = []
    for state in (Seen.CONFIRMED, Seen.ONLY_AT_RUN_TIME, Seen.NOT_OBSERVED, Seen.NOT_REACHED):
        if states[state]:
            places = [f"{each.path}:{each.range.start.line}" for each in run.static if each.seen is state]
            more = f" ({', '.join(places)})" if places else ""
            parts.append(f"{states[state]} {state.value}{more}")
    cost = f"; finding out which lines ran took {run.covering:.2f} s" if run.covering is not None else ""
    yield plain(f"found by reading: {', '.join(parts) or 'nothing'}{cost}")


def _times(run: Run) -> Iterator[Line]:
    if run.ms is not None:
        spent = run.ms
        yield plain(
            f"ms per step: trace {spent.trace:.1f} | wait {spent.wait:.1f} | compile {spent.compile:.1f}"
        )


def _found(run: Run) -> Line:
    found = _times_of(len(run.diagnostics), "diagnostic") if run.diagnostics else "No diagnostics"
    hidden = f" ({run.suppressed} suppressed by comments)" if run.suppressed else ""
    return [Span(found, STRONG), Span(f"{hidden}."), Span(f" {run.seconds:.0f} s", FAINT)]


def _times_of(number: int, noun: str, nouns: str = "") -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {nouns or noun + 's'}"
