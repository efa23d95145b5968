"""The grammar of fixture programs: what is understood, and that slips do not pass in silence."""

from __future__ import annotations

from pathlib import Path

import pytest

from fixture_programs import (
    Missed,
    Program,
    Proof,
    Quiet,
    bad_programs,
    clean_programs,
    read_program,
)
from xlalint.testing import Expected


def write(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def test_marks_stand_on_their_lines(tmp_path: Path) -> None:
    path = write(
        tmp_path,
        "case.py",
        "a()  # expect: XLA101, XLA102 likely\n"
        "b()  # missed: XLA203 the name is computed\n"
        "c()  # quiet: a number of the host\n",
    )
    program = read_program(path, "XLA101")
    assert program.expectations == (
        Expected(path, 1, "XLA101", None),
        Expected(path, 1, "XLA102", "likely"),
    )
    assert program.missed == (Missed(path, 2, "XLA203", "the name is computed"),)
    assert program.quiet == (Quiet(path, 3, "a number of the host"),)


def test_headers_say_what_the_engine_shows(tmp_path: Path) -> None:
    path = write(
        tmp_path,
        "case.py",
        "# proof: launches 20 -> 10, compiles 2 -> 1\n# proof: raises RuntimeError -> none\n"
        "# replicas: 2\n# tolerance: 1e-5\n",
    )
    program = read_program(path, "XLA101")
    assert program.proofs == (
        Proof("launches", "20", "10"),
        Proof("compiles", "2", "1"),
        Proof("raises", "RuntimeError", "none"),
    )
    assert (program.replicas, program.tolerance, program.no_proof) == (2, 1e-5, None)


def test_a_folder_is_one_program_with_its_cure(tmp_path: Path) -> None:
    write(tmp_path, "case/main.py", "import helper\n")
    helper = write(tmp_path, "case/helper.py", "a()  # expect: XLA101\n")
    write(tmp_path, "case.fixed/main.py", "")
    program = read_program(tmp_path / "case", "XLA101")
    assert program.modules == (tmp_path / "case" / "main.py", helper)
    assert program.expectations[0].path == helper
    assert program.fixed is not None
    assert program.fixed.slug == "case"


@pytest.mark.parametrize(
    "text",
    [
        "a()  # expect XLA101\n",
        "a()  # expect: XLA1\n",
        "a()  # expect: XLA101 perhaps\n",
        "a()  # quiet:\n",
        "# proof: launch 20 -> 10\n",
        "# proof: launches 20 to 10\n",
    ],
)
def test_a_slip_is_an_error(text: str, tmp_path: Path) -> None:
    with pytest.raises(ValueError):
        read_program(write(tmp_path, "case.py", text), "XLA101")


BAD = {"case.py": "# proof: launches 20 -> 10, pending 0 -> 0\n", "case.fixed.py": ""}


@pytest.mark.parametrize(
    "files",
    [
        BAD,
        {**BAD, "case.py": "# proof: pending 0 -> 0\n# no proof: both launch the same graphs\n"},
        {**BAD, "case.py": "# no proof: a comment does nothing on the engine\n"},
    ],
)
def test_a_bad_program_has_a_cure_and_a_proof_or_an_excuse(files: dict[str, str], tmp_path: Path) -> None:
    assert _read(files, tmp_path, "XLA101").lacks == ()


@pytest.mark.parametrize(
    ("files", "lacking"),
    [
        ({"case.py": BAD["case.py"]}, "no cure"),
        ({**BAD, "case.py": ""}, "neither"),
        ({**BAD, "case.py": "# proof: launches 10 -> 10\n"}, "differs"),
        ({**BAD, "case.py": "# proof: launches 10\n"}, "not for its cure"),
        ({"case.py": BAD["case.fixed.py"], "case.fixed.py": BAD["case.py"]}, "its cure states a proof"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_bad_program_that_shows_nothing_is_told(
    files: dict[str, str], lacking: str, tmp_path: Path
) -> None:
    assert any(lacking in what for what in _read(files, tmp_path, "XLA101").lacks)


def test_a_clean_program_states_what_is_measured(tmp_path: Path) -> None:
    assert _read({"case.py": "# proof: launches 10\n"}, tmp_path, None).lacks == ()
    assert _read({"case.py": ""}, tmp_path, None).lacks
    assert _read({"case.py": "# proof: launches 20 -> 10\n"}, tmp_path, None).lacks


def _read(files: dict[str, str], folder: Path, code: str | None) -> Program:
    for name, text in files.items():
        write(folder, name, text)
    return read_program(folder / "case.py", code)


def test_there_are_programs() -> None:
    assert bad_programs()
    assert clean_programs()


@pytest.mark.parametrize("program", [*bad_programs(), *clean_programs()], ids=lambda program: program.id)
def test_every_program_of_the_project_can_show_something(program: Program) -> None:
    assert program.lacks == ()
