"""From events to diagnostics: who speaks, where, which of several findings counts, and in which words."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from xlalint.cure import Cure, Where
from xlalint.diagnostic import Applicability, Certainty, Position, Range, Severity
from xlalint.judging import Caller, Judge, Occurrence, Placed, diagnostic, place, settle
from xlalint.lazy.assumptions import (
    COMES_HERE,
    IS_A_TENSOR,
    IS_SET,
    LAZY,
    MANY,
    NONE,
    OFF_BY_DEFAULT,
    STEPS_ELSEWHERE,
    TRAINED_ELSEWHERE,
    Assumptions,
    assume,
)
from xlalint.lazy.events import Event, HostRead, Save
from xlalint.lazy.records import record
from xlalint.lazy.scopes import Scope, ScopeKind, Split
from xlalint.lazy.site import ENTRY, Site
from xlalint.lazy.state import View
from xlalint.registry import find
from xlalint.rule import Finding, Later, Rule
from xlalint.versions import DEFAULT_TARGET


def at(line: int, path: str = "train.py", cell: int | None = None) -> Site:
    return Site(path, line, cell=cell)


def finding(*path: Site, code: str = "XLA101", **changes: Any) -> Finding:
    fields: dict[str, Any] = {
        "rule": find(code), "severity": Severity.WARNING, "path": path or (at(5),), "message": "read",
        "help": "do not", "assumes": NONE,
    }  # fmt: skip
    return Finding(**{**fields, **changes})


def placed(*path: Site, code: str = "XLA101", **changes: Any) -> Placed:
    return place(finding(*path, code=code, **changes))


class AsTheyAre:
    """Sources of which nothing more is known than what a site says."""

    def shown(self, site: Site) -> str:
        return site.path

    def range(self, site: Site) -> Range:
        return Range(Position(site.line, site.column + 1), Position(site.line, site.column + 2))


SOURCES = AsTheyAre()

THIS = assume("`loader` is an `MpDeviceLoader`")
THAT = assume("eager mode is off")


# Who speaks --------------------------------------------------------------------------------------


class Read(Rule[HostRead]):
    """Says of every read that it is one; what the event assumes is all it assumes."""

    code = "XLA998"
    name = "read"
    severity = Severity.INFO

    def judge(self, event: HostRead, state: View) -> Iterator[Finding]:
        yield self.finding(event, "read", help="")


class Warned(Read):
    """The same, as a warning."""

    severity = Severity.WARNING


class ReadOrSaved(Rule[HostRead | Save]):
    """The same of saves, and assumes something of its own."""

    code = "XLA999"
    name = "read-or-saved"
    severity = Severity.INFO

    def judge(self, event: HostRead | Save, state: View) -> Iterator[Finding]:
        yield self.finding(event, "read or saved", help="", assumes=THAT)


@pytest.mark.parametrize(
    ("event", "codes"),
    [
        (HostRead(at(1)), ["XLA998", "XLA999"]),
        (HostRead(at(1), THIS), ["XLA998"]),
        (HostRead(at(1), MANY), []),
        (Save(at(1)), ["XLA999"]),
        (Save(at(1), THIS), []),
    ],
)
def test_rules_speak_of_the_events_they_declare_while_at_most_one_fact_is_not_sure(
    event: Event, codes: list[str]
) -> None:
    judge = Judge([Read(DEFAULT_TARGET), ReadOrSaved(DEFAULT_TARGET)])
    assert judge.kinds == {HostRead, Save}
    assert [found.code for found in judge.judge([Occurrence(event, View())])] == codes


@pytest.mark.parametrize(
    ("assumes", "severity"),
    [
        (THIS, Severity.WARNING),
        (assume("`args.tpu`"), Severity.WARNING),
        (assume(f"`args.norms`{OFF_BY_DEFAULT}"), Severity.INFO),
        (STEPS_ELSEWHERE, Severity.INFO),
        (TRAINED_ELSEWHERE, Severity.INFO),
        (IS_A_TENSOR, Severity.INFO),
        (LAZY, Severity.INFO),
        (assume(f"`train(...)` {COMES_HERE}"), Severity.INFO),
        (assume(f"`train(...)` {COMES_HERE}") | IS_SET, Severity.INFO),
    ],
)
def test_what_rests_on_a_guess_informs(assumes: Assumptions, severity: Severity) -> None:
    (found,) = Judge([Warned(DEFAULT_TARGET)]).findings(HostRead(at(1), assumes), View())
    assert found.severity is severity


# Where it stands ---------------------------------------------------------------------------------

STEP = Scope(ScopeKind.STEP, at(20))
MASTER = Split(at(30), True)


def inherited(depth: int) -> Scope:
    return Scope(ScopeKind.STEP, ENTRY, depth)


def test_a_finding_stands_in_the_function_that_opened_its_scope() -> None:
    outermost = Caller(at(99))
    opener = Caller(at(12), scopes=(STEP,))
    between = Caller(at(11), scopes=(inherited(0),))
    found = place(finding(owner=inherited(0)), (between, opener, outermost))
    assert (found.path, found.owner) == ((at(12), at(11), at(5)), at(20))


def test_a_finding_stands_in_the_function_that_made_its_test() -> None:
    tester = Caller(at(12), splits=(Split(at(1), True), MASTER))
    found = place(finding(owner=MASTER._replace(site=ENTRY, depth=1)), (tester,))
    assert (found.path, found.owner) == ((at(12), at(5)), at(30))


def test_a_finding_about_a_scope_of_its_own_function_stands_at_the_event() -> None:
    found = place(finding(owner=STEP), (Caller(at(12), scopes=(STEP,)),))
    assert (found.path, found.owner) == ((at(5),), at(20))


def test_places_before_the_call_are_those_of_the_caller() -> None:
    callers = (Caller(at(12), since=(at(10), ENTRY)), Caller(at(22), since=(at(20),)), Caller(at(99)))
    assert place(finding(since=(at(4), ENTRY)), callers).since == (at(4), at(10), at(20))


@record
class Move(Cure):
    """A cure that names a scope, as a rule does that does not know where it stands."""

    below: Where


def test_a_cure_is_told_where_the_scope_stands_that_it_names() -> None:
    move = Move(inherited(0), title="move it", applicability=Applicability.SHOWN)
    found = place(finding(owner=inherited(0), cures=(move,)), (Caller(at(12), scopes=(STEP,)),))
    assert found.finding.cures == (Move(at(20), title="move it", applicability=Applicability.SHOWN),)


# Which of several --------------------------------------------------------------------------------


def test_the_surest_of_several_contexts_counts() -> None:
    found = settle([
        placed(assumes=THIS, message="a", severity=Severity.ERROR),
        placed(message="c"),
        placed(message="b"),
        placed(message="d", severity=Severity.INFO),
    ])  # fmt: skip
    assert [one.finding.message for one in found] == ["b"]


def test_the_order_of_findings_does_not_matter() -> None:
    found = [
        placed(at(5), at(line), message=message, since=since)
        for line in (3, 4)
        for message in "ba"
        for since in ((at(2),), (at(1),))
    ]
    assert (
        settle(found)
        == settle(found[::-1])
        == [placed(at(5), at(3), message="a", since=(at(1),))._replace(also=(at(4),))]
    )


def test_a_rule_yields_to_one_that_says_more_at_the_same_place() -> None:
    found = settle([placed(code=code) for code in ("XLA102", "XLA101", "XLA601")])
    assert [one.code for one in found] == ["XLA101", "XLA601"]
    elsewhere = settle([placed(code="XLA102"), placed(at(4))])
    assert [one.code for one in elsewhere] == ["XLA102", "XLA101"]


def test_a_rule_yields_to_one_that_tells_the_same_event_at_the_call() -> None:
    found = settle([placed(at(4), at(5)), placed(code="XLA102")])
    assert [one.code for one in found] == ["XLA101"]


# In words ----------------------------------------------------------------------------------------


def test_what_is_assumed_makes_it_likely_and_is_said() -> None:
    assert diagnostic(placed(), SOURCES).certainty is Certainty.DEFINITE
    found = diagnostic(placed(assumes=THIS), SOURCES)
    assert (found.certainty, found.assumes) == (Certainty.LIKELY, "`loader` is an `MpDeviceLoader`")


def test_the_call_chain_becomes_related_places() -> None:
    found = diagnostic(placed(at(4), at(5), at(2, "notes.ipynb", 3)), SOURCES)
    assert [(r.path, r.range.start.line, r.cell, r.message) for r in found.related] == [
        ("train.py", 5, None, "called from here"),
        ("notes.ipynb", 2, 3, "it happens here"),
    ]


def test_a_long_chain_keeps_its_last_place() -> None:
    found = diagnostic(placed(*(at(line) for line in range(13))), SOURCES)
    assert [related.range.start.line for related in found.related] == [1, 2, 3, 4, 5, 6, 7, 12]


def test_what_comes_later_is_the_last_related_place_and_its_line_is_put_into_the_words() -> None:
    found = placed(*(at(line) for line in range(13)), message="nothing runs until {later}")
    later = Later(at(40, "other.py"), "it runs here")
    shown = diagnostic(found._replace(finding=replace(found.finding, later=later)), SOURCES)
    assert shown.message == "nothing runs until line 40 of other.py"
    assert [related.range.start.line for related in shown.related] == [1, 2, 3, 4, 5, 6, 12, 40]
    assert [(r.message, r.later) for r in shown.related[-2:]] == [
        ("it happens here", False),
        ("it runs here", True),
    ]


def test_the_calls_from_where_work_was_recorded_become_related_places() -> None:
    finding = placed(at(4), since=(ENTRY,)).finding
    callers = (Caller(at(7), since=(ENTRY,)), Caller(at(9), since=(at(8),)), Caller(at(20)))
    found = place(replace(finding, since=(ENTRY,)), callers)
    assert (found.around, found.since) == ((at(7), at(9)), (at(8),))
    assert [related.message for related in diagnostic(found, SOURCES).related] == ["called from here"] * 2


@pytest.mark.parametrize(
    ("since", "shown"),
    [
        ([at(3)], "line 3"),
        ([at(4), at(3), at(4)], "lines 3 and 4"),
        ([], "an earlier line"),
        ([ENTRY], "an earlier line"),
        ([at(7, "other.py"), at(4)], "line 4 and line 7 of other.py"),
        ([at(4, cell=2), at(3)], "line 3 and line 4 of cell 2"),
    ],
)
def test_since_is_put_into_the_words(since: list[Site], shown: str) -> None:
    words = "pending since {since}"
    found = diagnostic(placed(message=words, help=words, since=tuple(since)), SOURCES)
    assert found.message == found.help == f"pending since {shown}"


@pytest.mark.parametrize(
    ("site", "shown"),
    [
        (at(3), "line 3"),
        (at(3, "other.py"), "line 3 of other.py"),
        (at(3, cell=2), "line 3 of cell 2"),
    ],
)
def test_the_line_of_the_owner_is_put_into_the_words(site: Site, shown: str) -> None:
    found = placed(message="in the step of {owner}", owner=Scope(ScopeKind.STEP, site))
    assert diagnostic(found, SOURCES).message == f"in the step of {shown}"


def test_a_severity_that_users_set_counts() -> None:
    assert diagnostic(placed(), SOURCES, severities={"XLA101": Severity.ERROR}).severity is Severity.ERROR
    assert diagnostic(placed(), SOURCES, severities={"XLA102": Severity.ERROR}).severity is Severity.WARNING
