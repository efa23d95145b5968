"""A program is run again under another seed: all that it draws is drawn otherwise."""

from __future__ import annotations

from pathlib import Path

from xlalint_runtime.proving.forkserver import ForkServer
from xlalint_runtime.proving.measurement import Job

PROGRAM = Path(__file__).parent / "programs" / "draws_random_numbers.py"


def test_the_seed_of_a_run_decides_what_every_generator_draws(server: ForkServer) -> None:
    runs = list(server.run(Job(str(PROGRAM), seed=seed) for seed in (0, 0, 1)))
    first, again = (run.numbers for run in runs if run.seed == 0)
    (other,) = (run.numbers for run in runs if run.seed == 1)
    assert first is not None and other is not None, [run.output for run in runs]
    assert first == again
    assert all(one != another for one, another in zip(first, other, strict=True))
