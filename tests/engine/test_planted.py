"""A hazard at a random legal place of a real program is found at its line; without it all is silent."""

from __future__ import annotations

from pathlib import Path

import pytest

from planting import Planted, planted
from xlalint_runtime.proving.forkserver import ForkServer
from xlalint_runtime.proving.measurement import Job, Measurement

PROGRAMS = sorted((Path(__file__).parent / "planting").glob("*.py"))
NEEDS = {"accelerate_loop": "accelerate", "hf_trainer": "transformers"}
QUICK = "mnist"
PLANTS = 20
"""Of each program; two of one program are enough for every change."""
FOUND = 0.9
"""At least this part of all plants."""

every_program = pytest.mark.parametrize(
    ("program", "plants"),
    [
        *(pytest.param(path, 2, id=f"{path.stem}-2") for path in PROGRAMS if path.stem == QUICK),
        *(pytest.param(path, PLANTS, id=path.stem, marks=pytest.mark.soak) for path in PROGRAMS),
    ],
)


def watched(server: ForkServer, paths: list[Path]) -> dict[str, Measurement]:
    jobs = [Job(str(path), request={}, timeout=300) for path in paths]
    found = {measurement.program: measurement for measurement in server.run(jobs)}
    for measurement in found.values():
        assert measurement.run is not None, measurement.output
    return found


def is_found(plant: Planted, measurement: Measurement) -> bool:
    """Whether a rule that may tell of the plant does, at its line or as led there from another."""
    assert measurement.run is not None
    return any(
        each["code"] in plant.codes
        and any(place["range"]["start"]["line"] in plant.lines for place in (each, *each["related"]))
        for each in measurement.run["diagnostics"]
    )


def plants_of(program: Path, folder: Path, numbers: range) -> dict[str, Planted]:
    """By path, programs with a hazard each."""
    made = {}
    for number in numbers:
        path = folder / f"{program.stem}_{number}.py"
        plant = planted(program, number)
        path.write_text(plant.text, encoding="utf-8")
        made[str(path)] = plant
    return made


@every_program
def test_programs_are_silent_and_what_is_planted_in_them_is_found(
    program: Path, plants: int, server: ForkServer, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    if program.stem in NEEDS:
        pytest.importorskip(NEEDS[program.stem])
    planted_in = plants_of(program, tmp_path, range(plants))
    found = watched(server, [program, *map(Path, planted_in)])
    missed = [plant for path, plant in planted_in.items() if not is_found(plant, found[path])]
    unplanted = found[str(program)].run
    assert unplanted is not None
    with capsys.disabled():
        alarms = len(unplanted["diagnostics"])
        print(f"\n{program.stem}: {plants - len(missed)} of {plants} found, {alarms} alarms without")
    assert (unplanted["end"], unplanted["diagnostics"]) == ("ended", []), found[str(program)].output
    said = "\n".join(f"{plant.hazard!r} at line {plant.lines.start}" for plant in missed)
    assert len(missed) <= (1 - FOUND) * plants, f"missed:\n{said}"
    if said:
        with capsys.disabled():
            print(f"missed:\n{said}")


def test_plants_are_programs_with_one_statement_more(tmp_path: Path) -> None:
    for program in PROGRAMS:
        text = program.read_text(encoding="utf-8")
        for number in range(PLANTS):
            plant = planted(program, number)
            compile(plant.text, str(program), "exec")
            lines = plant.text.splitlines()
            without = [line for at, line in enumerate(lines, start=1) if at not in plant.lines]
            assert [*without[:1], "", *without[2:]] == text.splitlines()
