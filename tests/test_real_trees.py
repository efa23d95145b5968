"""Code that nobody here wrote: no crash, no hang, no internal error, and output that keeps its contract.

Not part of the usual run (`-m soak`). `benchmarks/corpus.py` fetches the published packages; further
trees, such as clones, are named in the environment variable XLALINT_TREES, separated as in PATH.
"""

from __future__ import annotations

import ast
import json
import os
import resource
import subprocess
import sys
import warnings
from pathlib import Path
from typing import Any

import pytest

from corpus import CORPUS, trees

NAMED = [Path(name) for name in os.environ.get("XLALINT_TREES", "").split(os.pathsep) if name]
TREES = [*trees(CORPUS), CORPUS, *NAMED]
MOST_MEMORY = 2 << 30
"""Bytes that a check may take: some way above the budget, far below what a runaway takes."""
KEYS = {
    "code", "name", "message", "severity", "certainty", "path", "range", "cell", "help", "fix", "fixes",
    "related", "url", "observed_by", "evidence",
}  # fmt: skip

pytestmark = pytest.mark.soak


@pytest.fixture(scope="module", params=TREES, ids=lambda tree: tree.name)
def checked(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> tuple[Path, list[dict[str, Any]]]:
    """A tree and all diagnostics of it, from where it is no part of this project."""
    named: Path = request.param
    assert named.is_dir(), f"{named} is not there: run benchmarks/corpus.py"
    folder = tmp_path_factory.mktemp("trees")
    tree = folder / named.name
    tree.symlink_to(named.resolve())
    options = ["--isolated", "--no-cache", "--no-respect-gitignore", "--output-format", "json"]
    done = subprocess.run(
        [sys.executable, "-m", "xlalint", "check", *options, tree.name],
        cwd=folder, capture_output=True, text=True, timeout=300,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, MOST_MEMORY)),
    )  # fmt: skip
    assert done.returncode in (0, 1), done.stderr
    assert "Traceback" not in done.stderr
    found: list[dict[str, Any]] = json.loads(done.stdout)
    return folder, found


def test_diagnostics_keep_the_contract(checked: tuple[Path, list[dict[str, Any]]]) -> None:
    folder, found = checked
    for one in found:
        assert set(one) == KEYS
        assert one["severity"] in ("error", "warning", "info")
        assert one["certainty"] in ("definite", "likely")
        path = folder / one["path"]
        assert path.is_file()
        lines = path.read_bytes().decode("utf-8", "replace").splitlines()
        start, end = one["range"]["start"], one["range"]["end"]
        assert (start["line"], start["column"]) <= (end["line"], end["column"])
        assert 1 <= start["line"] <= max(1, len(lines))


def test_only_files_that_python_cannot_read_are_called_unreadable(
    checked: tuple[Path, list[dict[str, Any]]],
) -> None:
    folder, found = checked
    for one in found:
        if one["code"] == "XLA000":
            with pytest.raises((SyntaxError, ValueError)), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                ast.parse((folder / one["path"]).read_bytes())
