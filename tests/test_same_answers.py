"""Diagnostics depend on the code alone: not on summaries, on the order of files, or on the front end."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any, TypeAlias

import pytest

from checking import diagnostics_of
from corpus import CORPUS, trees
from fixture_programs import FIXTURES, bad_programs, clean_programs
from xlalint.analysis import cst_frontend, engine
from xlalint.sources import syntax
from xlalint.sources.file import SourceFile

Change: TypeAlias = Callable[[pytest.MonkeyPatch], None]

FOLDERS = sorted({program.root.parent for program in bad_programs() + clean_programs()})


def without_summaries(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine, "analyze", functools.partial(engine.analyze, memo=False))


def files_in_reversed_order(monkeypatch: pytest.MonkeyPatch) -> None:
    analyze = engine.analyze

    def analyze_reversed(files: Sequence[SourceFile], *arguments: Any) -> engine.Analysis:
        return analyze([*reversed(files)], *arguments)

    monkeypatch.setattr(engine, "analyze", analyze_reversed)


def every_file_through_libcst(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(syntax, "ast", SimpleNamespace(parse=cst_frontend.parse))


every_way = pytest.mark.parametrize(
    "change",
    [without_summaries, files_in_reversed_order, every_file_through_libcst],
    ids=lambda change: change.__name__,
)


@every_way
@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.relative_to(FIXTURES).as_posix())
def test_fixtures(folder: Path, change: Change, monkeypatch: pytest.MonkeyPatch) -> None:
    compare(folder, change, monkeypatch)


@pytest.mark.soak
@every_way
@pytest.mark.parametrize("tree", trees(CORPUS), ids=lambda tree: tree.name)
def test_real_trees(tree: Path, change: Change, monkeypatch: pytest.MonkeyPatch) -> None:
    assert tree.is_dir(), f"{tree} is not there: run benchmarks/corpus.py"
    if change is without_summaries and tree.name.startswith("fairseq"):
        pytest.skip("its calls fan out so far that interpreting each of them anew does not end")
    compare(tree, change, monkeypatch)


def compare(root: Path, change: Change, monkeypatch: pytest.MonkeyPatch) -> None:
    usual = diagnostics_of(root)
    assert usual or not any(b"torch_xla" in path.read_bytes() for path in root.rglob("*.py"))
    change(monkeypatch)
    assert diagnostics_of(root) == usual
