"""Which names of torch_xla a file uses: programs in tests/usage with expectations on their lines.

`# uses: a, b` and `# guarded: a` name what is used on a line, a keyword as `function(keyword)`; a
line without is expected to use nothing.
"""

import ast
import re
from pathlib import Path

import pytest

from xlalint.program.usage import api_uses

PROGRAMS = sorted((Path(__file__).parent / "usage").glob("*.py"))


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.stem)
def test_uses_are_those_marked(program: Path) -> None:
    text = program.read_text()
    tree = ast.parse(text)
    found: dict[int, set[tuple[str, str]]] = {}
    for use in api_uses(tree, text.splitlines(), Resolver(tree, program.stem), str(program)):
        name = f"{use.name}({use.keyword})" if use.keyword else use.name
        found.setdefault(use.site.line, set()).add(("guarded" if use.protected else "uses", name))
    assert found == expected(text)


def test_a_site_is_the_name_as_it_is_written() -> None:
    text = "import torch_xla.core.xla_model as xm\nä = [xm . mark_step(wait = True)]\n"
    tree = ast.parse(text)
    lines = text.splitlines()
    written = [
        lines[use.site.line - 1].encode()[use.site.column : use.site.end_column].decode()
        for use in api_uses(tree, lines, Resolver(tree, "program"), "program.py")
    ]
    assert written == ["torch_xla.core.xla_model as xm", "xm . mark_step", "wait = True"]


def test_names_that_other_modules_of_the_project_pass_on_are_found() -> None:
    text = "from .compat import xm\nxm.mark_step()\ncompat.xm.mark_step()\n"
    tree = ast.parse(text)
    known = {
        "xm": "torch_xla.core.xla_model",
        "xm.mark_step": "torch_xla.core.xla_model.mark_step",
        "compat": "project.compat",
        "compat.xm.mark_step": "torch_xla.core.xla_model.mark_step",
    }
    assert [use.site.line for use in api_uses(tree, text.splitlines(), known.get, "program.py")] == [2, 3]


def expected(text: str) -> dict[int, set[tuple[str, str]]]:
    marks: dict[int, set[tuple[str, str]]] = {}
    for number, line in enumerate(text.splitlines(), 1):
        for how, names in re.findall(r"# (uses|guarded): (.+)$", line):
            marks.setdefault(number, set()).update((how, name.strip()) for name in names.split(","))
    return marks


class Resolver:
    """What dotted names mean at module level: imports, and definitions of torch_xla's own file."""

    def __init__(self, tree: ast.Module, stem: str) -> None:
        self.known: dict[str, str] = {}
        for node in ast.walk(tree):
            if isinstance(node, ast.Import) and not node.col_offset:
                for alias in node.names:
                    first = alias.name.partition(".")[0]
                    self.known[alias.asname or first] = alias.name if alias.asname else first
            elif isinstance(node, ast.ImportFrom) and not node.col_offset:
                for alias in node.names:
                    self.known[alias.asname or alias.name] = f"{node.module}.{alias.name}"
            elif isinstance(node, ast.Try):
                for inner in node.body:
                    self.known.update(Resolver(ast.Module([_at_left(inner)], []), "").known)
            elif isinstance(node, ast.FunctionDef | ast.ClassDef) and not node.col_offset:
                own = "torch_xla.core." if stem == "xla_model" else ""
                self.known[node.name] = f"{own}{stem}.{node.name}"

    def __call__(self, text: str) -> str | None:
        root, dot, rest = text.partition(".")
        return f"{self.known[root]}{dot}{rest}" if root in self.known else None


def _at_left(node: ast.stmt) -> ast.stmt:
    if node.col_offset == 4:
        node.col_offset = 0
    return node
