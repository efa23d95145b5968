"""Every kind of event that a rule judges beside others is needed: without it, one of its programs breaks."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from checking import diagnostics_of, mark_of
from fixture_programs import bad_programs
from interpreter_programs import FOLDER
from xlalint.lazy.events import Event
from xlalint.registry import all_rules
from xlalint.rule import Rule

OF_NO_FIXTURE = {
    ("XLA502", "ChangedAlone"): FOLDER / "changed_by_the_master.py",
    ("XLA508", "GradientUsed"): FOLDER / "parts_clipped.py",
}
"""Programs that show an event which no fixture does. In the first, the guard ends the replicas as these part,
and does not see by what, so that it could not tell what is marked; tests/engine/parting runs such a program.
The second takes FSDP on several replicas."""


def judged_beside_others() -> Iterator[object]:
    """A rule that judges one kind of event only is silent without it, which needs no test."""
    for rule in all_rules():
        for kind in rule.events if len(rule.events) > 1 else ():
            yield pytest.param(rule, kind, id=f"{rule.code}-{kind.__name__}")


@pytest.mark.parametrize(("rule", "kind"), [*judged_beside_others()])
def test_without_the_event_a_program_of_the_rule_breaks(rule: type[Rule[Any]], kind: type[Event]) -> None:
    programs = [program.root for program in bad_programs(rule.code) if program.expectations]
    assert programs, "the rule has no program"
    of_no_fixture = OF_NO_FIXTURE.get((rule.code, kind.__name__))
    for program in programs if of_no_fixture is None else [of_no_fixture]:
        before = usually_told(rule, program)
        with pytest.MonkeyPatch.context() as monkeypatch:
            monkeypatch.setattr(rule, "events", tuple(other for other in rule.events if other is not kind))
            if told_by(rule, program) != before:
                return
    pytest.fail(f"{rule.code} declares {kind.__name__} and gives the same diagnostics without it")


@cache
def usually_told(rule: type[Rule[Any]], root: Path) -> set[tuple[str, int, str]]:
    """Where a rule speaks in a program while it judges all its events."""
    return told_by(rule, root)


def told_by(rule: type[Rule[Any]], root: Path) -> set[tuple[str, int, str]]:
    """Where a rule speaks in a program, and what it says."""
    marks = (
        (mark_of(diagnostic, root), diagnostic.message) for diagnostic in diagnostics_of(root, rule.code)
    )
    return {(mark.path, mark.line, message) for mark, message in marks if mark.code == rule.code}
