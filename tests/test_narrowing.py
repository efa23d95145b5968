"""What a report leaves out: what a baseline accepts, has not changed, is not severe, or a comment says."""

from __future__ import annotations

import io
import json
import os
import subprocess
import time
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from rich.console import Console

from xlalint.cli import command
from xlalint.cli.progress import drawn
from xlalint.progress import Progress

HEAD = """\
import torch
import torch_xla
import torch_xla.core.xla_model as xm


def main():
    model = torch.nn.Linear(8, 1).to(xm.xla_device())
    with torch_xla.step():
        loss = model(torch.randn(4, 8).to("xla")).mean()
"""
READ = "        print(loss.item())\n"
TAIL = "\n\nmain()\n"
PROGRAM = HEAD + READ + READ + TAIL
"""XLA002 on line 7, an info, and XLA101 twice, warnings whose lines are alike."""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "train.py").write_text(PROGRAM)
    return tmp_path


def run(*arguments: str, code: int = 1) -> Result:
    result = CliRunner().invoke(command, ["check", "--no-cache", *arguments], catch_exceptions=False)
    assert result.exit_code == code, result.output
    return result


def found(*arguments: str, code: int = 1) -> list[str]:
    """The code and the line of each diagnostic."""
    rows = json.loads(run("--output-format", "json", *arguments, code=code).stdout)
    return [f"{row['code']}:{row['range']['start']['line']}" for row in rows]


def test_without_any_of_it_all_is_reported(folder: Path) -> None:
    assert found() == ["XLA002:7", "XLA101:10", "XLA101:11"]


# Severity ----------------------------------------------------------------------------------------


def test_the_least_severity_hides_what_is_below_and_the_summary_says_so(folder: Path) -> None:
    assert found("--min-severity", "warning") == ["XLA101:10", "XLA101:11"]
    assert "(1 below the severity warning)" in run("--min-severity", "warning").stdout
    (folder / "xlalint.toml").write_text('min-severity = "error"\n[severity]\nXLA10 = "error"\n')
    assert found() == ["XLA101:10", "XLA101:11"]
    run("--fix", "--min-severity", "warning")
    assert (folder / "train.py").read_text() == PROGRAM, "what is not reported is not fixed"


# Baseline ----------------------------------------------------------------------------------------


def test_a_baseline_accepts_what_is_there_and_nothing_new(folder: Path) -> None:
    known = ("--baseline", "known.json")
    assert "No diagnostics (3 in the baseline)" in run(*known, "--update-baseline", code=0).stdout
    assert found(*known, code=0) == []
    program = folder / "train.py"
    program.write_text("# moved\n\n" + HEAD + READ * 3 + TAIL)
    assert found(*known) == ["XLA101:14"], "lines move; of three that are alike two are accepted"
    program.write_text(HEAD + READ + TAIL)
    before = (folder / "known.json").read_text()
    assert found(*known, code=0) == []
    assert (folder / "known.json").read_text() == before, "it is changed only when that is asked for"
    assert found(*known, "--update-baseline", code=0) == []
    program.write_text(PROGRAM)
    assert found(*known) == ["XLA101:11"], "what was gone is not accepted again"
    assert found(*known, "--update-baseline") == ["XLA101:11"], "and an update only takes away"
    assert found(*known) == ["XLA101:11"]


def test_a_baseline_keeps_what_was_not_looked_for(folder: Path) -> None:
    (folder / "other.py").write_text(PROGRAM)
    (folder / "gone.py").write_text(PROGRAM)
    known = ("--baseline", "known.json")
    run(*known, "--update-baseline", code=0)
    (folder / "gone.py").unlink()
    (folder / "train.py").write_text("print('nothing')\n")
    run(*known, "--update-baseline", "--select", "XLA002", "train.py", code=0)
    rows = json.loads((folder / "known.json").read_text())["diagnostics"]
    assert [(row["path"], row["code"], row["count"]) for row in rows] == [
        ("other.py", "XLA002", 1),
        ("other.py", "XLA101", 2),
        ("train.py", "XLA101", 2),
    ]


def test_a_baseline_means_the_same_from_every_folder(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run("--baseline", "known.json", "--update-baseline", code=0)
    (folder / "sub").mkdir()
    monkeypatch.chdir(folder / "sub")
    assert found("--baseline", "../known.json", "..", code=0) == []


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (None, "cannot read the baseline known.json: it does not exist; --update-baseline writes a new one"),
        ('{"xlalint-baseline": 2, "diagnostics": {}}', "known.json was written by a newer xlalint (format 2"),
        ("[]", "known.json is not a baseline that xlalint has written"),
        ("{", "known.json is not a baseline that xlalint has written"),
        ("[" * 100_000, "known.json is not a baseline that xlalint has written"),
        ('{"xlalint-baseline": 1, "diagnostics": [{"path": 1}]}', "known.json is damaged"),
        ('{"xlalint-baseline": 1}', "known.json is damaged"),
    ],
)
def test_a_file_that_is_no_baseline_is_refused_and_kept(
    folder: Path, content: str | None, message: str
) -> None:
    if content is not None:
        (folder / "known.json").write_text(content)
    assert message in run("--baseline", "known.json", code=2).stderr
    if content is not None:
        assert message in run("--baseline", "known.json", "--update-baseline", code=2).stderr
        assert (folder / "known.json").read_text() == content


