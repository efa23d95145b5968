"""What the interpreter makes of each construct of the language: programs in tests/interpreter.

`# expect: XLA101` marks the lines at which diagnostics start, all others are silent. `# state: heavy`
says how much work is recorded before a line runs: `none`, `light`, `heavy`, between two of them
(`none-heavy`), or `never` where control never comes.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from checking import mark_of
from xlalint.analysis.engine import trace
from xlalint.checker import check
from xlalint.configuration import Configuration
from xlalint.lazy.values import Recorded
from xlalint.settings import SettingsFinder
from xlalint.sources.file import SourceFile, read

CHECKOUT = Path(__file__).resolve().parent.parent
FOLDER = CHECKOUT / "tests" / "interpreter"
PROGRAMS = sorted(path for path in FOLDER.iterdir() if path.suffix == ".py" or (path / "main.py").is_file())
RULES = ("XLA092", "XLA101", "XLA102", "XLA103", "XLA203", "XLA502", "XLA701")


def name(program: Path) -> str:
    return program.stem


@pytest.mark.parametrize("program", PROGRAMS, ids=name)
def test_diagnostics_come_on_the_marked_lines(program: Path) -> None:
    finder = SettingsFinder(isolated=True, given={"select": RULES})
    folder = program if program.is_dir() else program.parent
    found = {
        f"{mark.path}:{mark.line} {mark.code}" + (" likely" if diagnostic.certainty.value == "likely" else "")
        for diagnostic in check([program], finder).diagnostics
        for mark in [mark_of(diagnostic, program)]
    }
    expected = {
        f"{path.relative_to(folder).as_posix()}:{line} {code}"
        for path in (sorted(program.rglob("*.py")) if program.is_dir() else [program])
        for line, codes in marks(path, "expect").items()
        for code in codes.split(", ")
    }
    assert {"missed": sorted(expected - found), "false": sorted(found - expected)} == {
        "missed": [],
        "false": [],
    }


@pytest.mark.parametrize("program", PROGRAMS, ids=name)
def test_the_state_is_the_one_marked(program: Path) -> None:
    path = program / "main.py" if program.is_dir() else program
    file = read(path)
    assert isinstance(file, SourceFile)
    found = {known.line: shown(known.state.engine.recorded) for known in trace(file, Configuration())}
    wrong = [
        f"{path.name}:{line}: {found.get(line, 'never')} instead of {wanted}"
        for line, wanted in marks(path, "state").items()
        if found.get(line, "never") != wanted
    ]
    assert not wrong


@pytest.mark.parametrize("tree", ["fixtures", "examples", "tests/interpreter"])
def test_answers_do_not_depend_on_the_order_of_hashes(tree: str) -> None:
    """Strings hash by a seed, enum members and classes by their address: both differ by process."""
    command = [sys.executable, "-m", "xlalint", "check", "--isolated", "--exit-zero", "-v"]
    runs = [
        subprocess.Popen(
            [*command, "--output-format", "json", str(CHECKOUT / tree)],
            env={**os.environ, "PYTHONHASHSEED": seed},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        for seed in ("1", "2")
    ]
    one, other = (run.communicate(timeout=120) for run in runs)
    assert b"contexts" in one[1]
    assert one == other


def marks(path: Path, what: str) -> dict[int, str]:
    lines = path.read_text().splitlines()
    found = ((number, re.search(rf"# {what}: ([^#]+)", line)) for number, line in enumerate(lines, 1))
    return {number: match[1].strip() for number, match in found if match is not None}


def shown(recorded: Recorded) -> str:
    must, may = recorded.must.name.lower(), recorded.may.name.lower()
    return must if must == may else f"{must}-{may}"
