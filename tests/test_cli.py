"""The command: options, exit codes, what is printed where."""

from __future__ import annotations

import json
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path
from textwrap import dedent
from types import SimpleNamespace

import pytest
from click.testing import CliRunner, Result

from xlalint import plugins
from xlalint.cli import command
from xlalint.cli.engine import why_no_engine
from xlalint.cli.terminal import is_colored
from xlalint.registry import all_rules

HAZARD = """\
import torch
import torch_xla


def main():
    model = torch.nn.Linear(8, 1).to("xla")
    with torch_xla.step():
        loss = model(torch.randn(4, 8).to("xla")).mean()
        print(loss.item())


main()
"""
CLEAN = HAZARD.replace("        print", "    print")
RULE = "warning[XLA101] host-read-in-step: "
ONE_LINE = f"train.py:9:15: {RULE}"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name in ("NO_COLOR", "FORCE_COLOR", "COLUMNS"):
        monkeypatch.delenv(name, raising=False)
    (tmp_path / "train.py").write_text(HAZARD)
    return tmp_path


def run(*arguments: str, stdin: str | None = None) -> Result:
    return CliRunner().invoke(command, arguments, input=stdin, catch_exceptions=False)


def process(folder: Path, *arguments: str, stdin: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [sys.executable, "-m", "xlalint", *arguments],
        cwd=folder, input=stdin, capture_output=True, timeout=120, check=False,
    )  # fmt: skip


# Exit codes --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        ([], 1),
        (["--exit-zero"], 0),
        (["--fail-on", "info"], 1),
        (["--fail-on", "warning"], 1),
        (["--fail-on", "error"], 0),
        (["--fail-on", "never"], 0),
        (["--ignore", "XLA101"], 0),
        (["--select", "XLA2"], 0),
        (["--select", "XLA2", "--extend-select", "host-read-in-step"], 1),
        (["--select", "ALL", "--ignore", "XLA1"], 0),
        (["nothing_here.py"], 2),
        (["--select", "XLA777"], 2),
        (["--select", ""], 2),
        (["--select", " , "], 2),
        (["--select", "XLA2, XLA102"], 0),
        (["--target-version", "2.42"], 2),
        (["--target-version", "3"], 2),
        (["--no-such-option"], 2),
        (["--config", "none.toml"], 2),
        (["--config", "none.toml", "--isolated"], 2),
        (["--stdin-filename", "a.py"], 2),
        (["--output-file", "no/such/folder/report"], 2),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else str(value),
)
def test_exit_codes(folder: Path, arguments: list[str], code: int) -> None:
    result = run("check", *arguments)
    assert result.exit_code == code, result.output
    assert (code == 2) == ("Error: " in result.stderr)


@pytest.mark.parametrize(("text", "code"), [(CLEAN, 0), (HAZARD, 1), ("import torch_xla\n(", 1)])
def test_exit_codes_of_the_process(folder: Path, text: str, code: int) -> None:
    (folder / "train.py").write_text(text)
    assert process(folder, "check").returncode == code


def test_wrong_usage_ends_the_process_with_2(folder: Path) -> None:
    (folder / "xlalint.toml").write_text("selct = []\n")
    ended = process(folder, "check")
    assert ended.returncode == 2
    assert ended.stderr.decode().splitlines() == [
        "Error: xlalint.toml:1: unknown setting 'selct'; did you mean 'select'?"
    ]
    assert ended.stdout == b""


