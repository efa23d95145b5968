"""The grammar of fixture programs: what is understood, and that slips do not pass in silence."""

from __future__ import annotations

from pathlib import Path

import pytest

from fixture_programs import (
    Expectation,
    MalformedFixture,
    Missed,
    Proof,
    Quiet,
    bad_programs,
    read_program,
)


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
        Expectation(path, 1, "XLA101", None),
        Expectation(path, 1, "XLA102", "likely"),
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
    with pytest.raises(MalformedFixture):
        read_program(write(tmp_path, "case.py", text), "XLA101")


def test_all_programs_of_the_project_can_be_read() -> None:
    assert bad_programs()