# Changed lines -----------------------------------------------------------------------------------


def git(folder: Path, *arguments: str) -> None:
    who = {
        f"GIT_{role}_{what}": "a@example.org"
        for role in ("AUTHOR", "COMMITTER")
        for what in ("NAME", "EMAIL")
    }
    subprocess.run(
        ["git", *arguments], cwd=folder, check=True, capture_output=True,
        env={**os.environ, **who, "GIT_CONFIG_GLOBAL": os.devnull},
    )  # fmt: skip


@pytest.fixture
def repository(folder: Path) -> Path:
    git(folder, "init", "--quiet", "--initial-branch=main")
    git(folder, "add", ".")
    git(folder, "commit", "--quiet", "-m", "first")
    return folder


def test_only_changed_lines_are_reported(repository: Path) -> None:
    against = ("--diff-base", "main")
    assert found(*against, code=0) == []
    assert "(3 on lines that have not changed)" in run(*against, code=0).stdout
    (repository / "train.py").write_text(PROGRAM.replace(READ + READ, READ + "        x = 1\n" + READ * 2))
    assert found(*against) == ["XLA101:12"]
    (repository / "new ü\t.py").write_text(PROGRAM)
    assert found(*against) == ["XLA002:7", "XLA101:10", "XLA101:11", "XLA101:12"], "a new file is all new"
    (repository / "train.py").unlink()
    assert len(found(*against)) == 3


def test_what_others_did_since_is_not_ours(repository: Path) -> None:
    git(repository, "switch", "--quiet", "--create", "mine")
    (repository / "mine.py").write_text("print(1)\n")
    git(repository, "add", ".")
    git(repository, "commit", "--quiet", "-m", "mine")
    git(repository, "switch", "--quiet", "main")
    (repository / "train.py").write_text("# changed on main\n" + PROGRAM.replace("loss", "mean"))
    git(repository, "commit", "--quiet", "--all", "-m", "second")
    git(repository, "switch", "--quiet", "mine")
    assert found("--diff-base", "main", code=0) == []


def test_a_changed_helper_shows_the_step_that_it_breaks(repository: Path) -> None:
    (repository / "train.py").write_text(
        HEAD.replace("import torch\n", "import torch\n\nfrom helper import log\n")
        + "        log(loss)\n"
        + TAIL
    )
    (repository / "helper.py").write_text("def log(value):\n    pass\n")
    git(repository, "add", ".")
    git(repository, "commit", "--quiet", "-m", "second")
    (repository / "helper.py").write_text("def log(value):\n    print(value.item())\n")
    assert found("--diff-base", "HEAD") == ["XLA101:12"]


def test_a_revision_that_is_not_there_is_named(repository: Path) -> None:
    for revision in ("no-such", "--output=x", ""):
        assert f"has no revision {revision!r}" in run(f"--diff-base={revision}", code=2).stderr
    assert not (repository / "x").exists()


def test_without_a_repository_there_is_no_change_to_see(folder: Path) -> None:
    assert "train.py is in no git repository" in run("--diff-base", "main", "train.py", code=2).stderr


# Suppressions ------------------------------------------------------------------------------------

IGNORED = "print(loss.item())  # xlalint: ignore[XLA101] later"


def test_comments_are_written_where_they_count(folder: Path) -> None:
    long = "        print(\n            loss.item(),\n            sep='''\n''')\n"
    known = "        print(loss.item())  # xlalint: ignore[XLA999, XLA090] '# xlalint: ignore[]'\n"
    text = (HEAD + READ + long + known).replace("\n", "\r\n")
    (folder / "train.py").write_bytes(b"\xef\xbb\xbf" + text.encode())
    told = run("--add-ignore=later", ".", "--ignore", "XLA090", code=0).stderr
    assert "Suppressed 4 diagnostics in 1 file." in told
    assert run("--ignore", "XLA090", code=0).stdout.startswith("No diagnostics (4 suppressed by comments)")
    after = (folder / "train.py").read_bytes()
    assert after.startswith(b"\xef\xbb\xbf")
    lines = after.decode("utf-8-sig").split("\r\n")
    assert lines[6].endswith(".to(xm.xla_device())  # xlalint: ignore[XLA002] later")
    assert lines[9].strip() == IGNORED
    assert lines[13] == "''')  # xlalint: ignore[XLA101] later"
    assert lines[14].endswith("# xlalint: ignore[XLA999, XLA090, XLA101] '# xlalint: ignore[]'")


