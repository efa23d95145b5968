"""A rule's code, name, class, module and fixtures agree, and its documentation is complete."""

from __future__ import annotations

import inspect
import re
from graphlib import TopologicalSorter
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from fixture_programs import FIXTURES, bad_programs
from rule_documents import PAGES, PICTURE, ROOT, made_anew, pages
from xlalint.lazy.events import Event
from xlalint.registry import all_rules
from xlalint.rule import Rule, Stage

HEADINGS = [
    "What it does",
    "Why is this bad?",
    "Example",
    "Use instead",
    "Fix safety",
    "On the engine",
    "References",
]
LINES = range(40, 131)
PROVEN_ELSEWHERE = {
    "XLA004": "in processes that do not import torch_xla, which test_unregistered.py starts",
    "XLA207": "by what the closures print, which tests of step closures compare",
}
"""Rules whose harm the engine shows, if not by measures of their programs."""
OF_FILES = frozenset({"XLA000", "XLA002", "XLA090"})
"""They speak of what stands in a file: nobody has to run it to see whether that is so."""
NO_PROGRAM = {
    "XLA000": "what cannot be parsed cannot be run; tests of the checker hold it",
    "XLA092": "off by default, and about the analysis, not the program",
}
"""Rules without fixture programs, and why."""


def code(rule: type[Rule[Any]]) -> str:
    return rule.code


every_rule = pytest.mark.parametrize("rule", all_rules(), ids=code)


def test_there_are_rules() -> None:
    assert len(all_rules()) >= 20


@every_rule
def test_code_name_class_and_module_agree(rule: type[Rule[Any]]) -> None:
    assert re.fullmatch(r"XLA\d{3}", rule.code)
    assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", rule.name)
    assert rule.__name__ == "".join(word.capitalize() for word in rule.name.split("-"))
    module = rule.__module__.rpartition(".")[2]
    assert module == f"{rule.code.lower()}_{rule.name.replace('-', '_')}"


@every_rule
def test_a_module_holds_one_rule_of_moderate_length(rule: type[Rule[Any]]) -> None:
    text = Path(inspect.getfile(rule)).read_text(encoding="utf-8")
    assert len(re.findall(r"^class \w+\(Rule\[", text, re.M)) == 1
    assert len(text.splitlines()) in LINES


@every_rule
def test_headings_stand_in_order(rule: type[Rule[Any]]) -> None:
    assert re.findall(r"^## (.+)$", rule.documentation(), re.M) == HEADINGS
    assert rule.summary()


@every_rule
def test_a_rule_declares_what_it_judges(rule: type[Rule[Any]]) -> None:
    assert all(issubclass(event, Event) for event in rule.events)
    assert rule.events


def resting_on() -> dict[str, set[str]]:
    """The table of docs/precision.md that says on what each rule rests, by the first words of its rows."""
    text = (ROOT / "docs" / "precision.md").read_text(encoding="utf-8")
    _, _, table = text.partition("| what stands behind it | rules |")
    rows = re.findall(r"^\| (.+?) \| XLA([\d, ]+) \|$", table.partition("\n\n")[0], re.M)
    return {what: {f"XLA{number}" for number in numbers.split(", ")} for what, numbers in rows}


def test_rules_that_are_on_rest_on_what_the_page_says() -> None:
    """A rule is on by default if real code has confirmed it, or says only what the engine proves."""
    confirmed, definite, but_for_spmd, of_runs = resting_on().values()
    on = [rule for rule in all_rules() if rule.enabled and rule.stage is Stage.STABLE]
    assert sorted([*confirmed, *definite, *but_for_spmd, *of_runs]) == [rule.code for rule in on]
    assert definite == {rule.code for rule in on if rule.only_definite}
    assert of_runs == {rule.code for rule in on if rule.of_runs}
    proven = {program.code for program in bad_programs() if program.no_proof is None}
    assert definite | but_for_spmd <= proven | PROVEN_ELSEWHERE.keys()


@pytest.mark.parametrize("code", sorted(resting_on()["true alarms on real code"] - OF_FILES))
def test_a_rule_that_real_code_confirms_is_on_the_page(code: str) -> None:
    text = (ROOT / "docs" / "precision.md").read_text(encoding="utf-8")
    rows = re.findall(rf"^.*\b(?:XLA)?{code[3:]}\b.*$", text.partition("| what stands behind it")[0], re.M)
    assert any(re.search(r"\btrue\b|[1-9]\d* of \d+|\| [1-9]", row) for row in rows)


@every_rule
def test_a_rule_has_a_bad_program_and_its_cure(rule: type[Rule[Any]]) -> None:
    programs = bad_programs(rule.code)
    assert any(program.fixed is not None for program in programs) != (rule.code in NO_PROGRAM)


@every_rule
def test_a_rule_is_proven_or_says_why_not(rule: type[Rule[Any]]) -> None:
    for program in bad_programs(rule.code):
        assert program.proofs or program.no_proof, program.id


def test_every_fixture_folder_belongs_to_a_rule() -> None:
    folders = {path.name for path in FIXTURES.iterdir() if path.is_dir()}
    assert folders - {"clean"} <= {rule.code for rule in all_rules()}


@every_rule
def test_a_rule_yields_to_others_by_code(rule: type[Rule[Any]]) -> None:
    assert set(rule.yields_to) <= {other.code for other in all_rules()}


def test_no_rule_yields_to_itself_through_others() -> None:
    """Each of them would stay silent for the next, and nobody would say anything."""
    TopologicalSorter({rule.code: rule.yields_to for rule in all_rules()}).prepare()


def test_readme_and_pages_are_made_from_the_rules() -> None:
    """`python tests/rule_documents.py` brings them up to date."""
    for path, text in made_anew().items():
        assert path.read_text(encoding="utf-8") == text
    assert {path: path.read_text(encoding="utf-8") for path in PAGES.glob("*.md")} == pages()


def test_the_picture_is_a_picture_of_a_finding() -> None:
    """Not compared: it depends on the version of rich."""
    drawn = ElementTree.fromstring(PICTURE.read_text(encoding="utf-8"))
    assert "host-read-in-step" in "".join(drawn.itertext())
    assert "@font-face" not in PICTURE.read_text(encoding="utf-8"), "nothing is fetched to show it"
