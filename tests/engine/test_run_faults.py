"""However a program ends, whatever it does to its process: what was seen is told, nothing else changes."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from xlalint_runtime.files import ReportFile
from xlalint_runtime.proving.forkserver import ForkServer
from xlalint_runtime.proving.measurement import Job

PROGRAM = Path(__file__).parent / "run" / "more" / "faults.py"

ENDS = {
    "raises": ("KeyError", None, "ended by KeyError"),
    "exits": ("SystemExit", None, "ended by exit status 3"),
    "exits at once": (None, "status 4", ""),
    "is killed": (None, "SIGKILL", ""),
    "aborts": (None, "SIGABRT", ""),
    "segmentation fault": (None, "SIGSEGV", ""),
    "hooks": ("KeyError", None, "ended by KeyError"),
    "forks": (None, None, "ended"),
    "changes directory": (None, None, "ended"),
    "closes stderr": (None, None, "ended"),
    "function mode": (None, None, "ended"),
    "thread": (None, None, "ended"),
    "workers": (None, None, "ended"),
    "no space": (None, None, ""),
}
"""How the program goes on: the exception that leaves it, what ends its process, and the end in the report."""

SAYS = {
    "hooks": ["traced: True", "own hook: KeyError"],
    "forks": ["child: 2"],
    "function mode": ["modes left: 0", "doubled: True"],
}


QUICK = {"raises", "exits at once", "segmentation fault", "forks", "function mode", "no space"}


@pytest.mark.parametrize(
    "how", [pytest.param(how, marks=[] if how in QUICK else [pytest.mark.soak]) for how in ENDS]
)
def test_what_was_seen_is_told_and_the_program_ends_as_it_would(how: str, server: ForkServer) -> None:
    raised, killed, end = ENDS[how]
    (measurement,) = server.run([Job(str(PROGRAM), request={"args": [how]})])
    assert measurement.raised == raised, measurement.output
    assert (killed or "") in (measurement.aborted or measurement.error or ""), measurement.output
    assert bool(measurement.aborted or measurement.error) == bool(killed)
    assert measurement.run is not None
    assert measurement.run["end"] == end
    assert [each["code"] for each in measurement.run["diagnostics"]] == ["XLA101"]
    assert not [note for note in measurement.run["notes"] if "fault of the guard" in note]
    said = measurement.output.splitlines()
    assert [line for line in said if line in SAYS.get(how, ())] == SAYS.get(how, [])
    assert ("done" in said) == (raised is None and killed is None)


def test_a_segmentation_fault_is_the_program_s_own_end() -> None:
    program = PROGRAM.with_name("reads_nowhere.py")
    done = subprocess.run(
        [sys.executable, "-m", "xlalint", "run", "--isolated", str(program)],
        text=True, capture_output=True, timeout=60, check=False,
    )  # fmt: skip
    assert done.returncode == -signal.SIGSEGV  # A shell says 139.
    assert done.stdout == "so far\n"
    assert "ended by SIGSEGV" in done.stderr


def test_a_report_for_which_there_is_no_space_leaves_the_last_one_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "report.json"
    report = ReportFile(path)
    assert report.write("first")
    (tmp_path / f".report.json.{os.getpid()}").symlink_to("/dev/full")
    assert not report.write("second")
    assert report.fault == f"cannot write {path}: no space left on device"
    assert path.read_text() == "first"
    assert list(tmp_path.iterdir()) == [path]
    assert report.write("third")
    assert path.read_text() == "third"
