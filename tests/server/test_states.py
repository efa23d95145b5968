"""The model's state, for those who turn it on."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from language_client import connected

PROJECT = Path(__file__).resolve().parent / "project"
BOTH = {"state": {"hover": True, "inlayHints": True}}

pytestmark = pytest.mark.asyncio


async def test_the_state_shows_where_it_is_asked_for(tmp_path: Path) -> None:
    shutil.copytree(PROJECT, tmp_path, dirs_exist_ok=True)
    async with connected(tmp_path, "neovim@v0.11.0") as client:
        client.open("train.py")
        await client.pull("train.py")
        assert await client.hints("train.py") == {}
        assert await client.hover("train.py", 13, 14) is None

        refreshed = client.refreshed
        client.set(BOTH)
        await client.until(lambda: client.refreshed > refreshed)
        hints = await client.hints("train.py")
        assert hints[11] == "before: · recorded: nothing; open scopes: torch_xla.step() from line 11"
        assert hints[12].startswith("before: █ recorded: heavy since line 12; open scopes: ")
        told = await client.hover("train.py", 12, 14)
        assert told is not None
        assert told.startswith("```text\ntrain.py:13, before this line runs:\n  loss.backward()\n")

        # What is typed counts, and a text that is no Python has no state.
        client.type("train.py", 9, 0, "\n")
        assert [*await client.hints("train.py")] == [line + (line > 8) for line in hints]
        client.type("train.py", 0, 0, "def (")
        assert await client.hints("train.py") == {}
