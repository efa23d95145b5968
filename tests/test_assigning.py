"""Of a method that is run for an attribute, the statements that this depends on are run, and no others."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from xlalint.program.assigning import statements_for

PROGRAM = Path(__file__).parent / "assigning" / "methods.py"
TEXT = PROGRAM.read_text()
METHODS = [node for node in ast.walk(ast.parse(TEXT)) if isinstance(node, ast.FunctionDef)]


@pytest.mark.parametrize("method", METHODS, ids=lambda method: method.name)
def test_what_an_attribute_depends_on_is_run(method: ast.FunctionDef) -> None:
    lines = TEXT.splitlines()
    marked = {
        number
        for number in range(method.lineno, (method.end_lineno or 0) + 1)
        if lines[number - 1].endswith("# run")
    }
    kept = statements_for(method, frozenset({"kept"}), is_library=lambda name: name == "xr")
    assert {statement.lineno for statement in kept} == marked
