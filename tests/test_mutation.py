"""Every kind of event that a rule declares is needed: without it, one of the rule's programs breaks."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from checking import diagnostics_of, mark_of
from fixture_programs import bad_programs
from xlalint.analysis import engine
from xlalint.lazy.events import BoundReached, Event, FileUnreadable, SuppressionUnused
from xlalint.lazy.state import State
from xlalint.registry import all_rules
from xlalint.rule import Finding, Rule

NOT_OF_PROGRAMS = (BoundReached, FileUnreadable, SuppressionUnused)
"""Events about files, comments and the analysis itself, not about what a program does."""


def declared() -> Iterator[object]:
    for rule in all_rules():
        for event in rule.events:
            if event not in NOT_OF_PROGRAMS:
                yield pytest.param(rule, event, id=f"{rule.code}-{event.__name__}")


@pytest.mark.parametrize(("rule", "kind"), [*declared()])
def test_without_the_event_a_program_of_the_rule_breaks(
    rule: type[Rule], kind: type[Event], monkeypatch: pytest.MonkeyPatch
) -> None:
    judge = engine._Run._judge

    def judge_all_but(run: engine._Run, event: Event, state: State) -> list[Finding]:
        return [] if type(event) is kind else judge(run, event, state)

    monkeypatch.setattr(engine._Run, "_judge", judge_all_but)
    programs = [program for program in bad_programs(rule.code) if program.expectations]
    assert programs, "the rule has no program"
    for program in programs:
        wanted = {(mark.path.name, mark.line) for mark in program.expectations if mark.code == rule.code}
        found = {
            (mark.path.rpartition("/")[2], mark.line)
            for mark in (mark_of(diagnostic, program.root) for diagnostic in diagnostics_of(program.root))
            if mark.code == rule.code
        }
        if found != wanted:
            return
    pytest.fail(f"{rule.code} declares {kind.__name__} and gives the same diagnostics without it")