def test_what_cannot_be_suppressed_is_said(folder: Path) -> None:
    (folder / "train.py").write_text("import torch_xla\n(")
    told = run("--add-ignore", code=1).stderr
    assert "Suppressed 0 diagnostics in 0 files." in told
    assert "train.py:2: XLA000 cannot be suppressed" in told
    assert (folder / "train.py").read_text() == "import torch_xla\n("


def test_suppressions_can_be_looked_behind(folder: Path) -> None:
    (folder / "train.py").write_text("# xlalint: ignore-file[XLA002] known\n" + HEAD + f"        {IGNORED}\n")
    assert found(code=0) == []
    assert found("--ignore-suppressions") == ["XLA002:8", "XLA101:11"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--update-baseline"], "--update-baseline needs --baseline FILE"),
        (["--baseline", "b", "--update-baseline", "--diff-base", "x"], "leave --diff-base out"),
        (["--diff-base", "main", "--fix"], "--diff-base cannot be combined with --fix"),
        (["--add-ignore", "--diff"], "use either --add-ignore or --fix"),
        (["--add-ignore", "-"], "the path - is none"),
        (["--add-ignore=a # b"], "the reason must be one line without #"),
        (["--add-ignore=a\nb"], "the reason must be one line without #"),
    ],
)
def test_options_that_do_not_go_together(folder: Path, arguments: list[str], message: str) -> None:
    assert message in run(*arguments, code=2).stderr
    assert (folder / "train.py").read_text() == PROGRAM


# Settings on the command line --------------------------------------------------------------------


def test_single_settings_win_over_files_and_options_over_them(folder: Path) -> None:
    (folder / "xlalint.toml").write_text('ignore = ["XLA002"]\nfail-on = "warning"\n')
    assert found("--config", "fail-on=error", code=0) == ["XLA101:10", "XLA101:11"]
    assert found("--config", "ignore=['XLA1']", "--config", "fail-on='info'") == ["XLA002:7"]
    assert found("--config", "ignore=['XLA1']", "--ignore", "XLA0") == ["XLA101:10", "XLA101:11"]
    (folder / "other.toml").write_text('select = ["XLA002"]\n')
    assert found("--config", "other.toml", "--config", "severity.XLA002='error'") == ["XLA002:7"]
    assert found("--isolated", "--config", "min-severity=error", code=0) == []


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--config", "selct=['XLA1']"], "--config: unknown setting 'selct'; did you mean 'select'?"),
        (["--config", "fail-on=fatal"], "--config: fail-on: must be one of"),
        (["--config", "a b=1"], "is no setting as TOML writes one"),
        (["--config", "extend=other.toml"], "this setting works in files only"),
        (["--config", "a.toml", "--config", "b.toml"], "--config names two files, a.toml and b.toml"),
        (["--config", "a.toml", "--isolated"], "use either --config FILE or --isolated"),
        (["--config", "a.toml"], "a.toml: cannot read this file: it does not exist"),
    ],
)
def test_mistakes_in_single_settings(folder: Path, arguments: list[str], message: str) -> None:
    assert message in run(*arguments, code=2).stderr


# Progress ----------------------------------------------------------------------------------------


def test_progress_is_drawn_after_a_while_and_taken_away() -> None:
    progress = Progress()
    progress.expect(3)
    progress.advance("lib/model.py")
    console = Console(file=io.StringIO(), force_terminal=True, width=100)
    with drawn(progress, console, 0):
        deadline = time.monotonic() + 20
        while "model.py" not in _written(console) and time.monotonic() < deadline:
            time.sleep(0.01)
    assert "model.py" in _written(console)
    assert _written(console).rstrip().endswith("\x1b[2K"), "the line is erased"


def test_who_does_not_wait_sees_no_progress() -> None:
    console = Console(file=io.StringIO(), force_terminal=True)
    with drawn(Progress(), console, 60):
        pass
    assert _written(console) == ""


def test_progress_counts_what_is_analyzed(folder: Path) -> None:
    from xlalint import check_paths

    progress = Progress()
    check_paths([folder], progress=progress)
    assert progress.done > 1
    assert progress.total >= progress.done
    assert progress.file == str(folder / "train.py")


def _written(console: Console) -> str:
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


def test_shells_can_complete(folder: Path) -> None:
    asked = {"_XLALINT_COMPLETE": "bash_complete", "COMP_WORDS": "xlalint check --update", "COMP_CWORD": "2"}
    done = CliRunner().invoke(command, [], prog_name="xlalint", env=asked)
    assert done.stdout.splitlines() == ["plain,--update-baseline"]
