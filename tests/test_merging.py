"""The reports of several processes become one; no engine is needed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from xlalint.cli.command import command
from xlalint.diagnostic import Certainty, Diagnostic, Evidence, Position, Range, Severity
from xlalint.merging import NotOneLaunch, merged
from xlalint.output import runs
from xlalint.runs import Milliseconds, Run, Unattributed


def found(line: int, count: int) -> Diagnostic:
    return Diagnostic(
        "XLA101", "host-read-in-step", "a read", Severity.WARNING, Certainty.DEFINITE, "train.py",
        Range(Position(line, 1), Position(line, 9)), evidence=Evidence(count, 1.0, float(count), count, 1, 1),
    )  # fmt: skip


def process(rank: int, **further: Any) -> Run:
    held: dict[str, Any] = {
        "engine": "CPU", "end": "ended", "steps": 6, "counted": "optimizer steps", "launches": 12,
        "causes": {"cuts": 6, "unattributed": 1}, "compiles": 2, "launches_per_step": 2.0,
        "ms": Milliseconds(1.0, 2.0, 3.0), "rank": rank, "pid": 100 + rank, "notes": ("on the CPU",),
    }  # fmt: skip
    return Run("train.py", **{**held, **further})


def test_what_all_did_is_added_up_and_what_each_did_per_step_is_not() -> None:
    one = merged([process(1, launches=14), process(0)])
    assert (one.replicas, one.steps, one.launches, one.compiles) == (2, 6, 26, 4)
    assert one.launches_per_step == 2.0
    assert list(one.causes.items()) == [("cuts", 12), ("unattributed", 2)]
    assert one.ms == Milliseconds(1.0, 2.0, 3.0)
    assert one.processes == ((0, 100, "ended"), (1, 101, "ended"))


def test_a_place_is_told_once_with_what_was_counted_there() -> None:
    one = merged([process(0, diagnostics=(found(9, 2), found(3, 1))), process(1, diagnostics=(found(9, 4),))])
    assert [each.range.start.line for each in one.diagnostics] == [3, 9]
    assert one.diagnostics[1].evidence == Evidence(6, 1.0, 3.0, 6, 2, 2)


def test_who_ended_otherwise_is_named_and_what_all_say_is_said_once() -> None:
    one = merged([process(0), process(1, end="ended by SIGABRT", notes=("on the CPU", "more"))])
    assert one.end == "rank 0 ended; rank 1 ended by SIGABRT"
    assert one.notes == ("on the CPU", "rank 1: more")


def test_files_that_processes_loaded_in_different_states_count_as_changed() -> None:
    one = merged(
        [process(0, files={"/a.py": "1", "/b.py": "2"}), process(1, files={"/a.py": "1", "/b.py": "3"})]
    )
    assert one.files == {"/a.py": "1", "/b.py": ""}


def test_a_line_is_reached_if_one_process_did() -> None:
    asked = {"/a.py": (3, 9)}
    one = merged(
        [process(0, asked=asked, reached={"/a.py": (3,)}), process(1, asked=asked, reached={"/a.py": (9,)})]
    )
    assert one.reached == asked


@pytest.mark.parametrize("second", [process(0), Run("other.py", rank=1, pid=9)])
def test_reports_that_do_not_belong_together_are_refused(second: Run) -> None:
    with pytest.raises(NotOneLaunch):
        merged([process(0), second])


def called(*arguments: str) -> Result:
    return CliRunner().invoke(command, ["report", "merge", *arguments])


def test_the_command(tmp_path: Path) -> None:
    files = []
    for rank in range(3):
        path = tmp_path / f"report.rank{rank}.pid{100 + rank}.json"
        lost = (Unattributed(1, "train.py", 9, 8),)
        path.write_text(runs.render(process(rank, diagnostics=(found(9, 2),), unattributed=lost)))
        files.append(str(path))
    shown = called(*files)
    assert shown.exit_code == 0
    assert "xlalint run: CPU engine, 3 replicas in 3 processes, 6 optimizer steps, ended" in shown.stdout
    seen = "= seen: 6 times, 1.0 per step, 6 launches, 3 compiles, median 2.0 ms, on 3 replicas"
    assert seen in " ".join(shown.stdout.split())
    target = tmp_path / "all.json"
    assert called("--output-format", "json", "--output-file", str(target), *files).exit_code == 0
    assert runs.read(target.read_text()).launches == 36
    assert called(str(target)).exit_code == 0


def test_wrong_usage(tmp_path: Path) -> None:
    assert called().exit_code == 2
    assert called(str(tmp_path / "none.json")).exit_code == 2
    (tmp_path / "bad.json").write_text("{}")
    refused = called(str(tmp_path / "bad.json"))
    assert refused.exit_code == 2
    assert "is no report of `xlalint run`" in refused.stderr
