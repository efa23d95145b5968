"""Every fixture program gets the diagnostics that its comments ask for, and no others."""

from __future__ import annotations

import re
import shutil
from functools import cache
from pathlib import Path

import pytest

from checking import Mark, codes_of, diagnostics_by_rules, diagnostics_of, mark_of
from fixture_programs import Missed, Program, bad_programs, clean_programs
from xlalint.diagnostic import Diagnostic, Severity
from xlalint.registry import all_rules
from xlalint.testing import Expected

BAD = bad_programs()
CLEAN = clean_programs()
CURES = tuple(program.fixed for program in BAD if program.fixed is not None)
NO_ALARM = frozenset({
    "XLA092", "XLA105", "XLA211", "XLA801", "XLA901", "XLA902", "XLA903", "XLA904", "XLA905",
})  # fmt: skip
"""One is about the analysis, three are suggestions for what is good, and the others say what ties
good programs to torch_xla. What they must not tell is marked in their own programs."""
NOT_SUPPRESSIBLE = frozenset({"XLA000", "XLA090"})
"""A file that cannot be parsed has no comments, and an unused suppression is one itself."""


MAY_END = {
    "XLA707": "the program asks by itself for numbers that are the same",
}
"""Rules of which not each program ends, and why."""


def name(program: Program) -> str:
    return program.id


def also(program: Program) -> list[str]:
    """The rules to judge by beside those that are on by default: its own, or for a clean program all."""
    if program.code is not None:
        return [program.code]
    return [rule.code for rule in all_rules() if not rule.enabled and rule.code not in NO_ALARM]


def is_ended(program: Program) -> bool:
    """Whether the engine shows that the program ends by what its rule is about."""
    ways = {proof.before for proof in program.proofs if proof.measure in ("raises", "aborts")}
    return bool(ways - {"none", "no"}) and program.code not in MAY_END


@cache
def told(program: Program) -> tuple[Diagnostic, ...]:
    """What is said of a program by the rules on by default, and those in `also`."""
    return tuple(diagnostics_of(program.root, *also(program)))


def expected(program: Program, mark: Expected | Missed) -> Mark:
    return Mark(mark.path.relative_to(program.entry.parent).as_posix(), mark.line, mark.code)


@pytest.mark.parametrize("program", BAD + CURES + CLEAN, ids=name)
def test_diagnostics_come_on_the_marked_lines_and_nowhere_else(program: Program) -> None:
    """A mark that says nothing of certainty is definite."""
    found = {mark_of(diagnostic, program.root): diagnostic.certainty.value for diagnostic in told(program)}
    wanted = {expected(program, mark): mark.certainty or "definite" for mark in program.expectations}
    assert found == wanted, _difference(program, found, wanted)


@pytest.mark.parametrize("program", BAD, ids=name)
def test_bad_programs_show_their_own_rule(program: Program) -> None:
    shown = {mark.code for mark in program.expectations} | {mark.code for mark in program.missed}
    assert program.code in shown


@pytest.mark.parametrize("program", [program for program in BAD if is_ended(program)], ids=name)
def test_what_ends_a_program_is_an_error(program: Program) -> None:
    assert {each.severity for each in told(program) if each.code == program.code} <= {Severity.ERROR}


@pytest.mark.parametrize("program", CURES + CLEAN, ids=name)
def test_cures_and_clean_programs_hold_no_harm(program: Program) -> None:
    """Remarks are allowed there, such as that of an old name that is the point of the program."""
    severities = {rule.code: rule.severity for rule in all_rules()}
    assert all(severities[mark.code] is Severity.INFO for mark in program.expectations)
    assert program.code not in {mark.code for mark in program.expectations}


@pytest.mark.parametrize("program", CLEAN, ids=name)
def test_clean_programs_say_why_they_are_quiet(program: Program) -> None:
    assert program.quiet


@pytest.mark.parametrize(
    "program", [program for program in BAD if program.code not in NOT_SUPPRESSIBLE], ids=name
)
def test_suppressed_programs_are_silent(program: Program, tmp_path: Path) -> None:
    copy = tmp_path / program.root.name
    if program.root.is_dir():
        shutil.copytree(program.root, copy)
    else:
        shutil.copyfile(program.root, copy)
    for module in program.modules:
        target = copy / module.relative_to(program.root) if program.root.is_dir() else copy
        target.write_text(_suppressed(module.read_text(encoding="utf-8")), encoding="utf-8")
    assert not codes_of(copy, *also(program))


def _suppressed(text: str) -> str:
    def comment(match: re.Match[str]) -> str:
        codes = ", ".join(re.findall(r"XLA\d{3}", match[0]))
        return f"# xlalint: ignore[{codes}] this program shows it"

    return re.sub(r"#\s*expect:[^#\n]*", comment, text)


def _difference(program: Program, found: dict[Mark, str], wanted: dict[Mark, str]) -> str:
    known = {expected(program, mark) for mark in program.missed}
    lines = []
    for mark in sorted(found.keys() | wanted.keys()):
        place = f"{mark.code} at {mark.path}:{mark.line}"
        if mark in known and mark in found:
            lines.append(f"no longer missed, mark it as expected: {place}")
        elif mark not in wanted:
            lines.append(f"false alarm: {place} ({found[mark]})")
        elif mark not in found:
            lines.append(f"missed alarm: {place}")
        elif found[mark] != wanted[mark]:
            lines.append(f"{found[mark]} instead of {wanted[mark]}: {place}")
    return f"{program.id}\n" + "\n".join(lines)


def test_a_number_that_counts_one_host_is_told_where_it_is_asked_for() -> None:
    """XLA505: by the module of the trainer, three calls above the sampler."""
    (found,) = diagnostics_by_rules(
        next(each.root for each in BAD if each.id == "XLA505/trainer_of_another_module"), "XLA505"
    )
    asked = found.related[-1]
    assert (Path(asked.path).name, asked.message) == (
        "trainer.py", "this number counts the replicas of one host",
    )  # fmt: skip
