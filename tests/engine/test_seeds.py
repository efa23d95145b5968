"""Under another seed a program draws all that it draws otherwise, also in the same process."""

from __future__ import annotations

from pathlib import Path

from xlalint_runtime.proving.forkserver import ForkServer
from xlalint_runtime.proving.measurement import Job
from xlalint_runtime.proving.prove import measure_on

PROGRAMS = Path(__file__).parent / "programs"
PROGRAM = PROGRAMS / "draws_random_numbers.py"


def test_the_seed_of_a_run_decides_what_every_generator_draws(server: ForkServer) -> None:
    runs = list(server.run(Job(str(PROGRAM), seed=seed) for seed in (0, 0, 1)))
    first, again = (run.numbers for run in runs if run.seed == 0)
    (other,) = (run.numbers for run in runs if run.seed == 1)
    assert first is not None and other is not None, [run.output for run in runs]
    assert first == again
    assert all(one != another for one, another in zip(first, other, strict=True))


def test_a_second_run_in_the_same_process_draws_what_one_of_its_own_does(server: ForkServer) -> None:
    (both,) = server.run([Job(str(PROGRAM), other_seed=1)])
    (alone,) = server.run([Job(str(PROGRAM), seed=1)])
    assert both.reseeded == alone.numbers != both.numbers


def test_how_a_second_run_ends_says_nothing_of_the_first_and_is_tried_in_a_process_of_its_own(
    server: ForkServer,
) -> None:
    program = str(PROGRAMS / "ends_by_signal_when_run_again.py")
    (both,) = server.run([Job(program, other_seed=1)])
    assert (both.aborted, both.reseeded) == (None, None)
    measured = measure_on(server, [Job(program, other_seed=1)])[program]
    assert measured.aborted is None
    assert measured.reseeded is not None
    assert measured.reseeded != measured.numbers
