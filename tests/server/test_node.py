"""Microsoft's client for Node, and the code of the VS Code extension that finds and starts the server."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from editor_clients import command, require
from language_client import COMMAND

EXTENSION = Path(__file__).resolve().parents[2] / "editors" / "vscode"


def test_the_extension_builds_and_speaks_with_the_server() -> None:
    command("node")
    require(EXTENSION / "node_modules")
    xlalint = " ".join(COMMAND[:-1])
    done = subprocess.run(
        [command("npm"), "test"], cwd=EXTENSION, env={**os.environ, "XLALINT_COMMAND": xlalint},
        capture_output=True, text=True, timeout=250,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    assert "# fail 0" in done.stdout
