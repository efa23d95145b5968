"""What a framework calls is judged in the framework's context, though no call to it can be seen."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from checking import diagnostics_of, mark_of

PROGRAMS = Path(__file__).parent / "frameworks"


@pytest.mark.parametrize("name", ["criterion", "criterion_on_device"])
def test_hooks_are_judged_on_the_marked_lines(name: str) -> None:
    root = PROGRAMS / name
    wanted = set()
    for path in sorted(root.rglob("*.py")):
        for number, line in enumerate(path.read_text().splitlines(), 1):
            if "# expect: " in line:
                code, *certainty = line.partition("# expect: ")[2].split()
                wanted.add((path.relative_to(root).as_posix(), number, code, *certainty))
    found = {
        (*mark_of(d, root), *(["likely"] if d.certainty.value == "likely" else []))
        for d in diagnostics_of(root)
    }
    assert found == wanted


def test_hooks_need_a_package_that_trains_on_a_device(tmp_path: Path) -> None:
    """The same criterion in a package that never mentions torch_xla says nothing."""
    package = tmp_path / "fairseq"
    package.mkdir()
    (package / "__init__.py").touch()
    (package / "criterions.py").write_text((PROGRAMS / "criterion/fairseq/criterions.py").read_text())
    assert diagnostics_of(tmp_path) == []


def test_a_suppression_in_what_a_framework_calls_is_heard(tmp_path: Path) -> None:
    """The file names no torch_xla itself, but another file of its package does."""
    root = tmp_path / "program"
    shutil.copytree(PROGRAMS / "criterion", root)
    criterions = root / "fairseq" / "criterions.py"
    text = criterions.read_text()
    criterions.write_text(text.replace("# expect: XLA102 likely", "# xlalint: ignore[XLA102] once an epoch"))
    assert {diagnostic.code for diagnostic in diagnostics_of(root)} == {"XLA201"}
