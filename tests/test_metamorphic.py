"""Rewriting a program in a way that changes nothing for the engine changes no diagnostic either."""

from __future__ import annotations

import ast
from collections.abc import Callable
from pathlib import Path

import pytest

from checking import codes_of
from fixture_programs import Program, bad_programs, clean_programs
from program_changes import CHANGES, Modules

ABOUT_TEXT = frozenset({"XLA000", "XLA090"})
"""Rules about files and comments, which a syntax tree does not keep."""

ABOUT_IMPORTS = frozenset({"XLA001", "XLA002"})
"""Rules that speak of an import: as often as a change writes it."""

PROGRAMS = [program for program in bad_programs() + clean_programs() if program.code not in ABOUT_TEXT]


def changed(program: Program, change: Callable[[Modules], bool]) -> Modules | None:
    """The program's modules after `change`, or None where there is nothing to change."""
    folder = program.entry.parent
    modules = {
        path.relative_to(folder).as_posix(): ast.parse(path.read_text(encoding="utf-8"))
        for path in program.modules
    }
    return modules if change(modules) else None


CASES = [
    pytest.param(program, modules, id=f"{change.__name__}-{program.id}")
    for change in CHANGES
    for program in PROGRAMS
    if (modules := changed(program, change)) is not None
]


@pytest.mark.parametrize(("program", "modules"), CASES)
def test_the_same_codes_come(program: Program, modules: Modules, tmp_path: Path) -> None:
    for name, tree in modules.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(ast.unparse(ast.fix_missing_locations(tree)) + "\n", encoding="utf-8")
    written = "\n".join(path.read_text() for path in sorted(tmp_path.rglob("*.py")))
    found, wanted = codes_of(tmp_path), codes_of(program.root)
    if ABOUT_IMPORTS & wanted.keys():
        assert found.keys() == wanted.keys(), written
    else:
        assert found == wanted, written


@pytest.mark.parametrize("change", CHANGES, ids=lambda change: change.__name__)
def test_every_change_applies_to_a_good_part_of_the_programs(change: Callable[[Modules], bool]) -> None:
    applied = sum(changed(program, change) is not None for program in PROGRAMS)
    assert applied >= len(PROGRAMS) // 10
