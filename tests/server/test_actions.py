"""What the language server offers at a place: quick fixes, suppressions, pages of rules."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from lsprotocol import types
from pygls.exceptions import JsonRpcException

from language_client import connected

PROJECT = Path(__file__).resolve().parent / "project"
PUSHED = "neovim@v0.7.0"
VSCODE = "visual_studio_code"
PASS = "        pass\n"

pytestmark = pytest.mark.asyncio


@pytest.fixture
def project(tmp_path: Path) -> Path:
    shutil.copytree(PROJECT, tmp_path, dirs_exist_ok=True)
    return tmp_path


async def test_actions_at_a_diagnostic(project: Path) -> None:
    async with connected(project, VSCODE) as client:
        client.open("train.py")
        await client.sees("train.py", "XLA101")
        assert not await client.actions("train.py", 3)
        (fix, on_line, in_file) = await client.actions("train.py", 15)
        (page,) = client.commands
        assert [action.title for action in (fix, on_line, in_file, page)] == [
            "Move the read below the step (unsafe: what moves runs later, and sees what has changed by then)",
            "Suppress XLA101 on this line",
            "Suppress XLA101 in this file",
            "Open the page of XLA101 (host-read-in-step)",
        ]
        assert fix.edit is None
        assert not fix.is_preferred

        await client.speaking.workspace_execute_command_async(
            types.ExecuteCommandParams(page.command, page.arguments)
        )
        (shown,) = client.speaking.shown_documents
        assert shown.external
        assert shown.uri.endswith("/host-read-in-step.md")

        client.apply(on_line)
        await client.sees("train.py")
        assert "            log(loss)  # xlalint: ignore[XLA101]\n" in client.text("train.py")
        page_of_rule = await client.hover("train.py", 15, 40)
        assert page_of_rule is not None
        assert page_of_rule.startswith("# [XLA101 host-read-in-step](")

        client.replace("train.py", (project / "train.py").read_text())
        await client.sees("train.py", "XLA101")
        assert await client.hover("train.py", 15, 14) == page_of_rule
        assert await client.hover("train.py", 3, 0) is None
        client.apply((await client.actions("train.py", 15))[2])
        await client.sees("train.py")
        assert client.text("train.py").startswith("# xlalint: ignore-file[XLA101]\nimport torch\n")


async def test_a_quick_fix_is_worked_out_when_it_is_chosen(project: Path) -> None:
    async with connected(project, PUSHED) as client:
        client.open("train.py")
        await client.sees("train.py", "XLA101")
        (outdated, *_) = await client.actions("train.py", 15)
        client.type("train.py", 0, 0, "\n")
        with pytest.raises(JsonRpcException, match="the text has changed"):
            await client.resolved(outdated)

        (fix, *_) = await client.actions("train.py", 16)
        client.apply(await client.resolved(fix))
        await client.sees("train.py")
        assert client.text("train.py").endswith(
            "            optimizer.zero_grad()\n        log(loss)\n\n\nmain()\n"
        )


async def test_a_fix_that_cannot_be_carried_out_says_why(project: Path) -> None:
    async with connected(project, PUSHED) as client:
        client.open("train.py")
        loop = (
            "            if loss.item() > 1:\n                loss = loss / 2\n            loss.backward()\n"
        )
        client.replace("train.py", client.text("train.py").replace("            loss.backward()\n", loop))
        await client.until(lambda: any(found.range.start.line == 12 for found in client.shown("train.py")))
        (fix, *_) = await client.actions("train.py", 12)
        with pytest.raises(JsonRpcException, match="xlalint cannot do this here: "):
            await client.resolved(fix)


OLD_NAMES = """\
import torch_xla.core.xla_model as xm

device = xm.xla_device()
rank = xm.get_ordinal()
"""


async def test_all_that_is_safe_is_fixed_at_once(project: Path) -> None:
    async with connected(project, PUSHED) as client:
        client.open("old.py", OLD_NAMES)
        await client.sees("old.py", "XLA001", "XLA002")
        (action,) = await client.actions("old.py", 0, only=[types.CodeActionKind.SourceFixAll])
        assert action.kind == "source.fixAll.xlalint"
        (same,) = await client.actions("old.py", 0, only=["source.fixAll.xlalint"])
        assert same.title == action.title
        client.apply(await client.resolved(action))
        await client.sees("old.py")
        assert "torch_xla.device()" in client.text("old.py")

        # What is not safe is left to single quick fixes.
        client.open("train.py")
        await client.sees("train.py", "XLA101")
        assert not await client.actions("train.py", 15, only=[types.CodeActionKind.SourceFixAll])


async def test_a_client_that_asks_for_edits_at_once_gets_them(project: Path) -> None:
    async with connected(project, "emacs") as client:
        client.open("train.py")
        await client.sees("train.py", "XLA101")
        (fix, *_) = await client.actions("train.py", 15)
        client.apply(fix)
        await client.sees("train.py")


GOOD = """\
import torch
import torch_xla


def forward(model, data):
    return model(data).relu()


def train(model, optimizer, batches):
    model = model.to(torch_xla.device())
    for data in batches:
        loss = model(data.to(torch_xla.device())).sum()
        loss.backward()
        optimizer.step()
"""


async def test_good_code_is_rewritten_on_demand(project: Path) -> None:
    async with connected(project, VSCODE) as client:

        async def apply(line: int) -> str:
            (action,) = await client.actions("good.py", line, only=["refactor"])
            version = client.apply(await client.resolved(action))
            await client.until(lambda: client.version("good.py") == version)
            return action.title

        client.open("good.py", GOOD)
        await client.until(lambda: client.version("good.py") == 1)
        assert (await apply(4)).startswith(
            "Compile this function by `torch_xla.compile` (unsafe: results may differ"
        )
        assert "\n\n\n@torch_xla.compile\ndef forward(model, data):\n" in client.text("good.py")
        assert (await apply(11)).startswith(
            "Put the step in `with torch_xla.step():` (unsafe: random numbers"
        )
        assert client.text("good.py").endswith(
            "    for data in batches:\n"
            "        with torch_xla.step():\n"
            "            loss = model(data.to(torch_xla.device())).sum()\n"
            "            loss.backward()\n"
            "            optimizer.step()\n"
        )
        version = client.type("good.py", 16, 0, "            print(model)\n")
        await client.until(lambda: client.version("good.py") == version)
        assert (await apply(16)).startswith("Move this below the step (unsafe: what moves runs later")
        assert client.text("good.py").endswith("            optimizer.step()\n        print(model)\n")

        with pytest.raises(JsonRpcException, match="xlalint cannot do this here: "):
            await apply(14)
        assert not await client.actions("good.py", 0, only=["refactor.rewrite"])
