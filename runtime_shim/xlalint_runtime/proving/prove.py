"""Runs the proof of a rule: its bad programs and their cures, on the real engine, and what they did.

The programs come with a checkout of the project, not with an installed wheel.
"""

from __future__ import annotations

import importlib.util
import math
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from types import ModuleType
from typing import Any

from xlalint.registry import find, is_guarded
from xlalint_runtime.proving.forkserver import ForkServer
from xlalint_runtime.proving.measurement import REPLICAS_TIMEOUT, TIMEOUT, Job, Measurement

_OTHER_SEED = 1
_CHECKOUT = Path(__file__).resolve().parents[3]


class NoProof(Exception):
    """There is nothing to run: no checkout, no engine, or no program for this rule."""


@dataclass(frozen=True)
class Verdict:
    """What running a program and its cure has shown.

    Args:
        line: The measures, as shown to the user.
        failures: Every way in which they are not what the program states; empty: proven.
    """

    line: str
    failures: tuple[str, ...]


def prove(code: str) -> int:
    """Run every proof of the rule with this code and print what was measured.

    Returns:
        0 when all hold, 1 when one does not, 2 when there is nothing to run.
    """
    try:
        programs = _fixture_programs().bad_programs(code)
        if not programs:
            raise NoProof(f"no program proves {code}")
        require_engine()
    except NoProof as reason:
        print(f"{code}: not run: {reason}")
        return 2
    runs = measure(job for program in programs for job in jobs(program))
    failed = False
    for program in programs:
        bad = runs[str(program.entry)]
        fixed = runs[str(program.fixed.entry)] if program.fixed is not None else None
        verdict = judge(program, bad, fixed)
        if is_guarded(find(code)) and fixed is not None:
            unseen = observed(program, bad, fixed)
            seen = "" if unseen else ", seen by the guard"
            verdict = Verdict(verdict.line + seen, verdict.failures + unseen)
        excuse = f"; no proof: {program.no_proof}" if program.no_proof is not None else ""
        print(f"{code} {program.root.name}: {verdict.line}{excuse}")
        for failure in verdict.failures:
            print(f"  FAILED: {failure}")
        failed |= bool(verdict.failures)
    return int(failed)


def require_engine() -> None:
    """Raises: NoProof: torch_xla is not installed, as where there is no wheel of it."""
    for name in ("torch", "torch_xla"):
        if importlib.util.find_spec(name) is None:
            raise NoProof("no wheel")


def jobs(program: Any) -> Iterator[Job]:
    """What must be run to prove a program: itself, and its cure when it has one.

    The cure is run under another seed too, for what main() returns and nothing else. So is the program
    where its numbers are not compared with those of the cure, unless it states that it never comes to the
    end of main(): numbers that equal the cure's say as much as they do.
    """
    for one in (program, program.fixed):
        if one is not None:
            first = job(one, program.replicas, program.code, program.devices)
            says_nothing_else = one is program.fixed or not (_breaks_down(program) or _is_compared(program))
            yield replace(first, other_seed=_OTHER_SEED) if says_nothing_else else first


def job(program: Any, replicas: int, code: str | None, devices: int | None = None) -> Job:
    """How one program is run on so many replicas, or sharded over so many devices.

    The guard judges by the rule with this code even where that is off by default. One that is off may
    speak of what is so in this run only, and None is for programs in which that is no harm.
    """
    several = replicas > 1
    return Job(
        str(program.entry),
        replicas=replicas,
        also=() if code is None else (code,),
        devices=devices,
        # Reading parameters from one thread while work is pending on several replicas would hang.
        trained=not several,
        timeout=REPLICAS_TIMEOUT if several else TIMEOUT,
    )


def measure(jobs: Iterable[Job]) -> dict[str, Measurement]:
    """What each of the programs did, by its path; each job is run on an engine of its own."""
    with ForkServer() as server:
        return measure_on(server, jobs)


