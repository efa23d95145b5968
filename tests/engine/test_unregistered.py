"""Without torch_xla imported, PyTorch has no XLA device: XLA004. Each program runs as its user runs it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from fixture_programs import FIXTURES

PROGRAM = FIXTURES / "XLA004" / "loop_moved_by_a_word.py"


def run(program: Path) -> subprocess.CompletedProcess[str]:
    """The end of a program in a process of its own."""
    return subprocess.run([sys.executable, program], capture_output=True, text=True, timeout=120, check=False)


def test_the_word_for_the_device_raises_by_itself() -> None:
    ended = run(PROGRAM)
    assert ended.returncode == 1
    assert "RuntimeError" in ended.stderr and "xla" in ended.stderr.splitlines()[-1]


@pytest.mark.parametrize(
    "program",
    [PROGRAM.with_suffix(".fixed.py"), FIXTURES / "clean" / "import_in_another_module" / "main.py"],
    ids=lambda program: program.stem,
)
def test_an_import_brings_the_device(program: Path) -> None:
    assert run(program).returncode == 0
