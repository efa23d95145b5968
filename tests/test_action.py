"""The action for GitHub: its steps are run here as the runner would run them, but for the installation."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml

from test_formats import schema

ROOT = Path(__file__).resolve().parent.parent
PROGRAM = """\
import torch_xla.core.xla_model as xm

device = xm.xla_device()
"""


def action() -> dict[str, Any]:
    read: dict[str, Any] = yaml.safe_load((ROOT / "action.yml").read_text())
    return read


def check(folder: Path, **inputs: str) -> subprocess.CompletedProcess[str]:
    """Run the last step with some inputs, and the defaults of the others."""
    values = {name: each["default"] for name, each in action()["inputs"].items()}
    values.update({name.replace("_", "-"): value for name, value in inputs.items()})
    step = action()["runs"]["steps"][-1]
    environment = {
        name: re.sub(r"\$\{\{ inputs\.([\w-]+) \}\}", lambda match: values[match[1]], value)
        for name, value in step["env"].items()
    }
    assert "${{" not in step["run"], "what users choose is no part of the script"
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    return subprocess.run(
        ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]],
        cwd=folder, capture_output=True, text=True, timeout=120, check=False,
        env={**os.environ, **environment, "PATH": path, "GITHUB_STEP_SUMMARY": str(folder / "summary.md")},
    )  # fmt: skip


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "a b").mkdir()
    (tmp_path / "a b" / "old.py").write_text(PROGRAM)
    return tmp_path


def test_the_action_is_written_as_github_wants_it() -> None:
    described = schema("github-action")
    jsonschema.validators.validator_for(described)(described).validate(action())


def test_it_shows_diagnostics_and_writes_what_else_was_asked_for(folder: Path) -> None:
    done = check(folder, paths="a b\n", args="--fail-on\ninfo", sarif_file="out.sarif")
    assert done.returncode == 1, done.stderr
    assert done.stdout.startswith("::notice title=XLA002 deprecated-api,file=a b/old.py,line=3,")
    assert (folder / "summary.md").read_text().startswith("### xlalint: 1 info\n")
    (run,) = json.loads((folder / "out.sarif").read_text())["runs"]
    assert [result["ruleId"] for result in run["results"]] == ["XLA002"]


def test_it_ends_as_the_check_does(folder: Path) -> None:
    done = check(folder, summary="false")
    assert (done.returncode, (folder / "summary.md").exists()) == (0, False)
    assert check(folder, diff_base="$(touch injected)").returncode == 2
    assert not (folder / "injected").exists()