def measure_on(server: ForkServer, jobs: Iterable[Job]) -> dict[str, Measurement]:
    """The same on an engine that has started already."""
    unique = {job.program: job for job in jobs}
    # Those that wait for a lost replica take longest: they come first, and nobody waits for them last.
    ordered = sorted(unique.values(), key=lambda job: -job.replicas)
    runs = {run.program: run for run in server.run(ordered)}
    runs |= {run.program: run for run in server.run(job for job in ordered if _by_chance(job, runs))}
    # A program that cannot be run again in its process, or says the same there, is run in one of its own.
    again = [
        replace(job, seed=job.other_seed, other_seed=None, guarded=False, trained=False)
        for job in ordered
        if job.other_seed is not None and (run := runs[job.program]).reseeded in (None, run.numbers)
    ]
    reseeded = {run.program: run.numbers for run in server.run(again)}
    # Under the other seed the guard puts no order into what replicas launch. On a busy machine they may
    # starve each other then, which says nothing of the program: its first run has come to its end.
    starved = [
        job
        for job in again
        if job.replicas > 1 and reseeded[job.program] is None and runs[job.program].numbers is not None
    ]
    reseeded |= {run.program: run.numbers for run in server.run(starved)}
    return runs | {program: replace(runs[program], reseeded=found) for program, found in reseeded.items()}


def _by_chance(job: Job, runs: Mapping[str, Measurement]) -> bool:
    """Whether chance may have ended the program: what it does by itself, it does when it is run again.

    torch breaks down in about one of 2,500 runs where two replicas record gradients at the same moment
    (measured: the threads of both are in `_engine_run_backward`), and on a busy machine replicas may
    starve each other.
    """
    return job.replicas > 1 and runs[job.program].aborted in ("SIGSEGV", "timeout")


def judge(program: Any, bad: Measurement, fixed: Measurement | None) -> Verdict:
    """Compare what was measured with every `# proof:` line of the program.

    A clean program has one state per measure, a bad one another after its cure. What main() returned
    must depend on the seed, and be equal for bad and cured program unless the bad one never got that far.
    """
    failures = list(program.lacks)
    runs = [(run, whose) for run, whose in ((bad, "program"), (fixed, "cure")) if run is not None]
    failures += [f"the harness: {run.error}" for run, _ in runs if run.error]
    shown = []
    differs = False
    for proof in program.proofs:
        before = measured(bad, proof.measure, program.replicas)
        after = measured(fixed, proof.measure, program.replicas) if fixed is not None else None
        shown.append(f"{proof.measure} {before}" + (f" -> {after}" if after is not None else ""))
        differs |= before != after
        if before != proof.before:
            failures.append(f"{proof.measure} was {before}, the program states {proof.before}")
        if after != proof.after:
            failures.append(f"{proof.measure} of the cure was {after}, the program states {proof.after}")
    if fixed is not None and program.no_proof is None and not differs:
        failures.append("nothing that was measured differs after the cure")
    for run, whose in runs:
        for measure_name in ("raises", "aborts"):
            stated = any(proof.measure == measure_name for proof in program.proofs)
            if not stated and measured(run, measure_name) not in ("no", "none"):
                failures.append(f"the {whose} {measure_name} {measured(run, measure_name)}: {run.output}")
        if not run.raised and not run.aborted and (run is fixed or not _is_compared(program)):
            failures += _numbers_that_say_nothing(run, whose)
    line = ", ".join(shown) + " (measured)"
    if fixed is None or bad.raised or bad.aborted or not _is_compared(program):
        return Verdict(line, tuple(failures))
    if bad.numbers is None or fixed.numbers is None:
        return Verdict(line, (*failures, "there are no numbers to compare"))
    if same_numbers(bad.numbers, fixed.numbers, None):
        line += ", numbers equal bit for bit"
    elif program.tolerance is not None and same_numbers(bad.numbers, fixed.numbers, program.tolerance):
        line += f", numbers equal within {program.tolerance:g}"
    else:
        failures.append(f"numbers differ: {bad.numbers} and {fixed.numbers}")
    return Verdict(line, tuple(failures))


def _numbers_that_say_nothing(run: Measurement, whose: str) -> Iterator[str]:
    """Why nothing follows when main() of this run returns the same as another program's."""
    if run.numbers is None:
        yield f"main() of the {whose} returned no numbers"
    elif run.reseeded is None:
        yield f"main() of the {whose} returned no numbers under another seed"
    elif same_numbers(run.numbers, run.reseeded, None):
        yield f"main() of the {whose} returns {run.numbers} under every seed"


