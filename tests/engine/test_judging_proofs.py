"""A proof fails for every measure that is not what its program states."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from fixture_programs import Program, read_program
from xlalint_runtime.proving.measurement import Measurement
from xlalint_runtime.proving.prove import jobs, judge, observed

BAD = Measurement(
    "bad.py", launches=20, compiles=3, pending=0, trained=True, numbers=[0.1, 0.2], reseeded=[0.1, 0.3]
)
CURE = replace(BAD, program="cure.py", launches=10, compiles=2)


@pytest.fixture
def program(tmp_path: Path) -> Program:
    bad = tmp_path / "bad.py"
    bad.write_text(
        "# proof: launches 20 -> 10\nprint()  # expect: XLA101\nprint()  # missed: XLA101 so it is\n"
    )
    (tmp_path / "bad.fixed.py").write_text("print()\n")
    return read_program(bad, "XLA101")


def test_it_holds_when_all_is_as_stated(program: Program) -> None:
    verdict = judge(program, BAD, CURE)
    assert verdict.failures == ()
    assert verdict.line == "launches 20 -> 10 (measured), numbers equal bit for bit"


@pytest.mark.parametrize(
    "bad",
    [
        replace(BAD, launches=19),
        replace(BAD, launches=None),
        replace(BAD, numbers=[0.1, 0.20000000000000004]),
        replace(BAD, numbers=[0.1]),
        replace(BAD, numbers=None),
        replace(BAD, raised="RuntimeError"),
        replace(BAD, aborted="SIGABRT"),
        replace(BAD, error="the harness broke"),
    ],
)
def test_it_fails_when_the_program_does_something_else(program: Program, bad: Measurement) -> None:
    assert judge(program, bad, CURE).failures


def test_it_fails_when_the_cure_does_something_else(program: Program) -> None:
    assert judge(program, BAD, replace(CURE, launches=11)).failures
    assert judge(program, BAD, replace(CURE, raised="RuntimeError")).failures


def test_it_fails_when_nothing_that_is_measured_differs(program: Program) -> None:
    (launches,) = program.proofs
    same = replace(program, proofs=(launches._replace(after="20"),))
    assert judge(same, BAD, BAD).failures
    assert judge(replace(same, no_proof="a matter of style"), BAD, BAD).failures == ()


@pytest.mark.parametrize("reseeded", [[0.1, 0.2], None])
def test_it_fails_when_the_numbers_do_not_depend_on_the_seed(
    program: Program, reseeded: list[float] | None
) -> None:
    cure = replace(CURE, reseeded=reseeded)
    assert judge(program, BAD, cure).failures
    assert judge(program, replace(BAD, reseeded=reseeded), cure).failures


def test_numbers_that_equal_the_cures_depend_on_the_seed_as_they_do(program: Program) -> None:
    assert judge(program, replace(BAD, reseeded=None), CURE).failures == ()
    assert {job.other_seed for job in jobs(program) if job.program == str(program.entry)} == {None}


@pytest.mark.parametrize("reseeded", [[0.1, 0.2], None])
def test_numbers_that_are_compared_with_nothing_must_depend_on_the_seed_themselves(
    program: Program, reseeded: list[float] | None
) -> None:
    trained = program.proofs[0]._replace(measure="trained", before="no", after="yes")
    stated = replace(program, proofs=(trained,))
    bad = replace(BAD, trained=False)
    assert judge(stated, bad, CURE).failures == ()
    assert judge(stated, replace(bad, reseeded=reseeded), CURE).failures
    assert {job.other_seed for job in jobs(stated) if job.program == str(program.entry)} == {1}


def test_it_fails_when_the_numbers_are_the_same_constants_on_both_sides(program: Program) -> None:
    bad, cure = (replace(run, numbers=[1.0], reseeded=[1.0]) for run in (BAD, CURE))
    assert judge(program, bad, cure).failures


def test_it_fails_without_the_cure_or_with_cure_and_program_in_each_others_place(tmp_path: Path) -> None:
    one, other = tmp_path / "bad.py", tmp_path / "bad.fixed.py"
    one.write_text("print()\n")
    other.write_text("# proof: launches 20 -> 10\nprint()\n")
    assert judge(read_program(one, "XLA101"), CURE, BAD).failures
    one.write_text(other.read_text())
    other.unlink()
    assert judge(read_program(one, "XLA101"), BAD, None).failures


def test_numbers_may_differ_by_a_stated_tolerance(program: Program) -> None:
    near = replace(CURE, numbers=[0.1, 0.2000001])
    assert judge(program, BAD, near).failures
    verdict = judge(replace(program, tolerance=1e-5), BAD, near)
    assert verdict.failures == ()
    assert verdict.line.endswith("numbers equal within 1e-05")


def test_numbers_are_not_compared_when_the_program_breaks_down(program: Program) -> None:
    stated = replace(
        program, proofs=(program.proofs[0]._replace(measure="raises", before="KeyError", after="none"),)
    )
    broken = replace(BAD, raised="KeyError", numbers=None, reseeded=None)
    assert judge(stated, broken, CURE).failures == ()


def test_the_guard_must_see_the_hazard_at_a_marked_line_and_not_in_the_cure(program: Program) -> None:
    def seen(line: int, code: str = "XLA101") -> Measurement:
        return replace(BAD, findings=[{"code": code, "path": str(program.entry), "line": line}])

    assert observed(program, seen(2), CURE) == ()
    assert observed(program, seen(3), CURE) == (), "the guard may see what the analyzer misses"
    assert observed(program, seen(1), CURE)
    assert observed(program, seen(2, "XLA102"), CURE)
    assert observed(program, BAD, CURE)
    assert observed(program, seen(2), seen(2))
