"""What is found near some lines of a module is what a walk through all of it finds."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from xlalint.program.outline import Outline, within, within_lines

PROGRAMS = sorted(Path(__file__).parent.rglob("*.py"))[::9]
ODD = """\
@first(
    lambda: inner
)
def decorated(value=given): ...


text = f\"\"\"
{deep} and {
    deeper}
\"\"\"
match subject:
    case Shape(side=[*rest]) if guarded:
        pass
"""


def named(node: ast.AST) -> str:
    return node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else ""


def outline(text: str) -> Outline:
    return Outline(Path("program.py"), text, ast.parse(text), "program", is_package=False)


@pytest.mark.parametrize("name", ["inner", "given", "first", "deep", "deeper", "Shape", "guarded", "subject"])
def test_names_are_found_wherever_they_stand(name: str) -> None:
    assert outline(ODD).mentions(frozenset({name}))


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.name)
def test_no_name_is_missed(path: Path) -> None:
    module = outline(path.read_text())
    names = sorted({named(node) for node in within(module.tree)} - {""})[::7]
    for name in names:
        near = list(within_lines(module.tree, module.lines_with([name])))
        everywhere = [node for node in within(module.tree) if named(node) == name]
        assert {node for node in near if named(node) == name} == set(everywhere)