def test_an_error_of_our_own_ends_with_2_and_without_a_traceback(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise ZeroDivisionError("of our own")

    monkeypatch.setattr("xlalint.checker.check", fail)
    result = run("check")
    assert result.exit_code == 2
    assert (
        "internal error in xlalint, please report it: ZeroDivisionError: of our own (test_cli.py:"
        in result.stderr
    )
    assert "Traceback" not in result.stderr
    monkeypatch.setenv("XLALINT_TRACEBACK", "1")
    assert "Traceback" in run("check").stderr


def test_a_reader_that_leaves_early_sees_no_traceback(folder: Path) -> None:
    (folder / "train.py").write_text("import torch_xla\n" + "x = 1  # xlalint: ignore[XLA101]\n" * 3000)
    shell = f"{sys.executable} -m xlalint check | head -1"
    ended = subprocess.run(shell, shell=True, cwd=folder, capture_output=True, timeout=120, check=False)
    assert ended.stderr == b""
    assert ended.stdout.startswith(b"warning[XLA090] unused-suppression: ")


def in_shell(folder: Path, line: str) -> tuple[int, str, str]:
    """What a line of a shell does in which `xlalint` is the command: its exit code, output and errors."""
    line = f'xlalint() {{ {sys.executable} -m xlalint "$@"; }}; {line}'
    ended = subprocess.run(
        ["sh", "-c", line], cwd=folder, capture_output=True, text=True, timeout=120, check=False
    )
    return ended.returncode, ended.stdout, ended.stderr


PRINTING = (
    "check", "check --color always --statistics", "check --output-format json", "check --show-files",
    "check --show-settings", "rules", "rules --output-format json", "rule XLA101",
    "rule XLA101 --color always", "config", "version", "state train.py",
)  # fmt: skip
needs_a_shell = pytest.mark.skipif(sys.platform != "linux", reason="needs a POSIX shell and /dev/full")


@needs_a_shell
@pytest.mark.parametrize("arguments", [*PRINTING, "--help", "check --help", "--version"])
def test_output_that_nobody_can_take_ends_with_2(folder: Path, arguments: str) -> None:
    assert in_shell(folder, f"xlalint {arguments} >/dev/full") == (
        2, "", "Error: cannot write to standard output: no space left on device\n",
    )  # fmt: skip


@needs_a_shell
@pytest.mark.parametrize("arguments", PRINTING)
def test_closed_output_ends_with_2(folder: Path, arguments: str) -> None:
    assert in_shell(folder, f"xlalint {arguments} >&-") == (
        2, "", "Error: cannot write to standard output: it is closed\n",
    )  # fmt: skip


@needs_a_shell
@pytest.mark.parametrize("arguments", ["check --no-such-option", "check nothing_here.py", "check - <&-"])
@pytest.mark.parametrize("output", ["", ">&-", ">/dev/full"])
def test_wrong_usage_ends_with_2_even_if_nobody_can_be_told(
    folder: Path, arguments: str, output: str
) -> None:
    assert in_shell(folder, f"xlalint {arguments} {output} 2>/dev/full") == (2, "", "")


@needs_a_shell
def test_a_report_in_a_file_needs_no_output(folder: Path) -> None:
    assert in_shell(folder, "xlalint check --output-file report >&-") == (1, "", "")
    assert RULE in (folder / "report").read_text()
    assert in_shell(folder, "xlalint check --output-file /dev/full") == (
        2, "", "Error: cannot write /dev/full: no space left on device\n",
    )  # fmt: skip


@needs_a_shell
def test_closed_input_ends_with_2(folder: Path) -> None:
    assert in_shell(folder, "xlalint check train.py - <&-") == (
        2, "", "Error: cannot read standard input, which the path - stands for: it is closed\n",
    )  # fmt: skip


@needs_a_shell
@pytest.mark.parametrize("path", ["", ".", "../train.py", "/", "-"])
def test_a_working_directory_that_is_gone_ends_with_2(folder: Path, path: str) -> None:
    (folder / "gone").mkdir()
    assert in_shell(folder / "gone", f"rmdir ../gone; xlalint check {path} </dev/null") == (
        2, "", "Error: the working directory is gone or cannot be reached; change to another one\n",
    )  # fmt: skip


# Reports -----------------------------------------------------------------------------------------


def test_text_is_the_default_and_ends_with_a_summary(folder: Path) -> None:
    lines = run("check").stdout.splitlines()
    assert lines[0].startswith(RULE)
    assert " --> train.py:9:15" in lines
    assert "9 |         print(loss.item())" in lines
    assert "  |               ^^^^^^^^^^^" in lines
    assert lines[-3:] == [
        "Found 1 warning in 1 file: 1 file checked, 1 of them using torch_xla.",
        "Of these, `--fix --unsafe-fixes` may fix 1.",
        "Run `xlalint rule XLA101` to see what a rule means and how to fix it.",
    ]


def test_text_is_as_wide_as_the_terminal(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def heights() -> list[int]:
        run("check", "--output-file", "report.txt")
        texts = (run("check").stdout, (folder / "report.txt").read_text())
        return [text.splitlines().index(" --> train.py:9:15") for text in texts]

    monkeypatch.setattr(sys, "__stdout__", None)  # no terminal, wherever the tests run
    assert heights() == [2, 2]
    monkeypatch.setenv("COLUMNS", "50")
    narrow, in_file = heights()
    assert narrow > 2
    assert in_file == 2
    monkeypatch.setenv("COLUMNS", "400")
    assert heights() == [1, 2]


def test_concise_and_quiet_is_one_line_each(folder: Path) -> None:
    (line,) = run("check", "--output-format", "concise", "-q").stdout.splitlines()
    assert line.startswith(ONE_LINE)


def test_json_is_json_and_nothing_else(folder: Path) -> None:
    (found,) = json.loads(run("check", "--output-format", "json").stdout)
    assert (found["code"], found["path"]) == ("XLA101", "train.py")
    assert found["range"] == {"start": {"line": 9, "column": 15}, "end": {"line": 9, "column": 26}}
    (folder / "train.py").write_text("")
    assert json.loads(run("check", "--output-format", "json").stdout) == []


def test_settings_choose_the_form_too(folder: Path) -> None:
    (folder / "xlalint.toml").write_text('output-format = "json"\nfail-on = "error"\n')
    result = run("check")
    assert json.loads(result.stdout)[0]["code"] == "XLA101"
    assert result.exit_code == 0
    assert run("check", "--output-format", "text", "--fail-on", "warning").exit_code == 1


def test_a_report_can_go_to_a_file(folder: Path) -> None:
    result = run("check", "--output-format", "json", "--output-file", "report.json", "--color", "always")
    assert result.stdout == ""
    assert result.exit_code == 1
    assert json.loads((folder / "report.json").read_text())[0]["code"] == "XLA101"


def test_statistics(folder: Path) -> None:
    assert run("check", "--statistics", "-q").stdout == "1  XLA101  host-read-in-step\n"
    counted = json.loads(run("check", "--statistics", "--output-format", "json").stdout)
    assert counted == [{"code": "XLA101", "name": "host-read-in-step", "count": 1}]


def test_statistics_of_files(folder: Path) -> None:
    """As a path follows, the option's value must not be taken for one, nor the path for its value."""
    told = run("check", "--statistics=file", ".", "-q").stdout.splitlines()
    assert told == ["1  train.py", "   1  XLA101  host-read-in-step"]
    assert run("check", "--statistics", ".", "-q").stdout == "1  XLA101  host-read-in-step\n"
    (counted,) = json.loads(run("check", "--statistics=file", "--output-format", "json").stdout)
    assert (counted["path"], counted["count"], counted["rules"][0]["code"]) == ("train.py", 1, "XLA101")


def test_how_ready_each_file_is_to_leave_torch_xla(folder: Path) -> None:
    (folder / "train.py").write_text(
        "import torch_xla\nimport torch_xla.core.xla_model as xm\n"
        "print(torch_xla._XLAC._xla_metrics_report())\n"
        "def mean(value):\n    return xm.all_gather(xm.all_reduce('sum', value))\n"
    )
    (folder / "ready.py").write_text("import torch_xla\nprint(torch_xla.device())\n")
    result = run("check", "--select", "XLA9", "--statistics=file")
    assert result.stdout.splitlines()[:4] == [
        "3  train.py",
        "   2  XLA905  vendor-collective",
        "   1  XLA904  private-api",
        "Found 3 info in 1 file: 2 files checked, 2 of them using torch_xla.",
    ]
    assert result.exit_code == 0


def test_verbose_counts_on_standard_error(folder: Path) -> None:
    result = run("check", "-v", "--output-format", "json")
    json.loads(result.stdout)
    counts = {
        name: int(count) for count, name in (line.split(None, 1) for line in result.stderr.splitlines())
    }
    assert (counts["files"], counts["files using torch_xla"]) == (1, 1)
    assert counts["contexts"] > 0


def test_a_folder_without_python_says_so(folder: Path) -> None:
    (folder / "train.py").unlink()
    result = run("check")
    assert (result.exit_code, result.stderr) == (0, "xlalint: no Python files found\n")
    assert run("check", "-q").stderr == ""


@pytest.mark.parametrize(
    ("option", "environment", "colored"),
    [
        ("auto", {}, False),
        ("always", {}, True),
        ("never", {"FORCE_COLOR": "1"}, False),
        ("auto", {"FORCE_COLOR": "1"}, True),
        ("auto", {"FORCE_COLOR": "1", "TERM": "dumb"}, True),
        ("auto", {"NO_COLOR": "1", "FORCE_COLOR": "1"}, False),
        ("always", {"NO_COLOR": "1"}, True),
        ("auto", {"NO_COLOR": "", "FORCE_COLOR": "1"}, True),
    ],
)
def test_colours(
    folder: Path, monkeypatch: pytest.MonkeyPatch, option: str, environment: dict[str, str], colored: bool
) -> None:
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    assert ("\x1b[" in run("check", "--color", option).stdout) == colored


@pytest.mark.parametrize(
    ("terminal", "term", "colored"), [(True, "xterm", True), (True, "dumb", False), (False, "xterm", False)]
)
def test_colours_on_terminals(
    monkeypatch: pytest.MonkeyPatch, terminal: bool, term: str, colored: bool
) -> None:
    for name in ("NO_COLOR", "FORCE_COLOR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TERM", term)
    monkeypatch.setattr(sys, "stdout", SimpleNamespace(isatty=lambda: terminal))
    assert is_colored("auto") == colored


def test_a_terminal_that_only_knows_ascii_gets_ascii(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONIOENCODING", "ascii")
    (folder / "train.py").write_text(HAZARD.replace("print(loss.item())", "print('é', loss.item())"))
    checked = process(folder, "check")
    assert b"print('?', loss.item())" in checked.stdout
    assert b"               ^^^^^^^^^^^" in checked.stdout
    assert b"- # recorded: heavy since line 8" in process(folder, "state", "train.py").stdout


# Which files -------------------------------------------------------------------------------------


def shown_files(*arguments: str) -> list[str]:
    return run("check", "--show-files", *arguments).stdout.splitlines()


def test_show_files_lists_and_checks_nothing(folder: Path) -> None:
    for name in ("build/a.py", "gen/b.py", "c.py", "ignored.py"):
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text("(")
    (folder / ".gitignore").write_text("ignored.py\n")
    assert shown_files() == ["c.py", "train.py", "gen/b.py"]
    assert shown_files("--no-respect-gitignore") == ["c.py", "ignored.py", "train.py", "gen/b.py"]
    assert shown_files("--extend-exclude", "gen,/c.py") == ["train.py"]
    assert shown_files("--exclude", "gen", "--exclude", "c.py") == ["train.py", "build/a.py"]
    assert shown_files("build/a.py", "gen") == ["build/a.py", "gen/b.py"]
    assert shown_files("--force-exclude", "build/a.py", "c.py") == ["c.py"]


def test_settings_may_exclude_and_the_command_line_goes_before(folder: Path) -> None:
    (folder / "sub").mkdir()
    (folder / "sub" / "a.py").write_text("")
    (folder / "xlalint.toml").write_text('extend-exclude = ["sub"]\nrespect-gitignore = false\n')
    (folder / ".gitignore").write_text("train.py\n")
    assert shown_files() == ["train.py"]
    assert shown_files("--respect-gitignore") == []
    assert shown_files("--extend-exclude", "other") == ["train.py", "sub/a.py"]
    assert shown_files("--isolated", "--no-respect-gitignore") == ["train.py", "sub/a.py"]


def test_standard_input(folder: Path) -> None:
    result = run("check", "-", "--stdin-filename", "sub/new.py", stdin=HAZARD)
    assert result.exit_code == 1
    assert result.stdout.startswith(RULE)
    assert " --> sub/new.py:9:15\n" in result.stdout
    assert " --> <stdin>:1:7\n" in run("check", "-", stdin="def f(:").stdout
    assert run("check", "-", stdin=CLEAN).exit_code == 0


def test_standard_input_is_bytes(folder: Path) -> None:
    ended = process(folder, "check", "-", "-q", "--output-format", "concise", stdin=b"x = '\xff'\n")
    assert ended.stdout.decode().startswith("<stdin>:1:1: error[XLA000] unreadable-file:")


def test_a_hazard_in_another_module_shows_the_chain(folder: Path) -> None:
    (folder / "helpers.py").write_text(
        "def log(loss):\n    report(loss)\n\n\ndef report(loss):\n    print(loss.item())\n"
    )
    (folder / "train.py").write_text(
        HAZARD.replace("print(loss.item())", "log(loss)").replace(
            "import torch\n", "from helpers import log\n", 1
        )
    )
    lines = run("check").stdout.splitlines()
    assert " --> train.py:9:9" in lines
    start = lines.index("  = reached through:")
    assert lines[start + 1 : start + 3] == [
        "      helpers.py:2  report(loss)",
        "      helpers.py:6  print(loss.item())",
    ]


# Other commands ----------------------------------------------------------------------------------


def test_rule_explains_by_code_and_by_name(folder: Path) -> None:
    by_code = run("rule", "XLA090").stdout
    assert by_code == run("rule", "unused-suppression").stdout
    assert by_code.startswith("# XLA090 unused-suppression\n\nwarning, since 0.1; on by default; ")
    assert "## Why is this bad?" in by_code
    assert "\x1b[" in run("rule", "XLA090", "--color", "always").stdout


@pytest.mark.parametrize("name", ["rule", "prove"])
def test_a_rule_that_is_not_there_is_answered_with_the_nearest(folder: Path, name: str) -> None:
    result = run(name, "unused-supression")
    assert result.exit_code == 2
    assert "did you mean unused-suppression?" in result.stderr


def test_rules_lists_all(folder: Path) -> None:
    codes = [rule.code for rule in all_rules()]
    assert [line.split()[0] for line in run("rules").stdout.splitlines()] == codes
    listed = json.loads(run("rules", "--output-format", "json").stdout)
    assert [rule["code"] for rule in listed] == codes
    assert all(rule["summary"] and rule["url"] for rule in listed)
    _, _, *rows = run("rules", "--output-format", "markdown").stdout.splitlines()
    assert [row.split()[1] for row in rows] == codes
    assert all(f"]({rule.url()})" in row for rule, row in zip(all_rules(), rows, strict=True))


def test_config_lists_the_settings_and_explains_one(folder: Path) -> None:
    assert "target-version " in run("config").stdout
    assert "default: what the project requires, else 2.9" in run("config", "target-version").stdout
    result = run("config", "targetversion")
    assert (result.exit_code, "did you mean 'target-version'?" in result.stderr) == (2, True)


def test_show_settings_prints_what_holds(folder: Path) -> None:
    (folder / "sub").mkdir()
    (folder / "sub" / "xlalint.toml").write_text(
        'target-version = "2.4..2.6"\nseverity = {XLA102 = "error"}\n'
    )
    shown = run("check", "--show-settings", "--ignore", "XLA103", "sub").stdout
    assert shown.startswith("# sub/xlalint.toml\n")
    assert 'target-version = "2.4..2.6"\n' in shown
    assert 'ignore = ["XLA103"]\n' in shown
    assert '[severity]\n"XLA102" = "error"\n' in shown
    assert run("check", "--show-settings").stdout.startswith("# no settings file\n")


def test_version(folder: Path) -> None:
    """The tests run on the sources as they are, which are never compiled."""
    shown = f"xlalint {version('xlalint')} (pure Python)\n"
    assert run("version").stdout == run("--version").stdout == shown


def test_state_shows_what_is_recorded_and_open(folder: Path) -> None:
    lines = run("state", "train.py").stdout.splitlines()
    above = lines[lines.index("9 │         print(loss.item())") - 1]
    assert above == "  ┌ █ recorded: heavy since line 8; open scopes: torch_xla.step() from line 7"
    assert "What these words mean:" in lines


def test_state_of_one_line_shows_its_values(folder: Path) -> None:
    shown = run("state", "train.py:9").stdout
    assert shown.startswith("train.py:9, before this line runs:\n  print(loss.item())\n")
    assert "open scopes  torch_xla.step() from line 7" in shown
    assert "loss   device tensor" in shown


@pytest.fixture
def notebook(folder: Path) -> Path:
    """A notebook of two cells: the step of the program is the second."""
    above, _, step = dedent(HAZARD.replace("def main():", "if True:").removesuffix("\n\nmain()\n")).partition(
        "\n    with"
    )
    cells = [{"cell_type": "code", "source": text} for text in (above, dedent(f"    with{step}"))]
    file = folder / "train.ipynb"
    file.write_text(json.dumps({"cells": cells, "nbformat": 4}))
    return file


def test_state_of_a_notebook_names_cells(notebook: Path) -> None:
    lines = run("state", "train.ipynb").stdout.splitlines()
    number = lines.index("2:3 │     print(loss.item())")
    above = " ".join(line.strip() for line in lines[number - 2 : number])
    assert (
        above
        == "┌ █ recorded: heavy since line 2 of cell 2; open scopes: torch_xla.step() from line 1 of cell 2"
    )
    assert run("state", "train.ipynb:2:3").stdout.startswith(
        "train.ipynb:2:3, before this line runs:\n  print("
    )


@pytest.mark.parametrize(
    ("place", "message"),
    [
        ("train.py:99", "train.py has no line 99: it ends at line 13"),
        ("train.py:2:3", "train.py has no cells: name a line alone, as in train.py:3"),
        ("train.ipynb:3", "train.ipynb is a notebook: name a cell and a line in it, as in train.ipynb:1:1"),
        ("train.ipynb:3:1", "train.ipynb has no code cell 3: it has 2"),
        ("train.ipynb:2:0", "cell 2 of train.ipynb has no line 0: it ends at line 3"),
        ("none.py:3", "none.py: it does not exist"),
        ("broken.py", "broken.py: syntax error: "),
        (".", ": it is a directory"),
    ],
)
@pytest.mark.usefixtures("notebook")
def test_state_of_what_cannot_be_shown(folder: Path, place: str, message: str) -> None:
    (folder / "broken.py").write_text("(\n")
    result = run("state", place)
    assert result.exit_code == 2
    assert message in result.stderr


def test_prove_runs_what_the_guard_offers(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert plugins.Entry("prove", "xlalint_runtime.proving.prove", "prove") in plugins.entries(plugins.GUARD)
    asked = []

    def prove(code: str) -> int:
        asked.append(code)
        return 1

    stand_in = SimpleNamespace(name="prove", load=lambda: prove)
    monkeypatch.setattr("xlalint.plugins.entries", lambda group: (stand_in,))
    monkeypatch.setattr("importlib.util.find_spec", lambda name: object())
    assert run("prove", "host-read-in-step").exit_code == 1
    assert asked == ["XLA101"]


def test_prove_needs_torch_xla(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    all_rules()
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    result = run("prove", "XLA101")
    assert result.exit_code == 2
    assert "Error: a proof needs torch_xla, which is not installed" in result.stderr


@pytest.mark.parametrize(
    ("system", "machine", "python", "reason"),
    [
        (
            "Darwin",
            "arm64",
            (3, 12),
            "it runs on Linux on x86-64 only, and this is Darwin on arm64",
        ),
        (
            "Linux",
            "aarch64",
            (3, 12),
            "it runs on Linux on x86-64 only, and this is Linux on aarch64",
        ),
        ("Linux", "x86_64", (3, 14), "it needs Python 3.10 to 3.13, and this is Python 3.14"),
        ("Linux", "x86_64", (3, 13), "install it with: pip install 'xlalint[runtime]'"),
    ],
)
def test_why_there_is_no_torch_xla(system: str, machine: str, python: tuple[int, ...], reason: str) -> None:
    said = why_no_engine(system, machine, python)
    assert said == reason


# Start-up ----------------------------------------------------------------------------------------

LATE = (
    "rich",
    "libcst",
    "pathspec",
    "xlalint_rules",
    "xlalint.analysis",
    "xlalint.registry",
    "torch",
    "tokenize",
)


def imported_by(folder: Path, *arguments: str) -> set[str]:
    """What of `LATE` a run of the command imports, click's own imports left out."""
    program = (
        "import sys, click; before = set(sys.modules)\n"
        "from xlalint.cli import main\n"
        "try: main()\n"
        "except SystemExit: pass\n"
        f"print(*(set(sys.modules) - before) & {set(LATE)!r}, file=sys.stderr)"
    )
    ended = subprocess.run(
        [sys.executable, "-c", program, *arguments],
        cwd=folder, capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    return set(ended.stderr.splitlines()[-1].split()) if ended.stderr.strip() else set()


def test_what_is_not_needed_is_not_imported(folder: Path) -> None:
    assert imported_by(folder, "version") == set()
    assert imported_by(folder, "--help") == set()
    (folder / "train.py").write_text("import torch\n")
    assert imported_by(folder, "check") == set()


def test_a_plain_report_needs_no_colours(folder: Path) -> None:
    imported = imported_by(folder, "check")
    assert {"xlalint.analysis", "xlalint_rules"} <= imported
    assert not {"rich", "libcst", "pathspec", "torch"} & imported


# As JSON -----------------------------------------------------------------------------------------


def test_rules_and_settings_as_json() -> None:
    every = json.loads(run("rule", "--all", "--output-format", "json").stdout)
    assert [row["code"] for row in every] == [rule.code for rule in all_rules()]
    assert all("## What it does" in row["documentation"] for row in every)
    assert json.loads(run("rule", "XLA101", "--output-format", "json").stdout) == next(
        row for row in every if row["code"] == "XLA101"
    )
    settings = json.loads(run("config", "--output-format", "json").stdout)
    assert settings["fail-on"]["default"] == '"warning"'
    assert json.loads(run("config", "fail-on", "--output-format", "json").stdout) == settings["fail-on"]


def test_all_rules_are_explained_at_once() -> None:
    text = run("rule", "--all").stdout
    assert all(f"# {rule.code} {rule.name}\n" in text for rule in all_rules())
    for arguments in (["rule"], ["rule", "XLA101", "--all"]):
        refused = run(*arguments)
        assert (refused.exit_code, "name one rule, or use --all" in refused.stderr) == (2, True)


def test_show_settings_says_what_follows_from_them(folder: Path) -> None:
    (folder / "setup.cfg").write_text("[options]\ninstall_requires = torch_xla>=2.3,<2.6\n")
    shown = run("check", "--show-settings", "--select", "XLA5", "--ignore", "XLA502").stdout
    assert "\n# torch_xla: 2.3..2.5, as setup.cfg requires\n" in shown
    rules = shown.partition("# rules:\n")[2].splitlines()
    assert "#   XLA501 master-only-save-before-sync" in rules
    assert not any("XLA502" in line for line in rules)
    assert (
        "# torch_xla: 2.4, as it is set\n"
        in run("check", "--show-settings", "--target-version", "2.4..2.4").stdout
    )
