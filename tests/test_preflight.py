"""`xlalint preflight` is `xlalint run` with what is asked before a long run; no engine is needed."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from click.testing import CliRunner, Result

from xlalint.cli import run as run_module
from xlalint.cli.command import command
from xlalint.diagnostic import Certainty, Diagnostic, Position, Range, Severity
from xlalint.runs import Run, Untrained

WARNING = Diagnostic(
    "XLA108", "cpu-fallback-op", "a message", Severity.WARNING, Certainty.DEFINITE, "train.py",
    Range(Position(1, 1), Position(1, 2)),
)  # fmt: skip
WHOLE = Untrained("Net", ("head.weight",), 1, 1, "no gradient reached them")
PART = Untrained("Net", ("head.weight",), 1, 3, "no gradient reached them")


class Guard:
    """Stands in the place of what starts the process: notes what it was asked for, and gives a report."""

    def __init__(self) -> None:
        self.asked: dict[str, Any] = {}
        self.run = Run("train.py", "CPU")
        self.status = 0
        self.unwritten = False

    def __call__(self, **asked: Any) -> Any:
        self.asked = asked
        return SimpleNamespace(
            run=self.run, status=self.status, signal=0, stacks="", unwritten=self.unwritten
        )


@pytest.fixture
def guard(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Guard:
    (tmp_path / "train.py").write_text("pass\n")
    monkeypatch.chdir(tmp_path)
    stand_in = Guard()
    monkeypatch.setattr(run_module, "from_guard", lambda *_: stand_in)
    return stand_in


def called(*arguments: str) -> Result:
    return CliRunner().invoke(command, [*arguments])


def test_it_stops_after_three_steps_follows_lines_and_does_not_wait_for_ever(guard: Guard) -> None:
    assert called("preflight", "train.py", "--lr", "3").exit_code == 0
    asked = guard.asked
    assert (asked["stop_after"], asked["hang_timeout"], asked["follows_lines"]) == (3, 300.0, True)
    assert (asked["program"], asked["args"]) == ("train.py", ("--lr", "3"))


def test_run_stays_as_it_is(guard: Guard) -> None:
    assert called("run", "train.py").exit_code == 0
    assert (guard.asked["stop_after"], guard.asked["hang_timeout"]) == (None, None)
    assert not guard.asked.get("follows_lines")


def test_its_defaults_can_be_changed(guard: Guard) -> None:
    called("preflight", "--replicas", "4", "--stop-after", "9", "--hang-timeout", "1", "train.py")
    assert (guard.asked["replicas"], guard.asked["stop_after"], guard.asked["hang_timeout"]) == (4, 9, 1.0)


@pytest.mark.parametrize(
    ("run", "status", "options", "code"),
    [
        pytest.param(Run("train.py"), 0, (), 0, id="nothing found"),
        pytest.param(Run("train.py", diagnostics=(WARNING,)), 0, (), 1, id="a warning"),
        pytest.param(Run("train.py", diagnostics=(WARNING,)), 0, ("--fail-on", "error"), 0, id="no error"),
        pytest.param(Run("train.py", diagnostics=(WARNING,)), 7, (), 7, id="the program's own status wins"),
        pytest.param(Run("train.py", untrained=(WHOLE,)), 0, (), 1, id="a model that nothing trains"),
        pytest.param(Run("train.py", untrained=(PART,)), 0, (), 0, id="a part that nothing trains"),
    ],
)  # fmt: skip
def test_the_exit_status(guard: Guard, run: Run, status: int, options: tuple[str, ...], code: int) -> None:
    guard.run, guard.status = run, status
    assert called("preflight", *options, "train.py").exit_code == code


def test_run_fails_for_findings_only_when_it_is_asked_to(guard: Guard) -> None:
    guard.run = Run("train.py", diagnostics=(WARNING,), untrained=(WHOLE,))
    assert called("run", "train.py").exit_code == 0
    assert called("run", "--fail-on", "warning", "train.py").exit_code == 1


def test_what_is_not_trained_is_told(guard: Guard) -> None:
    guard.run = Run("train.py", "CPU", untrained=(WHOLE, PART), fallbacks={"nonzero": 2, "unique": 9})
    shown = called("preflight", "train.py").stderr
    assert "untrained: no parameter of Net was updated (no gradient reached them)" in shown
    assert "untrained: 1 of 3 parameters of Net were not updated: head.weight (no gradient" in shown
    assert "run on the host: unique 9, nonzero 2" in shown


def test_a_report_that_cannot_be_written_is_shown(guard: Guard) -> None:
    guard.run, guard.unwritten = Run("train.py", "CPU", notes=("cannot write no/r.json: no space",)), True
    asked = ("run", "--output-format", "json", "--output-file", "no/r.json", "train.py")
    result = called(*asked)
    assert result.exit_code == 0
    assert "note: cannot write no/r.json: no space" in result.stderr


def test_wrong_usage_starts_nothing(guard: Guard) -> None:
    assert called("preflight", "--stop-after", "0", "train.py").exit_code == 2
    assert called("preflight", "none.py").exit_code == 2
    assert not guard.asked
