"""Notebooks in the language server: a program of cells, each of which is a text of the client."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from lsprotocol import types

from checking import codes_of
from language_client import Notebook, connected

PUSHED = "neovim@v0.7.0"
VSCODE = "visual_studio_code"

pytestmark = pytest.mark.asyncio

IMPORTS = "%pip install torch_xla\nimport torch\nimport torch_xla\n"
MODEL = "device = torch_xla.device()\nmodel = torch.nn.Linear(4, 4).to(device)"
STEP = """\
for number in range(10):
    with torch_xla.step():
        loss = model(torch.ones(4, 4, device=device)).sum()
        loss.backward()
        print(loss.item())
"""
CELLS = (IMPORTS, MODEL, STEP)


def found(report: types.DocumentDiagnosticReport) -> list[str]:
    assert isinstance(report, types.RelatedFullDocumentDiagnosticReport)
    return [str(each.code) for each in report.items]


async def test_what_is_found_stands_in_its_cell(tmp_path: Path) -> None:
    async with connected(tmp_path, PUSHED) as client:
        notebook = Notebook(client, "train.ipynb")
        notebook.open(*CELLS)
        (found,) = await client.sees(notebook.cells[2], "XLA101")
        assert found.range == types.Range(types.Position(4, 14), types.Position(4, 25))
        assert [client.shown(cell) for cell in notebook.cells[:2]] == [[], []]

        # As the command has it for the file on disk.
        file = tmp_path / "train.ipynb"
        cells = [{"cell_type": "code", "source": text.splitlines(keepends=True)} for text in CELLS]
        file.write_text(json.dumps({"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}))
        assert codes_of(file) == {"XLA101": 1}

        # A cell above grows, another is put in front, and what is typed in one counts for others.
        client.type(notebook.cells[1], 0, 0, "# a remark\n# and another\n")
        notebook.insert(0, "# Training\n", kind=types.NotebookCellKind.Markup)
        notebook.insert(1, "print('begin')")
        (moved,) = await client.sees(notebook.cells[4], "XLA101")
        assert moved.range == found.range
        client.type(notebook.cells[4], 1, 0, "    with (", over=9)
        await client.sees(notebook.cells[4], "XLA000")


async def test_a_cell_that_is_gone_has_no_diagnostics(tmp_path: Path) -> None:
    async with connected(tmp_path, PUSHED) as client:
        notebook = Notebook(client, "train.ipynb")
        notebook.open(*CELLS)
        await client.sees(notebook.cells[2], "XLA101")
        gone = notebook.cells[2]
        notebook.remove(2)
        await client.until(lambda: not client.speaking.diagnostics[gone])
        notebook.insert(2, STEP)
        await client.sees(notebook.cells[2], "XLA101")
        notebook.close()
        await client.until(lambda: not client.speaking.diagnostics[notebook.cells[2]])
        assert not client.speaking.messages


async def test_a_cell_is_asked_for_by_its_name(tmp_path: Path) -> None:
    async with connected(tmp_path, "neovim@v0.11.0") as client:
        notebook = Notebook(client, "train.ipynb")
        notebook.open(*CELLS)
        assert found(await client.pull(notebook.cells[2])) == ["XLA101"]
        assert found(await client.pull(notebook.cells[1])) == []
        client.type(notebook.cells[2], 4, 8, "pass  # ")
        assert found(await client.pull(notebook.cells[2])) == []


async def test_cells_are_fixed_and_suppressed_in_their_own_text(tmp_path: Path) -> None:
    async with connected(tmp_path, VSCODE) as client:
        notebook = Notebook(client, "train.ipynb")
        notebook.open(*CELLS)
        await client.sees(notebook.cells[2], "XLA101")
        fix, on_line, in_file = await client.actions(notebook.cells[2], 4)
        assert on_line.edit is not None
        client.apply(on_line)
        await client.sees(notebook.cells[2])
        assert client.text(notebook.cells[2]).endswith(
            "        print(loss.item())  # xlalint: ignore[XLA101]\n"
        )
        hover = await client.hover(notebook.cells[2], 4, 50)
        assert hover is not None
        assert hover.startswith("# [XLA101 host-read-in-step](")

        client.replace(notebook.cells[2], STEP)
        await client.sees(notebook.cells[2], "XLA101")
        fix, on_line, in_file = await client.actions(notebook.cells[2], 4)
        client.apply(await client.resolved(fix))
        await client.sees(notebook.cells[2])
        assert client.text(notebook.cells[2]) == STEP.replace("        print", "    print")
        assert [client.text(cell) for cell in notebook.cells[:2]] == [IMPORTS, MODEL]

        client.replace(notebook.cells[2], STEP)
        await client.sees(notebook.cells[2], "XLA101")
        (*_, in_file) = await client.actions(notebook.cells[2], 4)
        client.apply(in_file)
        await client.sees(notebook.cells[2])
        assert client.text(notebook.cells[0]) == "# xlalint: ignore-file[XLA101]\n" + IMPORTS


async def test_what_is_no_python_is_not_rewritten(tmp_path: Path) -> None:
    """A comment behind a magic would be a part of it, and above `%%time` it would end it."""
    async with connected(tmp_path, VSCODE) as client:
        notebook = Notebook(client, "train.ipynb")
        timed = "%%time\nimport torch\nimport torch_xla\n" + MODEL + "\n" + STEP
        notebook.open(timed)
        await client.sees(notebook.cells[0], "XLA101")
        actions = await client.actions(notebook.cells[0], 9)
        assert [action.title for action in actions if action.title.startswith("Suppress")] == [
            "Suppress XLA101 on this line"
        ]


async def test_the_state_shows_in_cells(tmp_path: Path) -> None:
    settings = {"state": {"inlayHints": True, "hover": True}}
    async with connected(tmp_path, VSCODE, settings=settings) as client:
        notebook = Notebook(client, "train.ipynb")
        notebook.open(*CELLS)
        await client.sees(notebook.cells[2], "XLA101")
        hints = await client.hints(notebook.cells[2])
        assert "open scopes: torch_xla.step() from line 2 of cell 3" in hints[2]
        assert not set(await client.hints(notebook.cells[0])) - {1, 2}


async def test_notebooks_that_are_none_of_ours(tmp_path: Path) -> None:
    async with connected(tmp_path, PUSHED) as client:
        shell = Notebook(client, "shell.ipynb", language="shellscript")
        shell.open("for number in range(10): (")
        client.open("raw.ipynb", '{"cells": []')  # shown as JSON
        notebook = Notebook(client, "untitled:Untitled-1.ipynb")
        notebook.open(*CELLS)
        await client.sees(notebook.cells[2], "XLA101")
        assert not client.shown(shell.cells[0])
        assert client.uri("raw.ipynb") not in client.speaking.diagnostics


async def test_windows_line_ends_stay(tmp_path: Path) -> None:
    async with connected(tmp_path, VSCODE) as client:
        notebook = Notebook(client, "train.ipynb")
        notebook.open(*(text.replace("\n", "\r\n") for text in CELLS))
        (found,) = await client.sees(notebook.cells[2], "XLA101")
        assert found.range.start == types.Position(4, 14)
        (fix, *_) = await client.actions(notebook.cells[2], 4)
        client.apply(await client.resolved(fix))
        await client.sees(notebook.cells[2])
        assert client.text(notebook.cells[2]) == STEP.replace("        print", "    print").replace(
            "\n", "\r\n"
        )
