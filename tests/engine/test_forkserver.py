"""The fork server tells every way in which a program ends, and goes on with the next."""

from __future__ import annotations

from pathlib import Path

import pytest

from xlalint_runtime.proving.forkserver import ForkServer
from xlalint_runtime.proving.measurement import Job, Measurement

PROGRAMS = Path(__file__).parent / "programs"


@pytest.fixture(scope="module")
def ended(server: ForkServer) -> dict[str, Measurement]:
    programs = ("ends_by_exception", "ends_by_signal", "never_ends", "leaves_a_process_behind")
    jobs = [Job(str(PROGRAMS / f"{name}.py"), timeout=3.0) for name in (*programs, "no_such_file")]
    return {Path(measurement.program).stem: measurement for measurement in server.run(jobs)}


def test_an_exception_is_named(ended: dict[str, Measurement]) -> None:
    assert ended["ends_by_exception"].raised == "LookupError"
    assert "nothing here" in ended["ends_by_exception"].output


def test_a_signal_is_named(ended: dict[str, Measurement]) -> None:
    assert ended["ends_by_signal"].aborted == "SIGSEGV"


def test_a_program_that_never_ends_is_killed(ended: dict[str, Measurement]) -> None:
    assert ended["never_ends"].aborted == "timeout"


def test_what_a_program_started_is_killed_with_it(ended: dict[str, Measurement]) -> None:
    assert ended["leaves_a_process_behind"].aborted is None
    assert ended["leaves_a_process_behind"].numbers == [1.0]


def test_what_is_wrong_with_the_harness_is_no_measurement(ended: dict[str, Measurement]) -> None:
    assert "FileNotFoundError" in (ended["no_such_file"].error or "")
