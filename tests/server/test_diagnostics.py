"""What the language server tells of open files, and when."""

from __future__ import annotations

import asyncio
import shutil
import sys
from pathlib import Path

import pytest
from lsprotocol import types
from pygls.exceptions import JsonRpcException

from language_client import connected
from xlalint.diagnostic import Certainty, Diagnostic, Evidence, Position, Range, Severity
from xlalint.output import runs
from xlalint.runs import Run
from xlalint.server.reports import REPORT
from xlalint.sources.file import digest

PROJECT = Path(__file__).resolve().parent / "project"
READ = "    print(value.item())\n"

PUSHED = "neovim@v0.7.0"
PULLED = "neovim@v0.11.0"
VSCODE = "visual_studio_code"

pytestmark = pytest.mark.asyncio


@pytest.fixture
def project(tmp_path: Path) -> Path:
    shutil.copytree(PROJECT, tmp_path, dirs_exist_ok=True)
    return tmp_path


def items(report: types.DocumentDiagnosticReport) -> list[types.Diagnostic]:
    assert isinstance(report, types.RelatedFullDocumentDiagnosticReport)
    return [*report.items]


async def test_what_is_found_is_published(project: Path) -> None:
    async with connected(project, PUSHED) as client:
        assert client.capabilities.diagnostic_provider is None
        client.open("train.py")
        (found,) = await client.sees("train.py", "XLA101")
        assert found.source == "xlalint"
        assert found.severity is types.DiagnosticSeverity.Warning
        assert found.range == types.Range(types.Position(15, 12), types.Position(15, 21))
        assert found.related_information is not None
        assert [
            (each.location.uri, each.location.range.start.line) for each in found.related_information
        ] == [(client.uri("helper.py"), 1)]

        # What is typed counts, in other files, too, and what is on disk counts again when it is closed.
        client.open("helper.py")
        client.replace("helper.py", "def log(value):\n    pass\n")
        await client.sees("train.py")
        client.close("helper.py")
        await client.sees("train.py", "XLA101")

        # A file that is closed has no diagnostics.
        client.close("train.py")
        await client.sees("train.py")
        assert not client.speaking.messages


async def test_of_edits_in_quick_succession_the_last_counts(project: Path) -> None:
    async with connected(project, PUSHED) as client:
        client.open("train.py")
        for number in range(100):
            client.type("train.py", 15, 12 + number, "x")
        for _ in range(100):
            client.type("train.py", 15, 12, "", over=1)
        (found,) = await client.sees("train.py", "XLA101")
        assert found.range.start == types.Position(15, 12)
        last = client.type("train.py", 15, 12, "pass  # ")
        await client.sees("train.py")
        assert client.version("train.py") == last


async def test_a_client_that_asks_is_told_nothing_unasked(project: Path) -> None:
    def offers(capabilities: types.ClientCapabilities) -> None:
        assert capabilities.workspace is not None
        capabilities.workspace.diagnostics = types.DiagnosticWorkspaceClientCapabilities(refresh_support=True)

    async with connected(project, PULLED, offers=offers) as client:
        assert isinstance(client.capabilities.diagnostic_provider, types.DiagnosticOptions)
        assert client.capabilities.diagnostic_provider.inter_file_dependencies
        client.open("train.py")
        report = await client.pull("train.py")
        assert [found.code for found in items(report)] == ["XLA101"]
        assert isinstance(report, types.RelatedFullDocumentDiagnosticReport)
        again = await client.pull("train.py", report.result_id)
        assert isinstance(again, types.RelatedUnchangedDocumentDiagnosticReport)

        # The client is asked to ask again where a file changes that it does not know to matter.
        client.open("helper.py")
        asked = client.speaking.diagnostic_refresh_count
        client.replace("helper.py", "def log(value):\n    pass\n")
        await client.until(lambda: client.speaking.diagnostic_refresh_count > asked)
        assert items(await client.pull("train.py", report.result_id)) == []
        assert not client.speaking.diagnostics


async def test_an_answer_about_a_text_that_has_changed_is_not_given(project: Path) -> None:
    async with connected(project, PULLED) as client:
        client.open("train.py")
        asked = asyncio.ensure_future(client.pull("train.py"))
        await asyncio.sleep(0)
        client.type("train.py", 15, 12, "pass  # ")
        try:
            assert items(await asked) == []  # the change came before the server had begun to answer
        except JsonRpcException as refused:
            assert refused.code == -32802
        assert items(await client.pull("train.py")) == []


@pytest.mark.parametrize(("encoding", "column"), [("utf-8", 24), ("utf-16", 20), ("utf-32", 18)])
async def test_columns_are_counted_as_the_client_counts(project: Path, encoding: str, column: int) -> None:
    def offers(capabilities: types.ClientCapabilities) -> None:
        capabilities.general = types.GeneralClientCapabilities(position_encodings=[encoding])

    async with connected(project, PUSHED, offers=offers) as client:
        assert client.capabilities.position_encoding == encoding
        client.open("train.py")
        client.type("train.py", 15, 12, '"\N{FIRE}\N{FIRE}";')
        await client.until(lambda: bool(client.shown("train.py")))
        client.type("train.py", 15, column - 1, " ")
        await client.until(lambda: client.shown("train.py")[0].range.start.character == column)


