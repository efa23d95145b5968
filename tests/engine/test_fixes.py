"""What the fixer makes of every fixture program computes on the real engine what it should."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from fixing import fixed
from fixture_programs import Program, bad_programs
from xlalint_runtime.proving.forkserver import ForkServer
from xlalint_runtime.proving.measurement import Measurement
from xlalint_runtime.proving.prove import job, measure_on, same_numbers

LAUNCHED_OTHERWISE = {
    "XLA202/inference_over_loader": "the expert reads once, below the loop",
    "XLA203/in_many_ways": "before one exit comes a marker; the expert's step cuts once more where it begins",
    "XLA209/generator_of_another_module": "a sync comes before the read; it stays a generator",
    "XLA501/probe_of_updated_parameters": "the expert takes the probe into the step; ours stays below it",
    "XLA501/trainer_leaves_early": "the expert saves below the step; a sync in the helper cuts once more",
}
"""Programs that launch more after their fixes than their expert's cure does, and why."""

ROUNDED_OTHERWISE = {
    "XLA601/checkpoint_in_another_module": "the save runs the step in parts, which are rounded otherwise",
    "XLA601/state_dict_every_nth_step": "the save runs the step in parts, which are rounded otherwise",
    "XLA602/save_every_nth_step": "the save runs the step in parts, which are rounded otherwise",
}
"""Programs whose parameters are not the same bit for bit after any cure, and why."""

CURED_IN_PART = {
    "XLA103/while_not_converged": "what compiled anew in each round is a step now, beside the test of the "
    "loop, which reads as before: it launches more, and compiles twice",
    "XLA302/benchmark_of_a_few_rounds": "where nothing cuts before the clock is read, that is only shown",
    "XLA812/fine_tuning_script": "of its mistakes some are only shown, and raise before or after the fixes",
}
"""Programs that still do harm after their fixes, and why."""

LAST_DIGITS = 1e-6


COMPUTED_OTHERWISE = {"XLA404"}
"""Rules whose cures train on other samples."""


def objections(program: Program, before: Measurement, cure: Measurement, after: Measurement) -> Iterator[str]:
    """Whatever speaks against what the fixer made of a program.

    Where the harm is cost, it must compute what the program computed, and launch no more. Where the cure
    changes what is computed or launched, it must do what that does, and not what the program did.
    """
    for measure in ("raised", "aborted", "pending", "trained", "error"):
        if getattr(after, measure) != getattr(cure, measure):
            yield f"{measure}: {getattr(after, measure)}, and {getattr(cure, measure)} of the cure"
    harm = program.code in COMPUTED_OTHERWISE or _beyond_cost(before, cure)
    model, whose = (cure, "cure") if harm else (before, "program")
    for measure in ("numbers", "parameters"):
        one, other = getattr(after, measure), getattr(model, measure)
        rounded = measure == "parameters" and program.id in ROUNDED_OTHERWISE
        if not _equal(one, other, LAST_DIGITS if rounded else program.tolerance):
            yield f"{measure} differ from those of the {whose}: {one} and {other}"
    if program.id in ROUNDED_OTHERWISE and not _equal(after.parameters, cure.parameters, None):
        yield "parameters differ from those of the cure"
    launched, by_cure, by_program = after.launches or 0, cure.launches or 0, before.launches or 0
    if harm and launched != by_cure and program.id not in LAUNCHED_OTHERWISE:
        yield f"{launched} graphs are launched, and {by_cure} by the cure"
    if not harm and launched > by_program:
        yield f"{launched} graphs are launched, and {by_program} before"
    if harm and _seen(after) == _seen(before):
        yield "the program does what it did"


def _beyond_cost(before: Measurement, cure: Measurement) -> bool:
    """Whether a cure changes more than how often the device computes the same."""
    told = ("raised", "aborted", "pending", "trained")
    return (
        any(getattr(before, measure) != getattr(cure, measure) for measure in told)
        or (cure.launches or 0) > (before.launches or 0)
        or before.numbers is None
    )


def _equal(one: list[float] | None, other: list[float] | None, tolerance: float | None) -> bool:
    if one is None or other is None:
        return one is other
    return same_numbers(one, other, None) or (tolerance is not None and same_numbers(one, other, tolerance))


def _seen(run: Measurement) -> tuple[object, ...]:
    return (run.raised, run.aborted, run.pending, run.trained, run.launches)


# On the engine ----------------------------------------------------------------------------------


BAD = bad_programs()


