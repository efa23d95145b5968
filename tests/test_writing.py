"""Expressions are written as `ast.unparse` writes them."""

from __future__ import annotations

import ast
import sysconfig
from pathlib import Path

import pytest

from xlalint.writing import _written, written

LIBRARY = Path(sysconfig.get_paths()["stdlib"])
FILES = sorted(LIBRARY.glob("*.py"))[::6]


@pytest.mark.parametrize(
    "text",
    [
        "a and b and not c",
        "a or b and c or d",
        "not (a or b)",
        "(not a) == b",
        "not a == b",
        "(a < b) < c",
        "a < (b if c else d)",
        "a - (b - c) - d",
        "(a | b) & c ^ d << 1",
        "-(-a) * -b",
        "(-1).bit_length()",
        "1 .real",
        "a ** -b",
        "f(*a, b=1, **c)[d.e](x for x in y)",
        "a[b, c][1:2]['d']",
        "f'{a!r:>{b}}' + u'c' + b'd'",
        "lambda: (yield)",
        "[a, (b, c), {d: e}]",
    ],
)
def test_an_expression_of_any_form(text: str) -> None:
    expression = ast.parse(text, mode="eval").body
    assert written(expression) == ast.unparse(expression)


def test_every_expression_of_the_standard_library() -> None:
    seen = usual = 0
    for file in FILES:
        for node in ast.walk(ast.parse(file.read_bytes())):
            if isinstance(node, ast.expr) and not isinstance(node, ast.Slice | ast.Starred):
                assert written(node) == ast.unparse(node), f"{file.name}:{node.lineno}"
                seen += 1
                usual += bool(_written(node, 0))
    assert seen > 10_000
    assert usual / seen > 0.85, "mostly nothing need be left to the slow way"
