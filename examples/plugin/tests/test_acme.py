"""Every program says on its lines what must be found in it, and nothing else may be."""

from __future__ import annotations

from pathlib import Path

import pytest

from xlalint.testing import assert_as_marked, programs

PROGRAMS = programs(Path(__file__).parent / "programs")


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.stem)
def test_what_is_marked_is_found_and_nothing_else(program: Path) -> None:
    assert_as_marked(program, rules=["ACME", "XLA1"])
