"""Every fixture program does on the real engine what it states, and its cure does not."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from fixture_programs import Program, bad_programs, clean_programs, read_program
from guard_findings import GUARDED, contradictions
from xlalint.lazy.events import BoundReached, FileUnreadable, SuppressionUnexplained, SuppressionUnused
from xlalint.registry import all_rules
from xlalint_runtime.proving.measurement import Measurement
from xlalint_runtime.proving.prove import judge, observed

Measured = dict[str, Measurement]

BAD = bad_programs()
PROVEN = [program for program in BAD if program.no_proof is None]
BY_RULE = {
    code: [program for program in PROVEN if program.code == code]
    for code in sorted({program.code for program in PROVEN if program.code})
}


@pytest.mark.parametrize("program", BAD, ids=lambda program: program.id)
def test_a_hazard_is_measured_and_its_cure_is_too(program: Program, measured: Measured) -> None:
    bad, fixed = _both(program, measured)
    assert not judge(program, bad, fixed).failures


@pytest.mark.parametrize("program", clean_programs(), ids=lambda program: program.id)
def test_a_clean_program_does_what_it_states(program: Program, measured: Measured) -> None:
    assert not judge(program, measured[str(program.entry)], None).failures


@pytest.mark.parametrize(
    "program", [program for program in BAD if program.code in GUARDED], ids=lambda program: program.id
)
def test_the_guard_sees_the_hazard_and_not_in_its_cure(program: Program, measured: Measured) -> None:
    bad, fixed = _both(program, measured)
    assert fixed is not None
    assert not observed(program, bad, fixed)


@pytest.mark.parametrize("program", clean_programs(), ids=lambda program: program.id)
def test_the_guard_is_silent_on_clean_programs(program: Program, measured: Measured) -> None:
    """But for the remarks that are marked there."""
    assert not list(contradictions(program, measured[str(program.entry)]))


@pytest.mark.parametrize("program", BAD, ids=lambda program: program.id)
def test_the_guard_speaks_where_the_analyzer_does_and_nowhere_else(
    program: Program, measured: Measured
) -> None:
    for one in (program, program.fixed):
        if one is not None:
            assert not list(contradictions(one, measured[str(one.entry)]))


@pytest.mark.parametrize("programs", BY_RULE.values(), ids=list(BY_RULE))
def test_a_proof_fails_when_program_and_cure_are_swapped(programs: list[Program], measured: Measured) -> None:
    for program in programs:
        bad, fixed = _both(program, measured)
        assert fixed is not None
        assert judge(program, fixed, bad).failures, program.id
        if program.code in GUARDED and any(found["code"] == program.code for found in bad.findings):
            assert observed(program, fixed, bad), program.id


@pytest.mark.parametrize("program", BAD, ids=lambda program: program.id)
def test_a_proof_fails_when_the_files_of_program_and_cure_are_swapped_or_the_cure_is_deleted(
    program: Program, measured: Measured, tmp_path: Path
) -> None:
    assert program.fixed is not None
    bad, fixed = _both(program, measured)
    assert fixed is not None
    one, other = tmp_path / program.root.name, tmp_path / program.fixed.root.name
    _copy(program.fixed.root, one)
    _copy(program.root, other)
    assert judge(read_program(one, program.code), fixed, bad).failures
    _remove(one)
    other.rename(one)
    assert judge(read_program(one, program.code), bad, None).failures


def test_only_rules_whose_harm_the_engine_cannot_show_are_without_proof() -> None:
    proven = set(BY_RULE)
    excused = {program.code for program in BAD if program.no_proof is not None}
    of_the_source = {FileUnreadable, SuppressionUnexplained, SuppressionUnused, BoundReached}
    judged = {rule.code for rule in all_rules() if set(rule.events) - of_the_source}
    assert judged - proven - excused == set()


def _copy(root: Path, to: Path) -> None:
    if root.is_dir():
        shutil.copytree(root, to)
    else:
        shutil.copy(root, to)


def _remove(root: Path) -> None:
    if root.is_dir():
        shutil.rmtree(root)
    else:
        root.unlink()


def _both(program: Program, measured: Measured) -> tuple[Measurement, Measurement | None]:
    cure = measured[str(program.fixed.entry)] if program.fixed is not None else None
    return measured[str(program.entry)], cure
