"""The examples in a rule's documentation behave as they say."""

from __future__ import annotations

from pathlib import Path

import pytest

from checking import codes_of
from rule_documents import example
from xlalint.registry import all_rules
from xlalint.rule import Rule

every_rule = pytest.mark.parametrize("rule", all_rules(), ids=lambda rule: rule.code)


@every_rule
def test_the_example_is_flagged(rule: type[Rule], tmp_path: Path) -> None:
    source = example(rule, "Example")
    assert source is not None
    path = tmp_path / "example.py"
    path.write_text(source, encoding="utf-8")
    assert codes_of(path)[rule.code] >= 1


@every_rule
def test_what_to_use_instead_is_silent(rule: type[Rule], tmp_path: Path) -> None:
    source = example(rule, "Use instead")
    assert source is not None
    path = tmp_path / "instead.py"
    path.write_text(source, encoding="utf-8")
    assert not codes_of(path)
