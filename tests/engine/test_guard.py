"""The guard sees what happens on the engine, changes nothing of it, and puts back what it replaced."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from fixture_programs import FIXTURES, read_program
from guard_findings import contradictions_of_its_own_guard
from xlalint_runtime.proving.forkserver import ForkServer
from xlalint_runtime.proving.measurement import Job, Measurement
from xlalint_runtime.proving.prove import job, same_numbers

PROGRAMS = Path(__file__).parent / "programs"

SAMPLE = (
    "XLA101/log_in_step.py",
    "XLA102/print_before_next_batch.py",
    "XLA203/break_then_more_training.py",
    "XLA301/trace_me.py",
)


@pytest.mark.parametrize(
    "name",
    [
        pytest.param("names_imported_before", id="names imported before the guard make no difference"),
        pytest.param("rules_of_its_own", id="the model is told what only rules to come will judge"),
        pytest.param(
            "collectives_one_by_one", id="every collective is told, by whichever way it is recorded"
        ),
    ],
)
def test_a_guard_that_a_program_enters_finds_what_is_marked(name: str, server: ForkServer) -> None:
    program = PROGRAMS / f"{name}.py"
    measurement = _run(server, Job(str(program), guarded=False))
    assert measurement.raised is None, measurement.output
    assert not list(contradictions_of_its_own_guard(program, measurement))


def test_a_finding_tells_what_it_cost_and_by_which_calls_it_came(server: ForkServer) -> None:
    program = PROGRAMS / "read_every_batch.py"
    (finding,) = _run(server, Job(str(program))).findings
    lines = {text.strip(): line for line, text in enumerate(program.read_text().splitlines(), start=1)}
    assert finding["code"] == "XLA102"
    assert finding["certainty"] == "definite"
    assert finding["line"] == lines["report(prediction.sum())"]
    assert [line for _, line in finding["related"]] == [lines["show(value)"], lines["print(value.item())"]]
    assert (finding["count"], finding["launches"], finding["compiles"]) == (5, 5, 1)
    assert f"since line {lines['prediction = model(x)']}" in finding["message"]


def test_everything_is_put_back(server: ForkServer) -> None:
    (measurement,) = server.run([Job(str(PROGRAMS / "everything_put_back.py"), guarded=False)])
    assert measurement.numbers == [1.0, 0.0], measurement.output


@pytest.mark.parametrize("path", SAMPLE)
def test_the_guard_changes_nothing(path: str, server: ForkServer) -> None:
    alone = job(read_program(FIXTURES / path, None), 1, None)
    watched, unwatched = (_run(server, replace(alone, guarded=guarded)) for guarded in (True, False))
    assert watched.findings
    assert not unwatched.findings
    for measure in ("launches", "compiles", "pending", "raised", "trained"):
        assert getattr(watched, measure) == getattr(unwatched, measure)
    assert same_numbers(watched.numbers or [], unwatched.numbers or [], None)


def _run(server: ForkServer, one: Job) -> Measurement:
    (measurement,) = server.run([one])
    assert measurement.error is None
    return measurement
