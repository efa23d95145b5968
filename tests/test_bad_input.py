"""Files that are not as they should be: a clear diagnostic for each, and the others are checked.

Every test runs the real command in a process of its own, with a sound file beside the bad one.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from deep_programs import DEEP
from warm_command import command
from xlalint.sources.file import SourceFile, Unreadable, read

SOUND = """\
import torch
import torch_xla


def main():
    model = torch.nn.Linear(8, 1).to("xla")
    with torch_xla.step():
        loss = model(torch.randn(4, 8).to("xla")).mean()
        print(loss.item())


main()
"""
SOUND_LINE = ("sound.py", 9, "XLA101")


class Outcome(NamedTuple):
    code: int
    diagnostics: list[dict[str, Any]]
    errors: str

    @property
    def places(self) -> list[tuple[str, int, str]]:
        return [(d["path"], d["range"]["start"]["line"], d["code"]) for d in self.diagnostics]

    def message(self, path: str) -> str:
        (found,) = [d["message"] for d in self.diagnostics if d["path"] == path]
        return str(found)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "sound.py").write_text(SOUND)
    return tmp_path


def check(folder: Path, *arguments: str, start: tuple[str, ...] = ()) -> Outcome:
    """Run the command; `start` is how Python is asked to, if not as usual."""
    arguments = ("check", "--output-format", "json", *arguments)
    if start:
        line = [sys.executable, *start, *arguments]
        run = subprocess.run(line, cwd=folder, capture_output=True, timeout=120, check=False)
    else:
        run = command(*arguments, folder=folder)
    errors = run.stderr.decode()
    assert "Traceback" not in errors
    assert "internal error" not in errors
    assert (run.returncode == 2) == errors.startswith(("Error: ", "Usage: "))
    return Outcome(run.returncode, json.loads(run.stdout or "[]"), errors)


def hot(text: str | bytes) -> bytes:
    return b"import torch_xla\n" + (text.encode() if isinstance(text, str) else text)


@pytest.mark.parametrize(
    ("data", "line", "message"),
    [
        pytest.param(hot("def f(:\n"), 2, "syntax error: invalid syntax", id="syntax error"),
        pytest.param(hot("x = (\n"), 2, "syntax error: '(' was never closed", id="end of the file"),
        pytest.param(hot("if x:\n\ty\n        z\n"), 4, "syntax error: ", id="tabs and spaces that disagree"),
        pytest.param(hot("print 'x'\n"), 2, "syntax error: Missing parentheses", id="Python 2"),
        pytest.param(hot(b"s = '\xff'\n"), 2, "line 2 is not valid UTF-8 (byte 0xff)", id="undecodable"),
        pytest.param(
            b"s = '\xe9\xe8'\n", 1, "line 1 is not valid UTF-8 (byte 0xe9)", id="undecodable, no XLA"
        ),
        pytest.param(hot(b"a\x00b\n"), 2, "line 2 contains a NUL byte", id="NUL"),
        pytest.param(b"\x00" * 100, 1, "line 1 contains a NUL byte", id="NUL only, no XLA"),
        pytest.param(
            b"# coding: klingon\n" + hot(""),
            1,
            "an unknown encoding, klingon",
            id="unknown encoding",
        ),
        pytest.param(
            b"\xef\xbb\xbf# coding: latin-1\n" + hot(""),
            1,
            "UTF-8 byte order mark but declares latin-1",
            id="two encodings",
        ),
        pytest.param(
            b"# coding: ascii\n" + hot(b"s = '\xe9'\n"),
            3,
            "line 3 is not valid ascii (byte 0xe9)",
            id="not ascii",
        ),
    ],
)
def test_a_file_that_cannot_be_read_is_named_with_its_reason(
    folder: Path, data: bytes, line: int, message: str
) -> None:
    (folder / "bad.py").write_bytes(data)
    found = check(folder)
    assert found.code == 1
    assert found.places == [("bad.py", line, "XLA000"), SOUND_LINE]
    assert message in found.message("bad.py")


def test_a_named_file_is_parsed_even_if_it_does_not_speak_of_torch_xla(folder: Path) -> None:
    """Parsing every file of a tree would cost more than all the rest."""
    (folder / "bad.py").write_text("def f(:\n")
    assert check(folder).places == [SOUND_LINE]
    assert check(folder, "bad.py").places == [("bad.py", 1, "XLA000")]


@pytest.mark.parametrize(
    ("options", "reported"),
    [
        ("--select=XLA2", True),
        ("--select=XLA2 --ignore=XLA0", True),
        ("--ignore=ALL", True),
        ("--select=XLA2 --ignore=XLA000", False),
        ("--ignore=unreadable-file,XLA1", False),
    ],
)
def test_an_unreadable_file_is_reported_whatever_is_selected_unless_ignored_by_name(
    folder: Path, options: str, reported: bool
) -> None:
    (folder / "broken.py").write_bytes(hot("def f(:\n"))
    (folder / "undecodable.py").write_bytes(b"s = '\xff'\n")
    found = check(folder, *options.split())
    named = [("broken.py", 2, "XLA000"), ("undecodable.py", 1, "XLA000")]
    assert found.places == (named if reported else [])
    assert found.code == (1 if reported else 0)


def test_unreadable_files_can_be_ignored_in_settings_and_in_some_files(folder: Path) -> None:
    for name in ("a.py", "b.py"):
        (folder / name).write_bytes(hot("def f(:\n"))
    (folder / "xlalint.toml").write_text('per-file-ignores = {"a.py" = ["XLA000"]}')
    assert check(folder).places == [("b.py", 2, "XLA000"), SOUND_LINE]
    (folder / "xlalint.toml").write_text('ignore = ["XLA000"]')
    assert check(folder).places == [SOUND_LINE]


@pytest.mark.parametrize(
    "data",
    [
        pytest.param(SOUND.encode("utf-8-sig"), id="BOM"),
        pytest.param(SOUND.replace("\n", "\r\n").encode(), id="CRLF"),
        pytest.param(SOUND.replace("\n", "\r").encode(), id="CR"),
        pytest.param(SOUND.replace("import torch\n", "import torch\f\n").encode(), id="form feed in a line"),
        pytest.param(SOUND.replace("\n\ndef", "\n\f\ndef").encode(), id="form feed for a blank line"),
        pytest.param(SOUND.replace("    ", "\t").encode(), id="tabs"),
        pytest.param(
            SOUND.replace("import torch\n", "# coding: latin-1 \xe9\n").encode("latin-1"), id="latin-1"
        ),
        pytest.param(
            SOUND.replace("import torch\n", "import torch  # \u2028 \x85 😀\n").encode(), id="separators"
        ),
        pytest.param(SOUND.rstrip("\n").encode(), id="no line end at the end"),
    ],
)
def test_unusual_bytes_move_no_line(folder: Path, data: bytes) -> None:
    (folder / "sound.py").unlink()
    (folder / "unusual.py").write_bytes(data)
    found = check(folder)
    assert found.places == [("unusual.py", 9, "XLA101")]
    indent = 2 if b"\t" in data else 8
    (diagnostic,) = found.diagnostics
    assert diagnostic["range"]["start"]["column"] == indent + len("print(") + 1


def test_a_directory_called_like_a_file_is_walked(folder: Path) -> None:
    (folder / "x.py").mkdir()
    (folder / "x.py" / "bad.py").write_bytes(hot("def f(:\n"))
    assert check(folder).places == [SOUND_LINE, ("x.py/bad.py", 2, "XLA000")]
    assert check(folder, "x.py").places == [("x.py/bad.py", 2, "XLA000")]


@pytest.mark.skipif(os.name != "posix", reason="needs POSIX links")
@pytest.mark.parametrize(
    ("target", "message"),
    [
        ("nowhere", "the symbolic link is broken"),
        ("link.py", "the symbolic link leads back to itself"),
    ],
)
@pytest.mark.parametrize("named", [True, False])
def test_broken_and_cyclic_links(folder: Path, target: str, message: str, named: bool) -> None:
    (folder / "link.py").symlink_to(target)
    found = check(folder, *(["sound.py", "link.py"] if named else []))
    assert found.places == [("link.py", 1, "XLA000"), SOUND_LINE]
    assert message in found.message("link.py")


@pytest.mark.skipif(os.name != "posix", reason="needs POSIX links")
def test_a_link_to_a_directory_around_it_does_not_go_round_for_ever(folder: Path) -> None:
    (folder / "sub").mkdir()
    (folder / "sub" / "up").symlink_to("..")
    (folder / "sub" / "up.py").symlink_to("..")
    assert check(folder).places == [SOUND_LINE]


@pytest.mark.skipif(os.name != "posix", reason="needs POSIX pipes")
def test_a_pipe_is_not_waited_for(folder: Path) -> None:
    os.mkfifo(folder / "pipe.py")
    found = check(folder)
    assert found.places == [("pipe.py", 1, "XLA000"), SOUND_LINE]
    assert "it is not a regular file" in found.message("pipe.py")


SHUTTING = """
import os, sys
from xlalint.cli import main