async def test_settings_of_files_and_of_the_editor(project: Path) -> None:
    async with connected(project, VSCODE, settings={"configuration": {"ignore": ["XLA101"]}}) as client:
        client.open("train.py")
        await client.sees("train.py")
        client.set({"configuration": {}})
        await client.sees("train.py", "XLA101")

        (project / "xlalint.toml").write_text('ignore = ["XLA1"]')
        client.tell_of_files("xlalint.toml")
        await client.sees("train.py")

        (project / "xlalint.toml").write_text("ignore = 1")
        client.tell_of_files("xlalint.toml")
        await client.until(lambda: bool(client.speaking.messages))
        client.type("train.py", 0, 0, "\n")
        (project / "xlalint.toml").unlink()
        client.tell_of_files("xlalint.toml")
        await client.sees("train.py", "XLA101")
        (message,) = client.speaking.messages
        assert message.type is types.MessageType.Error
        assert message.message == "xlalint: xlalint.toml:1: ignore: must be a list of strings"


async def test_a_file_that_is_not_on_disk(project: Path) -> None:
    async with connected(project, PUSHED) as client:
        text = (project / "train.py").read_text()
        client.open("new.py", text)
        client.open("train.py")
        await client.sees("new.py", "XLA101")
        await client.sees("train.py", "XLA101")


async def test_what_is_excluded_is_left_alone(project: Path) -> None:
    (project / ".venv").mkdir()
    shutil.copy(project / "train.py", project / ".venv" / "train.py")
    async with connected(project, PUSHED) as client:
        client.open(".venv/train.py")
        client.open("train.py")
        await client.sees("train.py", "XLA101")
        assert client.uri(".venv/train.py") in client.speaking.diagnostics
        assert not client.shown(".venv/train.py")


async def test_a_file_that_is_no_python(project: Path) -> None:
    async with connected(project, PUSHED) as client:
        client.open("train.py")
        client.type("train.py", 0, 0, "def (\n")
        (found,) = await client.sees("train.py", "XLA000")
        assert found.range.start.line == 0


async def test_what_the_last_run_has_shown_stands_in_the_message(project: Path) -> None:
    train = project / "train.py"
    lines = enumerate(train.read_text().splitlines(), start=1)
    (line,) = (number for number, text in lines if "log(loss)" in text)
    place = Range(Position(line, 13), Position(line, 22))
    seen, alone = (
        Diagnostic(code, "name", "a message", Severity.WARNING, Certainty.DEFINITE, "train.py", place,
                   evidence=Evidence(6, 1.0, 8.0, 6))
        for code in ("XLA101", "XLA103")
    )  # fmt: skip
    run = Run(
        "train.py", folder=str(project), files={str(train): digest(train.read_bytes())},
        judged=("XLA101", "XLA103"), diagnostics=(seen, alone),
    )  # fmt: skip
    async with connected(project, PUSHED) as client:
        client.open("train.py")
        await client.sees("train.py", "XLA101")
        (project / REPORT).write_text(runs.render(run))
        client.tell_of_files(REPORT)
        found = await client.sees("train.py", "XLA101", "XLA103")
        assert "run: confirmed: 6 times, 1.0 per step, 6 launches, median 8.0 ms" in found[0].message
        assert "run: only at run time: 6 times" in found[1].message
        fixes = await client.actions("train.py", line - 1)
        assert any(action.title.startswith("Move the read") for action in fixes)

        # The run was of another text.
        client.type("train.py", 0, 0, "# new\n")
        (found_then,) = await client.sees("train.py", "XLA101")
        assert "run:" not in found_then.message
        client.close("train.py")
        (project / REPORT).write_text("{}")
        client.tell_of_files(REPORT)
        client.open("train.py")
        await client.sees("train.py", "XLA101")


async def test_a_check_that_takes_long_shows_that_it_is_under_way(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With a patience of nothing every check is long; the program beside is one that starts the server so."""
    impatient = (
        "import xlalint.server.publishing as p; p.PATIENCE = 0; from xlalint.server.server import serve; "
    )
    monkeypatch.setattr(
        "language_client.COMMAND", (sys.executable, "-c", impatient + "raise SystemExit(serve())")
    )
    async with connected(project, VSCODE) as client:
        client.open("train.py")
        await client.sees("train.py", "XLA101")
        (shown, *_) = client.speaking.progress_reports.values()
        begun, *_ = shown
        assert isinstance(begun, types.WorkDoneProgressBegin)
        assert begun.title == "xlalint"
        await client.until(lambda: isinstance(shown[-1], types.WorkDoneProgressEnd))

    def offers(capabilities: types.ClientCapabilities) -> None:
        assert capabilities.window is not None
        capabilities.window.work_done_progress = False

    async with connected(project, VSCODE, offers=offers) as client:
        client.open("train.py")
        await client.sees("train.py", "XLA101")
        assert not client.speaking.progress_reports
