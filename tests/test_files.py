"""Files of a project are held as long as they are needed, and are one text for a whole run."""

from __future__ import annotations

import ast
import os
import shutil
from collections import Counter
from pathlib import Path

import pytest

from xlalint import files
from xlalint.checker import Report, check
from xlalint.settings import SettingsFinder
from xlalint.sources.file import read_bytes
from xlalint.spelling import spelling

TRAIN = """\
import torch_xla

from reading import show


def train(model, batches):
    for batch in batches:
        with torch_xla.step():
            loss = model(batch.to(torch_xla.device())).sum()
            loss.backward()
            show(loss)
"""
READS = "def show(value):\n    print(value.item())\n"
COLD = "import json\n"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "pyproject.toml").write_text("[project]\nname = 'some'\n")
    (tmp_path / "train.py").write_text(TRAIN)
    (tmp_path / "reading.py").write_text(READS)
    (tmp_path / "cold.py").write_text(COLD)
    return tmp_path


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """How often each file is read from here on."""
    counted: Counter[str] = Counter()

    def counting(path: str) -> bytes | str:
        counted[Path(path).name] += 1
        return read_bytes(path)

    monkeypatch.setattr(files, "read_bytes", counting)
    return counted


def found(report: Report) -> list[tuple[str, str, int]]:
    return [(one.code, Path(one.path).name, one.range.start.line) for one in report.diagnostics]


def test_what_brings_no_xla_is_held_only_while_it_is_looked_at(project: Path, opened: Counter[str]) -> None:
    assert ("XLA101", "train.py", 11) in found(check([project], SettingsFinder()))
    assert opened == {"train.py": 1, "reading.py": 2, "cold.py": 1}


def test_a_file_that_has_changed_when_it_is_opened_again_is_not_analyzed(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was seen in it is of one text, what it does would be of another."""
    times = 0

    def changing(path: str) -> bytes | str:
        nonlocal times
        data = read_bytes(path)
        if path.endswith("reading.py"):
            times += 1
            Path(path).write_text(READS + "# changed\n" * times)
        return data

    monkeypatch.setattr(files, "read_bytes", changing)
    assert ("XLA101", "train.py", 11) not in found(check([project], SettingsFinder()))
    assert times == 2


def test_a_file_that_is_written_again_as_it_was_is_another(project: Path) -> None:
    """Its time tells, not its text: to compare texts, both would have to be held."""
    file = files.File(str(project / "reading.py"), SettingsFinder().at(project))
    file.compare(None)
    assert isinstance(file.data, bytes)
    file.let_go()
    os.utime(project / "reading.py", ns=(1, 1))
    now: bytes | str = file.data
    assert now == "it changed while it was read"


def test_nothing_of_a_program_is_held_once_it_is_closed(project: Path) -> None:
    """What is remembered of the parts of trees holds these trees."""
    test = ast.parse("a and b", mode="eval").body
    other = project / "other"
    other.mkdir()
    for name in ("pyproject.toml", "train.py", "reading.py"):
        shutil.copy(project / name, other)
    spelling(test)
    asked = spelling.cache_info().misses
    spelling(test)
    assert spelling.cache_info().misses == asked
    check([project, other], SettingsFinder())
    asked = spelling.cache_info().misses
    spelling(test)
    assert spelling.cache_info().misses == asked + 1
