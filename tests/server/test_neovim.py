"""A real editor: Neovim, without a window."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from editor_clients import command
from language_client import COMMAND

HERE = Path(__file__).resolve().parent


def test_a_bad_loop_is_seen_while_it_is_typed_and_rewritten_by_a_quick_fix(tmp_path: Path) -> None:
    shutil.copytree(HERE / "project", tmp_path, dirs_exist_ok=True)
    seen = played("quick_fix.lua", tmp_path, "bad_loop.py")
    assert seen["opened"] == "XLA002:5 XLA102:13"
    assert seen["typed"] == "XLA002:14 XLA002:5 XLA102:13 XLA201:14"
    (chosen,) = (title for title in seen["offered"] if "torch_xla.step" in title)
    assert chosen == (
        "Put the step in `with torch_xla.step():` (unsafe: random numbers differ, such as dropout's: "
        "each graph cut advances the device's random state)"
    )
    assert seen["text"].partition("    for ")[2] == (
        "step, (data, target) in enumerate(loader):\n"
        "        with torch_xla.step():\n"
        "            optimizer.zero_grad()\n"
        "            loss = loss_fn(model(data.to(device)), target.to(device))\n"
        "            loss.backward()\n"
        "            xm.optimizer_step(optimizer)\n"
        "        if step % 10 == 0:\n"
        "            print(step, loss.item())\n"
    )
    assert seen["text"].startswith("import torch_xla\nimport torch_xla.core.xla_model as xm\n")
    assert seen["fixed"] == "XLA002:6"
    assert seen["hover"].startswith("# [XLA002 deprecated-api](")
    assert not seen["told"]


def played(script: str, folder: Path, file: str) -> Any:
    """What was seen in Neovim while it played a script on a file."""
    report = folder / "seen.json"
    environment = {**os.environ, "XLALINT_SERVER": " ".join(COMMAND), "XLALINT_SEEN": str(report)}
    # Nothing of the user's own settings, and no state outside the folder.
    environment |= {f"XDG_{kind}_HOME": str(folder / kind.lower()) for kind in ("CONFIG", "DATA", "STATE")}
    done = subprocess.run(
        [command("nvim"), "--headless", "--clean", "-S", str(HERE / "neovim" / script), file],
        cwd=folder, env=environment, capture_output=True, text=True, timeout=200,
    )  # fmt: skip
    seen = json.loads(report.read_text()) if report.exists() else None
    if done.returncode != 0 or seen is None:
        pytest.fail(f"{done.stdout}{done.stderr}\nseen: {seen}")
    return seen
