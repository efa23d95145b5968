"""Whatever a file holds, the check ends, soon, and speaks of places that there are.

A failing seed makes the same input again: `fuzzing.text_of(seed)`.
"""

from __future__ import annotations

from pathlib import Path

import pytest

import fuzzing


def failures(seeds: range, folder: Path) -> list[fuzzing.Failure]:
    """What went wrong with inputs, at most three times."""
    found: list[fuzzing.Failure] = []
    for seed in seeds:
        failure = fuzzing.run(seed, folder)
        if failure is not None:
            found.append(failure)
            if len(found) == 3:
                break
    return found


def test_changed_programs_are_checked(tmp_path: Path) -> None:
    assert failures(range(1000), tmp_path) == []


@pytest.mark.soak
@pytest.mark.timeout(0)
def test_many_changed_programs_are_checked(tmp_path: Path) -> None:
    assert failures(range(1000, 51_000), tmp_path) == []


def test_a_seed_stands_for_one_input() -> None:
    assert [fuzzing.text_of(seed) for seed in range(20)] == [fuzzing.text_of(seed) for seed in range(20)]