rights, shut, spared, *arguments = sys.argv[1:]
shut, spared = os.path.abspath(shut), spared and os.path.abspath(spared)


def refuse(path, below):
    if isinstance(path, int):
        return
    path = os.path.abspath(path)
    if spared and (path + "/").startswith(spared + "/"):
        return
    if path.startswith(shut + "/") or (path == shut and not below):
        raise PermissionError(13, "Permission denied", path)


def refusing(function, below):
    def call(path=".", *rest, **named):
        refuse(path, below)
        return function(path, *rest, **named)

    return call


class Unknown:
    # An entry of which the system says the name only: what it is would have to be asked below.
    def __init__(self, entry):
        self.name, self.path = entry.name, entry.path

    def is_dir(self, follow_symlinks=True):
        return os.path.isdir(self.path) if os.lstat(self.path) else None

    def is_symlink(self):
        return os.path.islink(self.path) if os.lstat(self.path) else None


class Listing:
    def __init__(self, entries):
        self.entries = iter(entries)

    def __iter__(self):
        return self

    def __next__(self):
        return next(self.entries)

    def close(self):
        pass

    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass


scandir = refusing(os.scandir, below="list" in rights)
os.scandir = lambda path: Listing(map(Unknown, scandir(path)))
os.listdir = refusing(os.listdir, below="list" in rights)
access = os.access


