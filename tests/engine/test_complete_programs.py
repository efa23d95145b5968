"""Whole programs compute the same on the real engine once all their fixes are made, and launch no more.

The device is seeded in every step, or a program with dropout would draw other numbers: see `pinning`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from fixture_programs import read_program
from pinning import pinned
from xlalint_runtime.proving.forkserver import ForkServer
from xlalint_runtime.proving.measurement import Job, Measurement
from xlalint_runtime.proving.prove import job, measure_on, same_numbers

FOLDER = Path(__file__).parent.parent / "fixes" / "complete"

PROGRAMS = {
    path.stem: read_program(path, None)
    for path in sorted(FOLDER.glob("*.py"))
    if not path.stem.endswith(".fixed")
}
ZERO = [FOLDER.parent.parent / "interpreter" / name for name in ("zero_training", "zero_training_cured")]
OF_SEVERAL = frozenset({"XLA002", "XLA404", "XLA501", "XLA508", "XLA510"})
"""Told of that script by reading alone: an old name, what only several replicas do, and a rest of samples
that one does not leave."""
QUICK = frozenset({"loop_with_callbacks", "two_replicas"})
"""Those that run for every change; compiling the others takes longer."""

NAMES = [name if name in QUICK else pytest.param(name, marks=pytest.mark.soak) for name in PROGRAMS]


def runs(server: ForkServer, folder: Path, texts: Mapping[str, str], name: str) -> dict[str, Measurement]:
    """What some texts of a program do on the engine."""
    paths = {}
    for which, text in texts.items():
        paths[which] = folder / f"{which}.py"
        paths[which].write_text(text)
    program = PROGRAMS[name]
    jobs = [
        replace(
            job(program, program.replicas, None, program.devices),
            program=str(path),
            guarded=False,
            timeout=300,
        )
        for path in paths.values()
    ]
    found = measure_on(server, jobs)
    return {which: found[str(path)] for which, path in paths.items()}


@pytest.mark.parametrize("name", NAMES)
def test_a_whole_program_computes_the_same_after_its_fixes(
    name: str, server: ForkServer, tmp_path: Path
) -> None:
    program = PROGRAMS[name]
    assert program.fixed is not None
    texts = {
        "before": pinned(program.entry.read_text(encoding="utf-8")),
        "after": pinned(program.fixed.entry.read_text(encoding="utf-8")),
    }
    found = runs(server, tmp_path, texts, name)
    before, after = found["before"], found["after"]
    for run in (before, after):
        assert (run.raised, run.aborted, run.error, run.pending) == (None, None, None, 0), run.output
    (proof,) = program.proofs
    assert (str(before.launches), str(after.launches)) == (proof.before, proof.after)
    assert int(proof.after or 0) <= int(proof.before)
    assert before.numbers and after.numbers
    assert same_numbers(before.numbers, after.numbers, program.tolerance)
    if before.parameters is not None:
        assert before.trained
        # What eager mode computes by single operations is not equal bit for bit once it is compiled.
        assert before.parameters == after.parameters or program.tolerance is not None


@pytest.mark.soak
def test_without_a_seed_in_each_step_dropout_draws_other_numbers(server: ForkServer, tmp_path: Path) -> None:
    program = PROGRAMS["bert_with_amp"]
    assert program.fixed is not None
    texts = {"before": program.entry.read_text(), "after": program.fixed.entry.read_text()}
    found = runs(server, tmp_path, texts, "bert_with_amp")
    assert found["before"].numbers and found["after"].numbers
    assert not same_numbers(found["before"].numbers, found["after"].numbers, 1e-4)


def test_a_script_with_zero_does_on_one_replica_what_reading_it_says(server: ForkServer) -> None:
    """What needs several replicas is told by reading alone: of ZeRO's, each updates another part of the
    parameters, and replicas as threads must record the same graph."""
    jobs = [Job(str(path / "main.py")) for path in ZERO]
    found = measure_on(server, jobs)
    bad, cured = (found[job.program] for job in jobs)
    for run in (bad, cured):
        assert (run.raised, run.aborted, run.error) == (None, None, None), run.output
    seen = {(Path(finding["path"]).name, finding["line"], finding["code"]) for finding in bad.findings}
    said = {mark for mark in _marks(ZERO[0]) if mark[-1] not in OF_SEVERAL}
    assert seen == said
    assert not cured.findings
    assert bad.launches is not None and cured.launches is not None
    assert cured.launches < bad.launches


def _marks(folder: Path) -> set[tuple[str, int, str]]:
    return {
        (path.name, number, code)
        for path in folder.glob("*.py")
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1)
        if (match := re.search(r"# expect: (.+)", line))
        for code in re.findall(r"XLA\d+", match[1])
    }
