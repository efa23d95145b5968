"""The hooks that .pre-commit-hooks.yaml offers, run by pre-commit and by prek on commits of one file."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from fixture_programs import FIXTURES
from xlalint.cli import command

ROOT = Path(__file__).resolve().parent.parent
SCRIPTS = Path(sys.executable).parent
PROGRAM = FIXTURES / "XLA101" / "read_three_calls_deep"
"""A step in main.py, which calls training/loop.py, which calls training/metrics.py, which reads."""

OLD_NAME = """\
import torch_xla.core.xla_model as xm

device = xm.xla_device()
"""
NEW_NAME = """\
import torch_xla

device = torch_xla.device()
"""


@pytest.fixture(scope="module")
def hooks(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository with what a user's machine gets from ours: everything that is in the work tree now."""
    folder = tmp_path_factory.mktemp("hooks")
    for name in (".pre-commit-hooks.yaml", "pyproject.toml", "hatch_build.py", "README.md"):
        shutil.copy(ROOT / name, folder)
    for package in ("xlalint", "rules", "runtime_shim"):
        ignored = shutil.ignore_patterns("__pycache__")
        shutil.copytree(ROOT / package, folder / package, ignore=ignored)
    _repository(folder)
    _run(folder, "git", "commit", "--quiet", "-m", "what there is")
    return folder


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository whose program is committed, and beside it a file that is not."""
    shutil.copytree(PROGRAM, tmp_path, dirs_exist_ok=True)
    main = tmp_path / "main.py"
    program = main.read_text()
    main.write_text("")
    _repository(tmp_path)
    _run(tmp_path, "git", "commit", "--quiet", "-m", "all but the main program")
    main.write_text(program)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def said_of(path: str) -> list[str]:
    """What `xlalint check .` says of one file, line by line."""
    said = CliRunner().invoke(command, ["check", ".", "--no-cache", "--output-format", "concise", "-q"])
    return [line for line in said.stdout.splitlines() if line.startswith(path)]


def test_pre_commit_says_of_a_commit_what_a_check_of_everything_says(hooks: Path, project: Path) -> None:
    (project / "xlalint.toml").write_text('output-format = "concise"\nextend-exclude = ["vendor/"]\n')
    (project / "vendor").mkdir()
    (project / "vendor" / "copied.py").write_text(OLD_NAME)
    (project / "old.py").write_text(OLD_NAME)
    code: dict[str, Any] = {"cell_type": "code", "metadata": {}, "outputs": [], "source": OLD_NAME}
    book: dict[str, Any] = {"cells": [code], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    (project / "old.ipynb").write_text(json.dumps(book))
    _run(project, "git", "add", "main.py", "vendor/copied.py", "old.py", "old.ipynb")
    tried = _run(project, "pre-commit", "try-repo", str(hooks), fails=True)
    (expected,) = said_of("main.py")
    assert "XLA101" in expected
    assert expected in tried
    assert "vendor/copied.py" not in tried, "what the settings exclude is left out although it is named"
    assert tried.count("- exit code: 1") == 2
    assert "- files were modified by this hook" in tried
    assert (project / "old.py").read_text() == NEW_NAME
    (cell,) = json.loads((project / "old.ipynb").read_text())["cells"]
    assert cell["source"] == NEW_NAME
    assert (project / "vendor" / "copied.py").read_text() == OLD_NAME


def test_a_commit_with_a_hazard_two_modules_away_is_stopped_by_prek(hooks: Path, project: Path) -> None:
    revision = _run(hooks, "git", "rev-parse", "HEAD").strip()
    (project / ".pre-commit-config.yaml").write_text(
        f"repos:\n  - repo: {hooks}\n    rev: {revision}\n    hooks:\n      - id: xlalint\n"
    )
    _run(project, "prek", "install")
    _run(project, "git", "add", "main.py", ".pre-commit-config.yaml")
    stopped = _run(project, "git", "commit", "-m", "the main program", fails=True)
    assert "XLA101" in stopped
    assert "training/metrics.py:9" in stopped
    (project / "main.py").write_text("print('no step, no hazard')\n")
    _run(project, "git", "add", "main.py")
    _run(project, "git", "commit", "-m", "another program")
    assert _run(project, "git", "log", "--format=%s").splitlines()[0] == "another program"


def _repository(folder: Path) -> None:
    _run(folder, "git", "init", "--quiet")
    _run(folder, "git", "add", ".")


def _run(folder: Path, program: str, *arguments: str, fails: bool = False) -> str:
    """What a program prints.

    Args:
        fails: Whether it must end with another exit status than 0, instead of with that.
    """
    beside = SCRIPTS / program
    home = folder.parent / f"{folder.name}-home"
    home.mkdir(exist_ok=True)
    done = subprocess.run(
        [str(beside) if beside.exists() else program, *arguments],
        cwd=folder,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=280,
        env={
            **{name: value for name, value in os.environ.items() if not name.startswith(("GIT_", "PYTHON"))},
            # Compiling takes two minutes; .ci/soak does that.
            "XLALINT_PURE": "1",
            "PIP_NO_COMPILE": "1",
            "PATH": f"{SCRIPTS}{os.pathsep}{os.environ['PATH']}",
            "PRE_COMMIT_HOME": str(home / "pre-commit"),
            "PREK_HOME": str(home / "prek"),
            "GIT_CONFIG_GLOBAL": os.devnull,
            "GIT_AUTHOR_NAME": "A", "GIT_AUTHOR_EMAIL": "a@example.org",
            "GIT_COMMITTER_NAME": "A", "GIT_COMMITTER_EMAIL": "a@example.org",
        },
    )  # fmt: skip
    assert (done.returncode != 0) == fails, done.stdout
    return done.stdout
