"""What a run has shown is joined to what reading has found; no engine is needed."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from xlalint.cli.command import command
from xlalint.diagnostic import (
    Certainty,
    Diagnostic,
    Evidence,
    Observer,
    Position,
    Range,
    Seen,
    Severity,
)
from xlalint.evidence import EvidenceError, Statements, beside, read_run
from xlalint.output import runs
from xlalint.runs import Run
from xlalint.sources.file import SourceFile, digest

PROGRAM = """\
import torch
import torch_xla

device = torch_xla.device()
model = torch.nn.Linear(8, 1).to(device)
for number in range(6):
    with torch_xla.step():
        loss = model(torch.ones(4, 8, device=device)).square().mean()
        loss.backward()
        print(
            loss.item()
        )
        log = [loss.item()]
"""
READ, SECOND = 11, 13
"""The lines of the two host reads."""


@pytest.fixture
def program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "train.py"
    path.write_text(PROGRAM)
    return path


def seen_at(line: int, code: str = "XLA101", path: str = "train.py") -> Diagnostic:
    return Diagnostic(
        code, "host-read-in-step", "seen", Severity.WARNING, Certainty.DEFINITE, path,
        Range(Position(line, 1), Position(line, 9)), observed_by=(Observer.GUARD,),
        evidence=Evidence(6, 1.0, 8.0, 6, 1, 1),
    )  # fmt: skip


def reported(program: Path, *diagnostics: Diagnostic, **further: Any) -> Run:
    known = {str(program): digest(program.read_bytes())}
    held: dict[str, Any] = {
        "engine": "CPU", "folder": str(program.parent), "files": known, "judged": ("XLA101", "XLA102"),
    }  # fmt: skip
    return Run("train.py", diagnostics=diagnostics, **{**held, **further})


def checked(run: Run, *arguments: str) -> tuple[Result, dict[int, str | None]]:
    """What `check --evidence` says, by line."""
    Path("report.json").write_text(runs.render(run))
    result = CliRunner().invoke(
        command,
        ["check", "--isolated", "--no-cache", "--evidence", "report.json", "--output-format", "json",
         *(arguments or ["train.py"])],
    )  # fmt: skip
    found = json.loads(result.stdout)
    return result, {each["range"]["start"]["line"]: each["seen"] for each in found}


def test_a_finding_is_confirmed_wherever_in_its_statement_it_was_seen(program: Path) -> None:
    _, found = checked(reported(program, seen_at(READ - 1)))
    assert found == {READ: "confirmed", SECOND: "not observed"}


def test_the_numbers_of_the_run_are_shown(program: Path) -> None:
    Path("report.json").write_text(runs.render(reported(program, seen_at(READ))))
    asked = ["check", "--isolated", "--no-cache", "--evidence", "report.json", "train.py"]
    shown = " ".join(CliRunner().invoke(command, asked).stdout.split())
    assert "= seen: confirmed: 6 times, 1.0 per step, 6 launches, 1 compile, median 8.0 ms" in shown
    assert "= seen: not observed: the run did not show it; with other data or more steps one may" in shown


def test_another_rule_at_the_same_place_confirms_nothing(program: Path) -> None:
    _, found = checked(reported(program, seen_at(SECOND, "XLA102")))
    assert found[SECOND] in ("not observed", "only at run time")


def test_what_only_the_run_has_shown_is_reported_too(program: Path) -> None:
    result, found = checked(reported(program, seen_at(9)))
    assert found[9] == "only at run time"
    assert result.exit_code == 1


def test_what_was_seen_in_files_that_are_not_asked_for_is_left_out(program: Path) -> None:
    other = program.with_name("other.py")
    other.write_text("x = 1\n")
    run = reported(program, seen_at(1, path="other.py"))
    run.files[str(other)] = digest(other.read_bytes())
    assert 1 not in checked(run)[1]
    assert checked(run, ".")[1][1] == "only at run time"


def test_a_line_that_was_asked_about_and_did_not_run_is_not_reached(program: Path) -> None:
    lines = {str(program): (READ - 1, SECOND)}
    run = reported(program, asked=lines, reached={str(program): (SECOND,)})
    assert checked(run)[1] == {READ: "not reached", SECOND: "not observed"}


def test_a_file_that_was_never_loaded_is_not_reached(program: Path) -> None:
    assert set(checked(reported(program, files={}))[1].values()) == {"not reached"}


def test_of_a_file_that_has_changed_since_nothing_is_said(program: Path) -> None:
    run = reported(program, seen_at(READ), seen_at(9))
    program.write_text("# one line more\n" + PROGRAM)
    result, found = checked(run)
    assert found == {READ + 1: None, SECOND + 1: None}
    assert "train.py has changed since the run" in result.stderr


def test_of_rules_that_did_not_judge_the_run_nothing_is_said(program: Path) -> None:
    assert set(checked(reported(program, judged=("XLA102",)))[1].values()) == {None}


@pytest.mark.parametrize("text", [None, "", "[]", "{}", '{"form": 99}', "\0"])
def test_what_is_no_report_is_refused(program: Path, text: str | None) -> None:
    if text is not None:
        Path("bad.json").write_text(text)
    result = CliRunner().invoke(command, ["check", "--isolated", "--evidence", "bad.json", "train.py"])
    assert result.exit_code == 2
    assert "Error: --evidence: " in result.stderr
    with pytest.raises(EvidenceError):
        read_run(Path("bad.json"))


def test_a_report_of_an_earlier_release_can_be_read(program: Path) -> None:
    held = json.loads(runs.render(reported(program)))
    for key in ("folder", "files", "judged", "asked", "reached", "covering", "static", "processes"):
        del held[key]
    assert runs.read(json.dumps(held)).judged == ()


def test_a_report_says_what_of_the_reading_it_has_shown(program: Path) -> None:
    static = [replace(seen_at(READ), evidence=None), replace(seen_at(SECOND), evidence=None)]
    source = SourceFile(program, "train.py", PROGRAM, is_hot=True)
    run = reported(program, seen_at(READ), seen_at(9))
    run = beside(run, static, {"train.py": source})
    assert [each.seen for each in run.diagnostics] == [Seen.CONFIRMED, Seen.ONLY_AT_RUN_TIME]
    assert [(each.range.start.line, each.seen) for each in run.static or ()] == [(SECOND, Seen.NOT_OBSERVED)]
    lines = "\n".join("".join(span.text for span in line) for line in runs.full(run, {}))
    assert "found by reading: 1 confirmed, 1 only at run time, 1 not observed (train.py:13)" in lines
    assert runs.read(runs.render(run)) == run


def test_a_statement_is_its_own_lines_and_a_head_does_not_hold_its_body() -> None:
    statements = Statements("@wrap\ndef f(\n    a,\n):\n    if a:\n        g(\n            a)\n")
    assert [statements.at(line) for line in (1, 3, 5, 7)] == [
        range(1, 5), range(1, 5), range(5, 6), range(6, 8),
    ]  # fmt: skip
    assert Statements("def f(:\n").at(7) == range(7, 8)