@pytest.fixture(scope="module")
def fixes(
    server: ForkServer, request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Mapping[str, Measurement | None]:
    """What the programs do after their fixes; None where that is the expert's cure, or nothing changed."""
    items = [item for item in request.session.items if item.path == request.path]
    programs = [
        program
        for item in items
        if isinstance(item, pytest.Function) and hasattr(item, "callspec")
        for program in [item.callspec.params.get("program")]
        if isinstance(program, Program)
    ]
    folder = tmp_path_factory.mktemp("fixes")
    entries = {
        program.id: _written(program, folder / program.id)
        for program in programs
        if fixed(program).changed and not _as_the_expert(program)
    }
    runs = measure_on(
        server,
        [
            replace(
                job(program, program.replicas, None, program.devices),
                program=str(entries[program.id]),
                guarded=False,
            )
            for program in programs
            if program.id in entries
        ],
    )
    return {
        program.id: runs[str(entries[program.id])] if program.id in entries else None for program in programs
    }


@pytest.mark.parametrize("program", BAD, ids=lambda program: program.id)
def test_a_fixed_program_computes_what_it_should(
    program: Program, measured: Mapping[str, Measurement], fixes: Mapping[str, Measurement | None]
) -> None:
    assert program.fixed is not None
    if fixed(program).changed:
        cure = measured[str(program.fixed.entry)]
        after = fixes[program.id] or cure
        against = list(objections(program, measured[str(program.entry)], cure, after))
        assert bool(against) is (program.id in CURED_IN_PART), against


def test_what_is_launched_otherwise_still_is(
    measured: Mapping[str, Measurement], fixes: Mapping[str, Measurement | None]
) -> None:
    for program in BAD:
        after = fixes.get(program.id)
        if program.id in LAUNCHED_OTHERWISE and after is not None and program.fixed is not None:
            assert after.launches != measured[str(program.fixed.entry)].launches


def _as_the_expert(program: Program) -> bool:
    """Whether the fixer writes what the expert wrote, apart from comments and layout."""
    assert program.fixed is not None
    texts = fixed(program).texts
    return all(
        cure.exists() and ast.dump(ast.parse(texts[path])) == ast.dump(ast.parse(cure.read_bytes()))
        for path in program.modules
        for cure in [
            program.fixed.entry.parent / path.relative_to(program.entry.parent)
            if program.root.is_dir()
            else program.fixed.entry
        ]
    )


def _written(program: Program, folder: Path) -> Path:
    """The entry of a program after its fixes, as files."""
    for path, text in fixed(program).texts.items():
        to = folder / path.relative_to(program.entry.parent)
        to.parent.mkdir(parents=True, exist_ok=True)
        to.write_text(text, encoding="utf-8")
    return folder / program.entry.name


# What would speak against a fix -----------------------------------------------------------------

PROGRAM = replace(BAD[0], tolerance=None)
RUN = Measurement("x.py", launches=20, compiles=3, pending=0, trained=True, parameters=[0.5], numbers=[0.1])
CHEAPER = replace(RUN, launches=10)
UNTRAINED = replace(RUN, trained=False, parameters=[0.0], numbers=[0.3])


def test_a_fix_may_cost_as_much_as_before_or_less() -> None:
    assert not list(objections(PROGRAM, RUN, CHEAPER, CHEAPER))
    assert not list(objections(PROGRAM, RUN, CHEAPER, RUN))


@pytest.mark.parametrize(
    "after",
    [
        replace(CHEAPER, launches=21),
        replace(CHEAPER, numbers=[0.10000000000000002]),
        replace(CHEAPER, parameters=[0.25]),
        replace(CHEAPER, numbers=None),
        replace(CHEAPER, trained=False),
        replace(CHEAPER, pending=1),
        replace(CHEAPER, parameters=[0.5000001]),
        replace(CHEAPER, raised="RuntimeError"),
        replace(CHEAPER, aborted="SIGABRT"),
        replace(CHEAPER, error="no main()"),
    ],
)
def test_a_fix_must_not_cost_more_or_compute_otherwise(after: Measurement) -> None:
    assert list(objections(PROGRAM, RUN, CHEAPER, after))


def test_a_fix_must_end_what_was_computed_wrongly() -> None:
    assert not list(objections(PROGRAM, UNTRAINED, RUN, RUN))
    assert list(objections(PROGRAM, UNTRAINED, RUN, UNTRAINED))
    assert list(objections(PROGRAM, UNTRAINED, RUN, CHEAPER))


def test_what_is_rounded_otherwise_is_rounded_as_by_the_cure() -> None:
    (program,) = (each for each in BAD if each.id == next(iter(ROUNDED_OTHERWISE)))
    cure = replace(CHEAPER, parameters=[0.5000001])
    assert not list(objections(program, RUN, cure, cure))
    assert list(objections(program, RUN, cure, replace(cure, parameters=[0.50000011])))
    far = replace(cure, parameters=[0.51])
    assert list(objections(program, RUN, far, far))


def test_a_tolerance_is_the_programs_own() -> None:
    near = replace(CHEAPER, numbers=[0.1000001])
    assert not list(objections(replace(PROGRAM, tolerance=1e-5), RUN, CHEAPER, near))
