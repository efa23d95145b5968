"""The reports of the processes of one launch as one report."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from statistics import median
from typing import Any

from xlalint.diagnostic import Diagnostic, Evidence
from xlalint.runs import Milliseconds, Run


class NotOneLaunch(ValueError):
    """Reports that do not belong together; the message says why."""


def merged(runs: Sequence[Run]) -> Run:
    """One report of all: launches and what was found are added up, steps are those of the fastest process.

    Raises:
        NotOneLaunch: two of them are of one process, or of different programs.
    """
    programs = {run.program for run in runs}
    if len(programs) > 1:
        raise NotOneLaunch(f"these are reports of different programs: {', '.join(sorted(programs))}")
    processes = Counter((run.rank, run.pid) for run in runs)
    twice = [f"rank {rank} (process {pid})" for (rank, pid), count in processes.items() if count > 1]
    if twice:
        raise NotOneLaunch(f"{twice[0]} is named twice")
    runs = sorted(runs, key=lambda run: (run.rank is None, run.rank or 0, run.pid))
    first = runs[0]
    if len(runs) == 1:
        return first
    return replace(
        first,
        engine=next((run.engine for run in runs if run.engine), ""),
        replicas=sum(run.replicas for run in runs),
        processes=tuple((run.rank, run.pid, run.end or "cut short") for run in runs),
        end=_end(runs),
        steps=max(run.steps for run in runs),
        launches=sum(run.launches for run in runs),
        causes=_added(run.causes for run in runs),
        compiles=sum(run.compiles for run in runs),
        late_compiles=sum(run.late_compiles for run in runs),
        launches_per_step=_mean(run.launches_per_step for run in runs),
        expected_per_step=_mean(run.expected_per_step for run in runs),
        ms=_milliseconds([run.ms for run in runs if run.ms is not None]),
        unattributed=tuple(each for run in runs for each in run.unattributed),
        recompiled=tuple(dict.fromkeys(each for run in runs for each in run.recompiled)),
        fallbacks=_added(run.fallbacks for run in runs),
        untrained=tuple(dict.fromkeys(each for run in runs for each in run.untrained)),
        diagnostics=tuple(_together(each for run in runs for each in run.diagnostics)),
        suppressed=max(run.suppressed for run in runs),
        notes=_notes(runs),
        files=_files(runs),
        reached=_lines(run.reached for run in runs),
        asked=_lines(run.asked for run in runs),
        rank=None,
        pid=0,
        seconds=max(run.seconds for run in runs),
    )


def _end(runs: Sequence[Run]) -> str:
    ends = {run.end or "cut short" for run in runs}
    if len(ends) == 1:
        return ends.pop()
    return "; ".join(f"rank {run.rank} {run.end or 'cut short'}" for run in runs)


def _notes(runs: Sequence[Run]) -> tuple[str, ...]:
    """What all say once, and of the rest who says it."""
    said: dict[str, list[Run]] = {}
    for run in runs:
        for note in run.notes:
            said.setdefault(note, []).append(run)
    return tuple(
        note if len(held) == len(runs) else f"rank {', '.join(str(run.rank) for run in held)}: {note}"
        for note, held in said.items()
    )


def _files(runs: Sequence[Run]) -> dict[str, str]:
    """Digests; an empty one where processes loaded different texts."""
    found: dict[str, str] = {}
    for run in runs:
        for path, known in run.files.items():
            found[path] = known if found.get(path, known) == known else ""
    return found


def _lines(held: Iterable[dict[str, tuple[int, ...]]]) -> dict[str, tuple[int, ...]]:
    found: dict[str, set[int]] = {}
    for lines in held:
        for path, numbers in lines.items():
            found.setdefault(path, set()).update(numbers)
    return {path: tuple(sorted(numbers)) for path, numbers in found.items()}


def _together(found: Iterable[Diagnostic]) -> list[Diagnostic]:
    """One diagnostic for each rule and place, with what all processes counted there."""
    held: dict[tuple[Any, ...], list[Diagnostic]] = {}
    for each in found:
        held.setdefault((each.code, each.path, each.range), []).append(each)
    made = [replace(same[0], evidence=_evidence(same)) for same in held.values()]
    return sorted(made, key=lambda each: each.order)


def _evidence(same: Sequence[Diagnostic]) -> Evidence | None:
    held = [each.evidence for each in same if each.evidence is not None]
    if not held:
        return None
    times = [each.ms_median for each in held if each.ms_median is not None]
    return Evidence(
        sum(each.count for each in held),
        per_step=_mean(each.per_step for each in held),
        ms_median=median(times) if times else None,
        launches=_sum(each.launches for each in held),
        compiles=_sum(each.compiles for each in held),
        replicas=_sum(each.replicas for each in held),
    )


def _sum(numbers: Iterable[int | None]) -> int | None:
    known = [number for number in numbers if number is not None]
    return sum(known) if known else None


def _mean(numbers: Iterable[float | None]) -> float | None:
    known = [number for number in numbers if number is not None]
    return sum(known) / len(known) if known else None


def _milliseconds(held: Sequence[Milliseconds]) -> Milliseconds | None:
    if not held:
        return None
    parts = ([getattr(each, name) for each in held] for name in ("trace", "wait", "compile"))
    return Milliseconds(*(sum(each) / len(held) for each in parts))


def _added(held: Iterable[dict[str, int]]) -> dict[str, int]:
    """Sums by name, `unattributed` last."""
    added: Counter[str] = Counter()
    for counts in held:
        added.update(counts)
    last = "unattributed"
    return {name: added[name] for name in sorted(added, key=lambda name: name == last)}
