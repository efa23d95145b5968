"""The examples in a rule's documentation and in the README behave as they say."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from checking import codes_of
from rule_documents import README, example
from xlalint.cli.command import COMMANDS
from xlalint.registry import all_rules
from xlalint.rule import Rule
from xlalint.settings import read_settings

every_rule = pytest.mark.parametrize("rule", all_rules(), ids=lambda rule: rule.code)


@pytest.mark.parametrize(
    "rule", [rule for rule in all_rules() if not rule.of_runs], ids=lambda rule: rule.code
)
def test_the_example_is_flagged(rule: type[Rule[Any]], tmp_path: Path) -> None:
    source = example(rule, "Example")
    assert source is not None
    path = tmp_path / "example.py"
    path.write_text(source, encoding="utf-8")
    assert codes_of(path, rule.code)[rule.code] >= 1


@every_rule
def test_what_to_use_instead_is_silent(rule: type[Rule[Any]], tmp_path: Path) -> None:
    source = example(rule, "Use instead")
    assert source is not None
    path = tmp_path / "instead.py"
    path.write_text(source, encoding="utf-8")
    assert not codes_of(path, rule.code)


def test_the_settings_shown_in_the_readme_are_accepted(tmp_path: Path) -> None:
    blocks = re.findall(r"^```toml\n(.*?)^```", README.read_text(encoding="utf-8"), re.M | re.S)
    shown = [block for block in blocks if "[tool.xlalint]" in block]
    assert shown
    for block in shown:
        path = tmp_path / "pyproject.toml"
        path.write_text(block, encoding="utf-8")
        assert read_settings(path).severity


def test_every_subcommand_named_in_the_readme_exists() -> None:
    named = set(re.findall(r"^\$ xlalint (\w+)", README.read_text(encoding="utf-8"), re.M))
    assert named <= set(COMMANDS)
    assert "check" in named
