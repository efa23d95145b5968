"""`xlalint prove` runs the proof of one rule and prints what was measured, or says why it cannot."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path

import pytest

from fixture_programs import bad_programs
from xlalint_runtime.proving import prove as proving
from xlalint_runtime.proving.prove import prove


@pytest.mark.usefixtures("engine")
def test_every_program_of_a_rule_is_run_and_its_measures_are_printed(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert prove("XLA701") == 0
    lines = capsys.readouterr().out.splitlines()
    names = [program.root.name for program in bad_programs("XLA701") if program.fixed is not None]
    assert len(lines) == len(names) > 0
    for line, name in zip(lines, names, strict=True):
        assert re.fullmatch(
            rf"XLA701 {re.escape(name)}: (.*trained no -> yes.*|raises AssertionError -> none) "
            r"\(measured\), seen by the guard",
            line,
        )


def test_without_a_wheel_nothing_is_run(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    assert prove("XLA701") == 2
    assert capsys.readouterr().out == "XLA701: not run: no wheel\n"


def test_without_a_checkout_nothing_is_run(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    monkeypatch.setattr(proving, "_CHECKOUT", tmp_path)
    assert prove("XLA701") == 2
    assert "checkout" in capsys.readouterr().out


def test_a_rule_without_programs_has_no_proof(capsys: pytest.CaptureFixture[str]) -> None:
    assert prove("XLA999") == 2
    assert "no program proves XLA999" in capsys.readouterr().out