def observed(program: Any, bad: Measurement, fixed: Measurement) -> tuple[str, ...]:
    """Every way in which the guard did not see the hazard in the program, or saw it in its cure.

    It must report the rule at a line that the program marks with it, also at one that the analyzer is
    known to miss, but not where both are, and nowhere in the cure.
    """
    failures = []
    marks = (*program.expectations, *(mark for mark in program.missed if not mark.by_both))
    marked = {(str(mark.path), mark.line) for mark in marks if mark.code == program.code}
    seen = {(f["path"], f["line"]) for f in bad.findings if f["code"] == program.code}
    if marked.isdisjoint(seen) and (marked or seen):
        failures.append(f"the guard saw {program.code} at {sorted(seen)}, expected at {sorted(marked)}")
    failures += [
        f"the guard saw {program.code} in the cure, line {finding['line']}"
        for finding in fixed.findings
        if finding["code"] == program.code
    ]
    return tuple(failures)


def measured(measurement: Measurement, measure: str, replicas: int = 1) -> str:
    """One measure, spelled as in a `# proof:` line.

    `diverged` tells whether the numbers that the `replicas` return, their parameters at the end, are
    not the same on all of them.
    """
    if measure == "raises":
        return measurement.raised or "none"
    if measure == "aborts":
        return "yes" if measurement.aborted else "no"
    if measure == "diverged":
        numbers = measurement.numbers
        if not numbers:
            return "unknown"
        return "no" if numbers == numbers[: len(numbers) // replicas] * replicas else "yes"
    value = getattr(measurement, measure)
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "unknown" if value is None else str(value)


def same_numbers(one: list[float], other: list[float], tolerance: float | None) -> bool:
    """Whether two programs computed the same: bit for bit, or within a relative tolerance."""
    if len(one) != len(other):
        return False
    if tolerance is None:
        return all(a.hex() == b.hex() for a, b in zip(one, other, strict=True))
    return all(
        math.isclose(a, b, rel_tol=tolerance, abs_tol=tolerance) for a, b in zip(one, other, strict=True)
    )


def _breaks_down(program: Any) -> bool:
    """Whether the program states that an exception or a signal ends it."""
    return any(
        proof.measure in ("raises", "aborts") and proof.before not in ("none", "no")
        for proof in program.proofs
    )


def _is_compared(program: Any) -> bool:
    """Whether the numbers of the program must equal those of its cure."""
    otherwise = any(proof.measure in ("trained", "diverged") for proof in program.proofs)
    return program.fixed is not None and not otherwise


def _fixture_programs() -> ModuleType:
    path = _CHECKOUT / "tests" / "fixture_programs.py"
    if not path.is_file():
        raise NoProof("proofs need a checkout of the project; its programs are not in the wheel")
    spec = importlib.util.spec_from_file_location("fixture_programs", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def _show(paths: list[str]) -> None:
    """Measure programs and print all there is to know of each, for those who write proofs."""
    read_program = _fixture_programs().read_program
    programs = [replace(read_program(Path(path).resolve(), None), fixed=None) for path in paths]
    found = measure(job for program in programs for job in jobs(program))
    for program in programs:
        one = found[str(program.entry)]
        measures = ("launches", "compiles", "pending", "raises", "aborts", "trained")
        print(f"{program.root.name}: " + ", ".join(f"{name} {measured(one, name)}" for name in measures))
        print(f"  main() returned {one.numbers}, and under another seed {one.reseeded}")
        for finding in one.findings:
            print(f"  guard: {finding['path']}:{finding['line']}: {finding['code']} {finding['message']}")
        if one.error:
            print(f"  HARNESS ERROR {one.error}")
        if one.error or one.raised or one.aborted:
            print("  | " + "\n  | ".join(one.output.splitlines()[-25:]))


if __name__ == "__main__":
    if len(sys.argv) < 3 or sys.argv[1] != "--measure":
        sys.exit("usage: python -m xlalint_runtime.proving.prove --measure PROGRAM...")
    _show(sys.argv[2:])
