"""What other programs may call."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

import xlalint

ROOT = Path(__file__).resolve().parent.parent
DOCUMENT = ROOT / "docs" / "api.md"
EXAMPLES = re.findall(r"^```python\n(.*?)^```", DOCUMENT.read_text(encoding="utf-8"), re.M | re.S)

SOURCE = """\
import torch_xla.core.xla_model as xm

device = xm.xla_device()
"""
CURED = "import torch_xla\n\ndevice = torch_xla.device()\n"


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A text without a path is checked as one of the project in the working directory: this one is large."""
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("example", EXAMPLES)
def test_the_examples_in_the_documentation_run(example: str, tmp_path: Path) -> None:
    (tmp_path / "src").mkdir()
    (tmp_path / "train.py").write_text(SOURCE)
    exec(compile(example, "docs/api.md", "exec"), {})


def test_to_import_the_package_loads_nothing_else() -> None:
    program = "import xlalint, sys; print(*(name for name in sys.modules if name.startswith('xlalint.')))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.split() == []


@pytest.mark.parametrize("name", xlalint.__all__)
def test_every_name_is_there(name: str) -> None:
    assert getattr(xlalint, name).__name__ == name


def test_no_other_name_is() -> None:
    with pytest.raises(AttributeError, match="no attribute 'chek'"):
        xlalint.chek  # type: ignore[attr-defined]  # noqa: B018


def test_a_text_is_checked_where_it_would_stand(tmp_path: Path) -> None:
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "xlalint.toml").write_text('ignore = ["XLA002"]')
    assert [found.code for found in xlalint.check_source(SOURCE).diagnostics] == ["XLA002"]
    assert not xlalint.check_source(SOURCE, tmp_path / "src" / "train.py").diagnostics
    again = xlalint.check_source(SOURCE, tmp_path / "src" / "train.py", settings={"ignore": []})
    assert [found.code for found in again.diagnostics] == ["XLA002"]


def test_settings_that_cannot_be_used_name_the_key() -> None:
    with pytest.raises(
        xlalint.SettingsError, match="settings: unknown setting 'selct'; did you mean 'select'"
    ):
        xlalint.check_source(SOURCE, settings={"selct": ["XLA1"]})
    with pytest.raises(xlalint.SettingsError, match="settings: target-version: "):
        xlalint.check_source(SOURCE, settings={"target-version": "new"})


def test_files_are_fixed_in_memory(tmp_path: Path) -> None:
    path = tmp_path / "train.py"
    path.write_text(SOURCE)
    outcome = xlalint.fix_paths([path])
    assert outcome.after == {str(path): CURED.encode()}
    assert outcome.before == {str(path): SOURCE.encode()}
    assert path.read_text() == SOURCE


@pytest.mark.parametrize("first", ["", "\ufeff", "# -*- coding: latin-1 -*-\n", "# Grüße\n"], ids=ascii)
def test_a_text_keeps_what_it_begins_with(first: str) -> None:
    assert xlalint.fix_source(first + SOURCE).text == first + CURED


def test_a_text_that_its_encoding_cannot_hold_is_checked_and_not_fixed() -> None:
    source = f"# -*- coding: latin-1 -*-\n# \N{RIGHTWARDS ARROW}\n{SOURCE}"
    (found,) = xlalint.check_source(source).diagnostics
    assert found.range.start == xlalint.Position(5, 10)
    with pytest.raises(UnicodeEncodeError):
        xlalint.fix_source(source)


def test_a_text_with_nothing_to_fix_stays_itself() -> None:
    fixed = xlalint.fix_source("x = 1\r\n")
    assert (fixed.text, fixed.applied, fixed.left) == ("x = 1\r\n", [], [])
