"""Replicas as threads: correct programs meet, compute what they should, and do so every time."""

from __future__ import annotations

from pathlib import Path

import pytest

from xlalint_runtime.proving.forkserver import ForkServer
from xlalint_runtime.proving.measurement import Job
from xlalint_runtime.proving.prove import measure_on

PROGRAMS = Path(__file__).parent / "programs"


def test_replicas_meet_at_every_collective(server: ForkServer) -> None:
    job = Job(str(PROGRAMS / "replicas_meet.py"), replicas=2, trained=False)
    runs = [measure_on(server, [job])[job.program] for _ in range(3)]
    for run in runs:
        assert (run.aborted, run.raised, run.error) == (None, None, None), run.output
        assert run.numbers is not None
        half = len(run.numbers) // 2
        first, second = run.numbers[:half], run.numbers[half:]
        assert first == second, "gradients are reduced, so replicas hold the same parameters"
        assert first[:3] == [3.0, 0.0, 1.0]
        # The loss is read while it is pending, files hold device tensors, and shapes depend on numbers.
        assert {finding["code"] for finding in run.findings} == {"XLA102", "XLA401", "XLA601"}
    assert len({tuple(run.numbers or ()) for run in runs}) == 1
    assert len({(run.launches, run.compiles, run.pending) for run in runs}) == 1


def test_launched_functions_run_as_replicas(server: ForkServer) -> None:
    jobs = [
        Job(str(PROGRAMS / name), replicas=2, trained=False)
        for name in ("replicas_launched.py", "replicas_wrapped.py")
    ]
    found = measure_on(server, jobs)
    launched, wrapped = (found[job.program] for job in jobs)
    assert launched.numbers == [30.0, 6.0, 30.0], launched.output
    assert wrapped.numbers is not None, wrapped.output
    assert wrapped.numbers[:5] == wrapped.numbers[5:]
    assert launched.findings == wrapped.findings == []


@pytest.mark.parametrize("replicas", [1, 2])
def test_replicas_that_broke_down_are_run_once_more(
    server: ForkServer, tmp_path: Path, replicas: int
) -> None:
    program = tmp_path / "program.py"
    program.write_text(
        "import os, signal\n"
        "from pathlib import Path\n"
        f"broken = Path({str(tmp_path / 'broken')!r})\n"
        "def main():\n"
        "    if not broken.exists():\n"
        "        broken.touch()\n"
        "        os.kill(os.getpid(), signal.SIGSEGV)\n"
        "    return [1.0]\n"
        "if __name__ == '__main__':\n"
        "    main()\n"
    )
    run = measure_on(server, [Job(str(program), replicas=replicas, trained=False)])[str(program)]
    assert run.aborted == ("SIGSEGV" if replicas == 1 else None), run
