"""Programs whose replicas part are ended before they hang, with every place and the test that parted
them; their cures run to the end in silence."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from xlalint_runtime.proving.forkserver import ForkServer
from xlalint_runtime.proving.measurement import Job, Measurement

PROGRAMS = sorted(
    path for path in (Path(__file__).parent / "parting").glob("*.py") if not path.stem.endswith(".fixed")
)
QUICK = {
    "break_by_own_loss", "clipped_on_one", "cut_on_one", "different_number_of_batches", "different_order",
    "master_adds_up_its_loss", "read_in_other_graphs", "weighed_by_its_number",
}  # fmt: skip
"""One of each way to find it out: who has ended, other graphs at a cut and in a read, a loop, the collectives
compared."""

every_program = pytest.mark.parametrize(
    "path",
    [path if path.stem in QUICK else pytest.param(path, marks=pytest.mark.soak) for path in PROGRAMS],
    ids=lambda path: path.stem,
)


def marked(path: Path) -> dict[str, int]:
    """The lines that the program is marked with: `replica 0`, `parted by`."""
    lines = enumerate(path.read_text(encoding="utf-8").splitlines(), start=1)
    marks = ((line, text.partition("  # ")[2]) for line, text in lines)
    return {name: line for line, mark in marks for name in re.findall(r"replica \d|parted by", mark)}


def told(path: Path, measurement: Measurement) -> dict[str, int]:
    """The lines that the report shows; of `parted by` the first."""
    assert measurement.run is not None, measurement.output
    (note,) = (note for note in measurement.run["notes"] if note.startswith("replicas part"))
    place = re.compile(rf"^ +(replica \d|parted by) .*?\b{re.escape(path.name)}:(\d+)", re.MULTILINE)
    return {name: int(line) for name, line in place.findall(note)}


def watched(server: ForkServer, paths: list[Path]) -> dict[str, Measurement]:
    sizes = [
        re.search(r"^# replicas: (\d+)$", path.read_text(encoding="utf-8"), re.MULTILINE) for path in paths
    ]
    jobs = [
        Job(str(path), replicas=int(size[1]), request={})
        for path, size in zip(paths, sizes, strict=True)
        if size is not None
    ]
    return {measurement.program: measurement for measurement in server.run(jobs)}


@every_program
def test_replicas_that_part_are_ended_with_their_places_and_their_cure_is_silent(
    path: Path, server: ForkServer
) -> None:
    cure = path.with_name(f"{path.stem}.fixed.py")
    found = watched(server, [path, cure])
    parted, cured = found[str(path)], found[str(cure)]
    assert (parted.raised, parted.aborted) == ("Parted", None), parted.output
    expected, shown = marked(path), told(path, parted)
    assert expected
    assert {name: shown.get(name) for name in expected} == expected
    assert ("parted by" in shown) == ("parted by" in expected)
    assert (cured.raised, cured.aborted) == (None, None), cured.output
    assert cured.run is not None
    assert (cured.run["end"], cured.run["diagnostics"]) == ("ended", [])
    assert all(note.startswith("replicas launch in the order of their ranks") for note in cured.run["notes"])


def test_there_are_ten_at_least() -> None:
    assert len(PROGRAMS) >= 10
    assert {path.stem for path in PROGRAMS} >= QUICK
