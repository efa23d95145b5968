"""Whole programs compute the same on the real engine once all their fixes are made, and launch no more.

The device is seeded in every step, or a program with dropout would draw other numbers: see `pinning`.
"""

from __future__ import annotations

import os
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
SCRIPTS = FOLDER.parent.parent / "interpreter"
OF_SEVERAL = frozenset({"XLA002", "XLA404", "XLA501", "XLA508", "XLA510"})
"""Told of the script with ZeRO by reading alone: an old name, what only several replicas do, and a rest of
samples that one does not leave."""
QUICK = frozenset({"loop_with_callbacks", "student_of_a_teacher", "two_replicas"})
"""Those that run for every change; compiling the others takes longer."""
OPTIMIZED = "--xla_backend_optimization_level=0" not in os.environ.get("XLA_FLAGS", "")
"""Whether the compiler optimizes: then it fuses a step with what comes before it in one graph."""
LAST_BITS = 1e-6
"""How far, relatively, numbers may differ where other operations are fused: some units in the last place."""

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
        if program.tolerance is None:
            assert after.parameters is not None
            assert same_numbers(before.parameters, after.parameters, LAST_BITS if OPTIMIZED else None)


@pytest.mark.soak
def test_without_a_seed_in_each_step_dropout_draws_other_numbers(server: ForkServer, tmp_path: Path) -> None:
    program = PROGRAMS["bert_with_amp"]
    assert program.fixed is not None
    texts = {"before": program.entry.read_text(), "after": program.fixed.entry.read_text()}
    found = runs(server, tmp_path, texts, "bert_with_amp")
    assert found["before"].numbers and found["after"].numbers
    assert not same_numbers(found["before"].numbers, found["after"].numbers, 1e-4)


@pytest.mark.parametrize(
    ("bad", "cured", "by_reading"),
    [
        pytest.param("zero_training/main.py", "zero_training_cured/main.py", OF_SEVERAL, id="ZeRO"),
        pytest.param("decoding.py", "decoding_cured.py", frozenset(), id="decoding"),
    ],
)
def test_a_script_does_on_one_replica_what_reading_it_says(
    bad: str, cured: str, by_reading: frozenset[str], server: ForkServer
) -> None:
    """What needs several replicas is told by reading alone: of ZeRO's, each updates another part of the
    parameters."""
    found = measure_on(server, [Job(str(SCRIPTS / name)) for name in (bad, cured)])
    before, after = (found[str(SCRIPTS / name)] for name in (bad, cured))
    for run in (before, after):
        assert (run.raised, run.aborted, run.error) == (None, None, None), run.output
    seen = {(Path(finding["path"]).name, finding["line"], finding["code"]) for finding in before.findings}
    assert seen == {mark for mark in _marks(SCRIPTS / bad) if mark[-1] not in by_reading}
    assert not after.findings
    assert before.launches is not None and after.launches is not None
    assert after.launches < before.launches


def test_a_script_with_fsdpv2_raises_and_is_silent_after_its_cures(server: ForkServer) -> None:
    """Before them it ends at the first mistake that raises: reading it tells of all."""
    before, after = server.run(
        [Job(str(SCRIPTS / f"tuned_by_fsdpv2{of}.py"), devices=4, request={}) for of in ("", "_cured")]
    )
    assert before.raised == "ValueError"
    assert before.run is not None and after.run is not None
    assert {found["code"] for found in before.run["diagnostics"]} == {"XLA805", "XLA812"}
    assert (after.raised, after.aborted, after.error) == (None, None, None), after.output
    assert not after.run["diagnostics"]
    assert after.run["launches_per_step"] == after.run["expected_per_step"] == 1.0


def _marks(entry: Path) -> set[tuple[str, int, str]]:
    return {
        (path.name, number, code)
        for path in (entry.parent.glob("*.py") if entry.stem == "main" else [entry])
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1)
        if (match := re.search(r"# expect: (.+)", line))
        for code in re.findall(r"XLA\d+", match[1])
    }
