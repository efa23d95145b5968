"""What a value's payload is, by its kind: one table, and every value that is made keeps to it."""

from __future__ import annotations

from types import NoneType
from typing import Any

import pytest

from checking import diagnostics_of
from fixture_programs import FIXTURES
from xlalint.analysis.payloads import PAYLOADS
from xlalint.lazy.values import TRAITS, Kind, Value


@pytest.mark.parametrize("table", [PAYLOADS, TRAITS], ids=["payloads", "traits"])
def test_every_kind_has_a_row(table: dict[Kind, object]) -> None:
    assert set(table) == set(Kind)


def test_a_payload_belongs_to_one_kind() -> None:
    classes = [cls for row in PAYLOADS.values() for cls in row if cls is not NoneType]
    assert len(classes) == len(set(classes))


def test_values_have_the_payload_of_their_kind(monkeypatch: pytest.MonkeyPatch) -> None:
    wrong: set[tuple[Kind, str]] = set()
    make = Value.__new__

    def checked(cls: type[Value], *arguments: Any, **keywords: Any) -> Value:
        value: Value = make(cls, *arguments, **keywords)
        if not isinstance(value.payload, PAYLOADS[value.kind]):
            wrong.add((value.kind, type(value.payload).__name__))
        return value

    monkeypatch.setattr(Value, "__new__", checked)
    diagnostics_of(FIXTURES / "XLA101")
    diagnostics_of(FIXTURES / "clean")
    assert not wrong


def test_payloads_that_say_nothing_but_their_class_are_told_apart() -> None:
    made = [cls() for row in PAYLOADS.values() for cls in row if cls is not NoneType and _needs_nothing(cls)]
    assert len(made) > 5
    alike = {
        frozenset({type(one).__name__, type(other).__name__})
        for one in made
        for other in made
        if one is not other and one == other
    }
    assert alike == set()


def _needs_nothing(cls: type) -> bool:
    return {*getattr(cls, "_fields", ("?",))} <= {*getattr(cls, "_field_defaults", ())}
