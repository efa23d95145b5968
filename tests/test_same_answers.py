"""Diagnostics depend on the code alone: not on summaries, on the order of files, or on the front end."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from checking import diagnostics_of
from corpus import CORPUS, trees
from fixture_programs import FIXTURES, bad_programs, clean_programs
from xlalint.analysis import engine
from xlalint.diagnostic import Diagnostic

FOLDERS = sorted({program.root.parent for program in bad_programs() + clean_programs()})
WAYS: dict[str, Callable[[], Any]] = {
    "without summaries": lambda: functools.partial(engine.analyze, memo=False),
    "files in reversed order": lambda: functools.partial(_reversed, engine.analyze),
    "LibCST front end": lambda: functools.partial(engine.analyze, front_end="libcst"),
}

every_way = pytest.mark.parametrize("way", WAYS)


@every_way
@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.relative_to(FIXTURES).as_posix())
def test_fixtures(folder: Path, way: str, monkeypatch: pytest.MonkeyPatch) -> None:
    _compare(folder, way, monkeypatch)


@pytest.mark.soak
@every_way
@pytest.mark.parametrize("tree", trees(CORPUS), ids=lambda tree: tree.name)
def test_real_trees(tree: Path, way: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert tree.is_dir(), f"{tree} is not there: run benchmarks/corpus.py"
    _compare(tree, way, monkeypatch)


def _compare(root: Path, way: str, monkeypatch: pytest.MonkeyPatch) -> None:
    usual: list[Diagnostic] = diagnostics_of(root)
    monkeypatch.setattr(engine, "analyze", WAYS[way]())
    assert diagnostics_of(root) == usual


def _reversed(analyze: Callable[..., Any], files: Sequence[Any], *arguments: Any) -> Any:
    return analyze([*reversed(files)], *arguments)