def accessible(path, mode, **named):
    try:
        refuse(path, "list" in rights)
    except PermissionError:
        return False
    return access(path, mode, **named)


os.access = accessible
os.stat, os.lstat, os.open = refusing(os.stat, True), refusing(os.lstat, True), refusing(os.open, False)
sys.argv[1:] = arguments
main()
"""


def shutting(directory: str, *, spared: str = "", rights: str = "") -> tuple[str, ...]:
    """How to start where a directory may not be entered; who runs the tests may perhaps read everything.

    Args:
        directory: It.
        spared: What below it can be reached nevertheless.
        rights: "list": the names in it can be listed.
    """
    return ("-c", SHUTTING, rights, directory, spared)


@pytest.mark.parametrize("rights", ["", "list"])
@pytest.mark.parametrize("shut", ["shut", "around/shut"])
def test_a_directory_that_may_not_be_entered_is_named(folder: Path, shut: str, rights: str) -> None:
    for name in ("bad.py", "below/bad.py", "notes.txt", ".gitignore", "xlalint.toml", "pyproject.toml"):
        (folder / shut / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / shut / name).write_text(SOUND)
    found = check(folder, start=shutting(shut, rights=rights))
    assert found.places == [(shut, 1, "XLA000"), SOUND_LINE]
    assert "cannot list this directory: permission denied" in found.message(shut)


def test_a_named_file_in_a_directory_that_may_not_be_entered(folder: Path) -> None:
    (folder / "shut").mkdir()
    (folder / "shut" / "a.py").write_text(SOUND)
    found = check(folder, "sound.py", "shut/a.py", start=shutting("shut"))
    assert found.places == [("shut/a.py", 1, "XLA000"), SOUND_LINE]
    assert "permission denied" in found.message("shut/a.py")


@pytest.mark.parametrize(("shut", "reason"), [("shut", "cannot list this directory: "), ("shut.py", "")])
def test_what_is_named_and_may_not_be_read_leaves_the_others_checked(
    folder: Path, shut: str, reason: str
) -> None:
    if shut == "shut":
        (folder / shut).mkdir()
    else:
        (folder / shut).write_text(SOUND)
    found = check(folder, "sound.py", shut, start=shutting(shut))
    assert found.places == [(shut, 1, "XLA000"), SOUND_LINE]
    assert f"{reason}permission denied" in found.message(shut)


def test_directories_around_that_may_not_be_entered_say_nothing(folder: Path) -> None:
    """Nobody may read the settings, the repository or the requirements that perhaps stand there."""
    (folder / "home").mkdir()
    (folder / "home" / "sound.py").write_text(SOUND)
    for name in ("xlalint.toml", "pyproject.toml", "requirements.txt", ".gitignore", "setup.py"):
        (folder / name).write_text("torch_xla xlalint [")
    (folder / ".git").mkdir()
    assert check(folder / "home", start=shutting("..", spared=".")).places == [SOUND_LINE]


# Settings, and what others have written -----------------------------------------------------------


@pytest.mark.parametrize("pattern", ["[z-a]", "!", "a[", "[[:foo:]]", "broken\\\\", "[\udc80-a]"])
def test_git_passes_over_a_line_that_is_not_a_pattern_and_so_does_the_walk(
    folder: Path, pattern: str
) -> None:
    (folder / "skipped.py").write_text(SOUND)
    lines = f"{pattern}\n/skipped.py\n"
    (folder / ".gitignore").write_text(lines, errors="surrogateescape")
    (folder / "below" / ".git" / "info").mkdir(parents=True)
    (folder / "below" / ".git" / "info" / "exclude").write_text(lines, errors="surrogateescape")
    (folder / "below" / "deep").mkdir()
    (folder / "below" / "deep" / "sound.py").write_text(SOUND)
    found = check(folder)
    assert (found.places, found.errors) == ([("below/deep/sound.py", *SOUND_LINE[1:]), SOUND_LINE], "")
    assert check(folder / "below" / "deep").places == [SOUND_LINE]


@pytest.mark.parametrize("pattern", ["[z-a]", "!", "a["])
@pytest.mark.parametrize("key", ["exclude", "extend-exclude", "per-file-ignores"])
def test_a_pattern_of_the_settings_that_is_none_is_a_mistake(folder: Path, key: str, pattern: str) -> None:
    value = f'{{"{pattern}" = []}}' if key == "per-file-ignores" else f'["sound.py", "{pattern}"]'
    (folder / "xlalint.toml").write_text(f"{key} = {value}\n")
    found = check(folder)
    assert found.code == 2
    mistake = f"{pattern!r} matches nothing: write a pattern as in a .gitignore"
    where = f'{key}."{pattern}"' if key == "per-file-ignores" else key
    assert found.errors == f"Error: xlalint.toml:1: {where}: {mistake}\n"
    if key != "per-file-ignores":
        (folder / "xlalint.toml").unlink()
        found = check(folder, f"--{key}", f"sound.py,{pattern}")
        assert found.code == 2
        assert found.errors.endswith(f"Error: Invalid value for '--{key}': {mistake}\n")


ENDLESS = pytest.mark.parametrize("kind", ["pipe", "endless device"])


def put(path: Path, kind: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    if kind == "pipe":
        os.mkfifo(path)
    else:
        path.symlink_to("/dev/zero")


@pytest.mark.skipif(os.name != "posix", reason="needs POSIX pipes")
@ENDLESS
@pytest.mark.parametrize("name", ["requirements.txt", ".gitignore", ".git/info/exclude", "setup.py"])
def test_what_need_not_be_ours_and_is_no_file_is_left_alone(folder: Path, name: str, kind: str) -> None:
    put(folder / name, kind)
    assert check(folder, "sound.py", ".", "--exclude", "setup.py").places == [SOUND_LINE]


@pytest.mark.skipif(os.name != "posix", reason="needs POSIX pipes")
@ENDLESS
def test_where_settings_may_stand_and_is_no_file_is_named(folder: Path, kind: str) -> None:
    put(folder / "pyproject.toml", kind)
    (folder / "below").mkdir()
    (folder / "below" / "sound.py").write_text(SOUND)
    for arguments in ([], ["sound.py", "below"]):
        found = check(folder, *arguments)
        assert ("pyproject.toml", 1, "XLA000") in found.places and SOUND_LINE in found.places, arguments
        assert "it is not a regular file, and no settings are read from it" in found.message("pyproject.toml")
    below = check(folder / "below")
    assert below.places == [("../pyproject.toml", 1, "XLA000"), SOUND_LINE]
    assert check(folder, "--isolated", "sound.py").places == [SOUND_LINE]


@pytest.mark.skipif(os.name != "posix", reason="needs POSIX pipes")
@ENDLESS
def test_settings_that_are_no_file_are_a_mistake(folder: Path, kind: str) -> None:
    put(folder / "other.toml", kind)
    put(folder / "below" / "xlalint.toml", kind)
    for arguments, name in (
        (["--config", "other.toml"], "other.toml"),
        ([], "below/xlalint.toml"),
        (["below"], "below/xlalint.toml"),
    ):
        (folder / "below" / "sound.py").write_text(SOUND)
        found = check(folder, *arguments)
        assert found.code == 2
        assert found.errors == f"Error: {name}: cannot read this file: it is not a regular file\n"


@pytest.mark.parametrize(
    ("target", "reason"), [("nowhere", "the symbolic link is broken"), (".", "it is a directory")]
)
def test_a_link_in_place_of_the_settings(folder: Path, target: str, reason: str) -> None:
    (folder / "xlalint.toml").symlink_to(target)
    found = check(folder)
    assert found.code == 2
    assert found.errors == f"Error: xlalint.toml: cannot read this file: {reason}\n"


DEEP_TOML = pytest.mark.parametrize(
    "value",
    ["[" * 5000 + "]" * 5000, "{a=" * 5000 + "1" + "}" * 5000, "[{a=" * 2500 + "1" + "}]" * 2500],
    ids=["arrays", "tables", "both"],
)


@DEEP_TOML
@pytest.mark.parametrize("name", ["xlalint.toml", "pyproject.toml"])
def test_settings_nested_too_deeply_are_a_mistake(folder: Path, name: str, value: str) -> None:
    (folder / name).write_text(f"[tool.xlalint]\nselect = {value}\n")
    found = check(folder)
    assert found.code == 2
    assert found.errors == f"Error: {name}: not valid TOML: it is nested too deeply\n"


@DEEP_TOML
def test_requirements_nested_too_deeply_are_the_business_of_other_tools(folder: Path, value: str) -> None:
    (folder / "pyproject.toml").write_text(f"[tool.poetry.dependencies]\ntorch_xla = {value}\n")
    assert check(folder).places == [SOUND_LINE]


def test_a_requirement_with_thousands_of_digits(folder: Path) -> None:
    (folder / "requirements.txt").write_text(f"torch_xla=={'9' * 5000}.{'9' * 5000}\n")
    assert check(folder).places == [SOUND_LINE]


def test_a_requirement_that_is_a_deep_table_is_passed_over(folder: Path) -> None:
    deep = ".".join(["version"] * 5000)
    (folder / "pyproject.toml").write_text(f"[tool.poetry.dependencies]\ntorch_xla.{deep} = '2.1'\n")
    assert check(folder).places == [SOUND_LINE]


# Files ------------------------------------------------------------------------------------------


@pytest.mark.skipif(sys.platform != "linux", reason="other systems write all that a file is said to hold")
def test_a_file_that_is_said_to_be_endless(folder: Path) -> None:
    (folder / "vast.py").touch()
    os.truncate(folder / "vast.py", 1 << 40)
    found = check(folder)
    assert found.places == [SOUND_LINE, ("vast.py", 1, "XLA000")]
    assert "it is larger than 1 GiB" in found.message("vast.py")


@contextmanager
def nested(folder: Path, name: str, depth: int, *, files_at: set[int]) -> Iterator[None]:
    """Directories in each other, deeper than a path can say, and than pytest can clear away."""
    here = os.open(folder, os.O_RDONLY)
    for level in range(1, depth + 1):
        os.mkdir(name, dir_fd=here)
        around, here = here, os.open(name, os.O_RDONLY, dir_fd=here)
        os.close(around)
        if level in files_at:
            for file in ("sound.py", ".gitignore", "pyproject.toml", "setup.py"):
                made = os.open(file, os.O_WRONLY | os.O_CREAT, dir_fd=here)
                os.write(made, SOUND.encode() if file == "sound.py" else b"# xlalint torch_xla\n")
                os.close(made)
    os.close(here)
    try:
        yield
    finally:
        subprocess.run(["rm", "-rf", name], cwd=folder, check=True)


@pytest.mark.skipif(sys.platform != "linux", reason="other systems allow other lengths")
def test_directories_nested_deeper_than_a_path_can_say(folder: Path) -> None:
    with nested(folder, "directory", 1500, files_at={300, 1500}):
        found = check(folder)
    (deepest,) = [path for path, _, code in found.places if code == "XLA000"]
    below = "directory/" * 300 + "sound.py"
    assert found.places == [(deepest, 1, "XLA000"), (below, *SOUND_LINE[1:]), SOUND_LINE]
    assert "cannot list this directory: file name too long" in found.message(deepest)


@pytest.mark.skipif(sys.platform != "linux", reason="other systems allow other lengths")
@pytest.mark.parametrize("named", [True, False])
def test_directories_nested_deeper_than_functions_may_call_each_other(folder: Path, named: bool) -> None:
    below = "d/" * 1500 + "sound.py"
    with nested(folder, "d", 1500, files_at={1500}):
        found = check(folder, *([below] if named else []))
    assert found.places == [(below, *SOUND_LINE[1:])] + [SOUND_LINE] * (not named)


def test_a_file_without_permission(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> int:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(os, "open", refuse)
    found = read(tmp_path / "a.py")
    assert isinstance(found, Unreadable)
    assert found.reason == "permission denied"


def test_empty_files_are_fine(folder: Path) -> None:
    (folder / "empty.py").write_bytes(b"")
    (folder / "blank.py").write_bytes(b"\xef\xbb\xbf\n\n")
    (folder / "hot.py").write_bytes(hot(""))
    assert check(folder).places == [SOUND_LINE]
    assert check(folder, "empty.py").places == []


def test_a_file_of_fifty_thousand_lines(folder: Path) -> None:
    (folder / "long.py").write_text("x = 1\n" * 49_988 + SOUND)
    found = check(folder)
    assert found.places == [("long.py", 49_997, "XLA101"), SOUND_LINE]


NEWER = "z = {**a for a in b}\n"
"""No Python knows this syntax yet: LibCST is asked about the file, which deep nesting may kill."""


@pytest.mark.parametrize(
    "beside",
    [pytest.param("", id="alone", marks=pytest.mark.soak), pytest.param(NEWER, id="beside newer syntax")],
)
def test_what_is_nested_deeply_is_read_or_said_to_be(folder: Path, beside: str) -> None:
    for form, written in DEEP.items():
        for times in (5, 100, 300 if form == "blocks" else 10_000):
            (folder / f"{form} {times}.py").write_bytes(hot(beside + written(times)))
    found = check(folder)
    assert SOUND_LINE in found.places
    unread = {d["path"]: d["message"] for d in found.diagnostics if d["code"] == "XLA000"}
    assert {path: m for path, m in unread.items() if "it is nested too deeply" not in m} == {}
    assert [path for path in unread if path.endswith(" 5.py")] == []


def test_a_syntax_error_beside_deep_nesting_is_told_with_its_line(folder: Path) -> None:
    """Whether it is an error or syntax that only a newer Python knows cannot be found out any more."""
    (folder / "deep.py").write_bytes(hot(f"x = = 1\ny = x{'.f()' * 2000}\n"))
    found = check(folder)
    assert found.places == [("deep.py", 2, "XLA000"), SOUND_LINE]
    assert "nested too deeply for the parser of syntax newer than Python" in found.message("deep.py")
    assert "which says: invalid syntax" in found.message("deep.py")


@pytest.mark.soak
def test_what_is_long_is_not_deep(folder: Path) -> None:
    """Values side by side, long lines and what stands in texts and comments nest nothing."""
    long = [
        f"table = [{', '.join(['(1, -2)'] * 3000)}]",
        f"text = '{'(' * 3000}'",
        f"text = '''{'[ and not ' * 3000}'''",
        f"# {'elif ( ' * 3000}",
        *["if x: pass", "elif x: pass", "x = f(1, (2), 3) + 4;" * 100] * 50,
        f"call({', '.join(f'name_{n} = lambda a, b: a + b' for n in range(1000))})",
    ]
    (folder / "sound.py").write_text(NEWER + "\n".join(long) + "\n" + SOUND)
    assert [code for _, _, code in check(folder).places] == ["XLA101"]


def test_a_thousand_strings_side_by_side_are_read_beside_newer_syntax(folder: Path) -> None:
    (folder / "sound.py").write_text(NEWER + DEEP["strings side by side"](1000) + SOUND)
    assert check(folder).places == [("sound.py", 1012, "XLA101")]


def test_syntax_newer_than_the_host_is_read(folder: Path) -> None:
    newer = "x = {**a for a in b}\nfor c in *a, b: pass\n"
    (folder / "sound.py").write_text(newer + SOUND)
    assert check(folder).places == [("sound.py", 11, "XLA101")]


def test_nothing_that_is_checked_is_imported_or_run(folder: Path) -> None:
    """Names of torch_xla, of our own packages and of the standard library, each with a trap."""
    trap = 'open("trap sprung", "w")\nraise SystemExit("imported")\n'
    for name in ("torch_xla", "torch", "click", "rich", "ast", "xlalint_rules", "tokenize", "pathspec"):
        (folder / f"{name}.py").write_text(trap)
    (folder / "xlalint_runtime").mkdir()
    (folder / "xlalint_runtime" / "__init__.py").write_text(trap)
    (folder / "setup.py").write_text(trap)
    found = check(folder)
    assert SOUND_LINE in found.places
    assert not (folder / "trap sprung").exists()


def test_a_file_that_vanishes_before_it_is_read(tmp_path: Path) -> None:
    found = read(tmp_path / "gone.py")
    assert isinstance(found, Unreadable)
    assert found.reason == "it does not exist"


def grow_after(path: Path, monkeypatch: pytest.MonkeyPatch, times: int) -> None:
    """After each of the first reads of it, someone writes to the file."""
    real_read = os.read
    left = [times]

    def grow(descriptor: int, size: int) -> bytes:
        data = real_read(descriptor, size)
        if left[0] and data:
            left[0] -= 1
            with path.open("a") as file:
                file.write(f"# grown {left[0]}\n")
        return data

    monkeypatch.setattr(os, "read", grow)


def test_a_file_that_changes_while_it_is_read_is_read_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a.py"
    path.write_text(SOUND)
    grow_after(path, monkeypatch, times=1)
    found = read(path)
    assert isinstance(found, SourceFile)
    assert found.text == SOUND + "# grown 0\n"


def test_a_file_that_never_stops_changing_is_given_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a.py"
    path.write_text(SOUND)
    grow_after(path, monkeypatch, times=100)
    found = read(path)
    assert isinstance(found, Unreadable)
    assert found.reason == "it changed while it was read"


@pytest.mark.skipif(sys.platform != "linux", reason="other systems want names to be text")
def test_a_name_that_is_no_text(folder: Path) -> None:
    (folder / os.fsdecode(b"\xff\n.py")).write_bytes(hot("def f(:\n"))
    assert check(folder).places == [SOUND_LINE, ("\N{REPLACEMENT CHARACTER}" * 2 + ".py", 2, "XLA000")]


def test_warnings_of_the_parser_are_not_passed_on(folder: Path) -> None:
    (folder / "escape.py").write_bytes(hot("x = '\\d'\nif 1 is 1: pass\n"))
    assert check(folder).errors == ""
