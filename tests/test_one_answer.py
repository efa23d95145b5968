"""The answer for a file is the same whatever else is named, and wherever the command runs."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from fixture_programs import FIXTURES
from warm_command import command
from xlalint.findings import Search
from xlalint.gathering import gather
from xlalint.importers import needed
from xlalint.settings import SettingsFinder

EXAMPLE = FIXTURES.parent / "examples" / "train_digits"
PROJECT = "[project]\nname = 'some'\nversion = '1'\n"

TRAIN = """\
import torch
import torch_xla

from metrics import report


def train(batches):
    model = torch.nn.Linear(3, 3).to(torch_xla.device())
    for batch in batches:
        with torch_xla.step():
            loss = model(batch.to(torch_xla.device())).sum()
            loss.backward()
            report(loss)
"""
READS = "import torch_xla\n\n\ndef report(value):\n    print(value.item())\n"
READS_NOT = "import torch_xla\n\n\ndef report(value):\n    pass\n"


def answers(*paths: str, folder: Path, stdin: bytes = b"", also: Sequence[str] = ()) -> Any:
    """What the command says as JSON, with absolute paths."""
    done = command(
        "check", "--exit-zero", "--output-format", "json", *also, *paths, folder=folder, stdin=stdin
    )
    assert done.returncode == 0, done.stderr.decode()
    found = json.loads(done.stdout)
    for diagnostic in found:
        diagnostic["message"] = re.sub(
            r"(?<= of )\S+\.py", lambda shown: str((folder / shown[0]).resolve()), diagnostic["message"]
        )
        for place in (diagnostic, *diagnostic["related"]):
            place["path"] = str((folder / place["path"]).resolve())
    return found


def of_file(found: Any, file: Path) -> Any:
    return [diagnostic for diagnostic in found if diagnostic["path"] == str(file.resolve())]


def codes(found: Any) -> list[tuple[str, str]]:
    return [(Path(diagnostic["path"]).name, diagnostic["code"]) for diagnostic in found]


@pytest.fixture(params=["no cache", "a cache"])
def also(request: pytest.FixtureRequest) -> Iterator[list[str]]:
    yield ["--no-cache"] if request.param == "no cache" else []


@pytest.fixture
def digits(tmp_path: Path) -> Path:
    """The example program as a project."""
    shutil.copytree(EXAMPLE, tmp_path / "digits", ignore=shutil.ignore_patterns("__pycache__", ".*"))
    (tmp_path / "digits" / "pyproject.toml").write_text(PROJECT)
    return tmp_path / "digits"


def write(folder: Path, **files: str) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        (folder / name.replace("_py", ".py").replace("_toml", ".toml")).write_text(text)
    return folder


def test_a_file_by_itself_gets_what_it_gets_among_all(digits: Path, also: list[str]) -> None:
    whole = answers(".", folder=digits, also=also)
    files = sorted(digits.glob("*.py"))
    assert len({diagnostic["path"] for diagnostic in whole}) > 1
    for file in files:
        assert answers(file.name, folder=digits, also=also) == of_file(whole, file)
    assert answers(*(file.name for file in files), folder=digits, also=also) == whole
    assert answers(*(file.name for file in reversed(files)), folder=digits, also=also) == whole


def test_standard_input_stands_for_the_file_it_is_named_after(digits: Path, also: list[str]) -> None:
    whole = answers(".", folder=digits, also=also)
    for file in sorted(digits.glob("*.py")):
        named = ["--stdin-filename", file.name]
        given = answers("-", folder=digits, stdin=file.read_bytes(), also=[*also, *named])
        assert given == of_file(whole, file)
    edited = (digits / "engine.py").read_bytes().replace(b"xm.mark_step()", b"pass")
    given = answers("-", folder=digits, stdin=edited, also=[*also, "--stdin-filename", "engine.py"])
    assert given != of_file(whole, digits / "engine.py")
    assert answers(".", folder=digits, also=also) == whole


def test_the_working_directory_does_not_count(digits: Path, tmp_path: Path, also: list[str]) -> None:
    whole = answers(".", folder=digits, also=also)
    assert answers(str(digits), folder=tmp_path, also=also) == whole
    (digits / "below").mkdir()
    assert answers("..", folder=digits / "below", also=also) == whole
    engine = of_file(whole, digits / "engine.py")
    assert answers("../engine.py", folder=digits / "below", also=also) == engine


def test_hash_seeds_do_not_count(digits: Path) -> None:
    line = [sys.executable, "-m", "xlalint", "check", "--exit-zero", "--no-cache", "--output-format", "json"]
    found = [
        subprocess.run(
            line, cwd=digits, env={**os.environ, "PYTHONHASHSEED": seed}, capture_output=True, check=True
        ).stdout
        for seed in ("0", "1", "77")
    ]
    assert b"XLA" in found[0]
    assert found[0] == found[1] == found[2]


def test_each_file_imports_from_its_own_project(tmp_path: Path, also: list[str]) -> None:
    write(tmp_path / "a", train_py=TRAIN, pyproject_toml=PROJECT)
    write(tmp_path / "b", metrics_py=READS, pyproject_toml=PROJECT)
    write(tmp_path / "c", metrics_py=READS_NOT, pyproject_toml=PROJECT)
    alone = answers("a", folder=tmp_path, also=also)
    assert codes(alone) == []
    for named in (("a", "b"), ("b", "a"), ("a", "c", "b"), ("b/metrics.py", "a/train.py"), (".",)):
        found = answers(*named, folder=tmp_path, also=also)
        assert of_file(found, tmp_path / "a" / "train.py") == alone, named


def test_the_folder_of_a_script_comes_first(tmp_path: Path, also: list[str]) -> None:
    write(tmp_path, metrics_py=READS_NOT, pyproject_toml=PROJECT)
    write(tmp_path / "scripts", train_py=TRAIN, metrics_py=READS)
    assert ("train.py", "XLA101") in codes(answers("scripts/train.py", folder=tmp_path, also=also))


def test_a_hazard_two_modules_away_is_found_from_either_end(tmp_path: Path, also: list[str]) -> None:
    """The caller opens the step, a module that never speaks of torch_xla passes the loss on."""
    write(
        tmp_path,
        pyproject_toml=PROJECT,
        train_py=TRAIN,
        metrics_py="from console import show\n\n\ndef report(value):\n    show('loss', value)\n",
        console_py="def show(name, value):\n    print(name, value.item())\n",
    )
    whole = answers(".", folder=tmp_path, also=also)
    assert codes(whole) == [("train.py", "XLA101")]
    for file in ("train.py", "metrics.py", "console.py"):
        assert answers(file, folder=tmp_path, also=also) == of_file(whole, tmp_path / file)


def test_a_helper_is_judged_by_those_who_call_it(tmp_path: Path, also: list[str]) -> None:
    """By itself the helper would be a function that nobody calls."""
    helper = (
        "import torch_xla\n\n\ndef finish(loss):\n"
        "    value = loss.item()\n    torch_xla.sync()\n    return value\n"
    )
    main = (
        "import torch\nimport torch_xla\n\nfrom helper import finish\n\n\ndef train(batches):\n"
        "    model = torch.nn.Linear(3, 3).to(torch_xla.device())\n    for batch in batches:\n"
        "        loss = model(batch.to(torch_xla.device())).sum()\n        finish(loss)\n"
    )
    write(tmp_path, pyproject_toml=PROJECT, main_py=main, helper_py=helper)
    whole = answers(".", folder=tmp_path, also=also)
    assert ("helper.py", "XLA102") in codes(whole)
    assert answers("helper.py", folder=tmp_path, also=also) == of_file(whole, tmp_path / "helper.py")


@pytest.mark.parametrize("brought", ["from lib import choose", "import lib.parts"])
def test_what_a_file_leads_to_counts_through_files_without_torch_xla(tmp_path: Path, brought: str) -> None:
    """The package hands on what chooses the device, and itself says nothing of torch_xla."""
    write(tmp_path, pyproject_toml=PROJECT, main_py=f"import torch_xla\n\n{brought}\n")
    devices = "import torch_xla\n\n\ndef choose():\n    return torch_xla.device()\n"
    package = {"__init___py": "from .devices import *\n", "parts_py": "SIZE = 3\n", "devices_py": devices}
    write(tmp_path / "lib", **package)
    write(tmp_path / "apart", __init___py="", train_py=TRAIN)
    unit = gather([tmp_path / "main.py"], SettingsFinder(isolated=True)).units[0]
    found = needed(unit.asked, unit.files, unit.analyzed, Search(unit).project)
    assert {str(Path(path).relative_to(tmp_path)) for path in found} == {
        "main.py", str(Path("lib") / "devices.py"),
    }  # fmt: skip


def test_a_fix_is_that_of_its_own_project(tmp_path: Path, also: list[str]) -> None:
    """The other one goes on without torch_xla; this needs it anyway, so that a fix may import it."""
    main = (
        "import torch\n\n\ndef main():\n    torch.manual_seed(0)\n"
        "    drop = torch.nn.Sequential(torch.nn.Linear(3, 3), torch.nn.Dropout(0.5)).to('xla')\n"
        "    loss = drop(torch.ones(3, 3, device='xla')).sum()\n    loss.backward()\n\n\nmain()\n"
    )
    write(tmp_path / "one", pyproject_toml=PROJECT, main_py=main)
    other = "try:\n    import torch_xla\nexcept ImportError:\n    torch_xla = None\n"
    write(tmp_path / "two", pyproject_toml=PROJECT, other_py=other)
    alone = answers("one", folder=tmp_path, also=also)
    assert [len(each["fix"]["edits"]) for each in alone if each["code"] == "XLA707"] == [2]
    assert of_file(answers(".", folder=tmp_path, also=also), tmp_path / "one" / "main.py") == alone


def test_a_rule_yields_to_one_that_speaks_in_another_file(tmp_path: Path, also: list[str]) -> None:
    """What the helper asks a tensor for is told there, and not once more where it is called."""
    use = (
        "import torch\nimport torch_xla\n\nfrom helper import ends\n\n\ndef decode(model, x):\n"
        "    model = torch.nn.Linear(3, 3).to(torch_xla.device())\n    x = x.to(torch_xla.device())\n"
        "    for _ in range(8):\n        x = model(x)\n        if ends(x):\n            break\n"
        "        torch_xla.sync()\n"
    )
    helper = (
        "import torch_xla\n\n\ndef ends(x):\n    if (x == 0).all():\n        return True\n    return False\n"
    )
    write(tmp_path, pyproject_toml=PROJECT, use_py=use, helper_py=helper)
    whole = answers(".", folder=tmp_path, also=also)
    assert ("helper.py", "XLA103") in codes(whole)
    assert ("use.py", "XLA102") not in codes(whole)
    for file in ("use.py", "helper.py"):
        assert answers(file, folder=tmp_path, also=also) == of_file(whole, tmp_path / file)


@pytest.mark.parametrize("place", ["excluded", "ignored"])
def test_what_is_excluded_is_analyzed_where_it_is_imported(
    tmp_path: Path, place: str, also: list[str]
) -> None:
    write(tmp_path, train_py=TRAIN, metrics_py=READS, pyproject_toml=PROJECT)
    (tmp_path / ".git").mkdir()
    if place == "excluded":
        (tmp_path / "xlalint.toml").write_text('extend-exclude = ["metrics.py", "other.py"]\n')
    else:
        (tmp_path / ".gitignore").write_text("metrics.py\nother.py\n")
    (tmp_path / "other.py").write_text("import torch_xla\n\ntorch_xla.sync(\n")
    whole = answers(".", folder=tmp_path, also=also)
    assert codes(whole) == [("train.py", "XLA101")]
    # One that is named is analyzed, and changes nothing for others.
    named = answers("other.py", ".", folder=tmp_path, also=also)
    assert codes(named) == [("other.py", "XLA000"), ("train.py", "XLA101")]


def test_a_comment_or_setting_elsewhere_changes_nothing(tmp_path: Path, also: list[str]) -> None:
    train = (
        "import torch\nimport torch_xla\n\n\ndef train(batches):\n    model = torch.nn.Linear(3, 3)\n"
        "    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)\n    model.to(torch_xla.device())\n"
        "    for batch in batches:\n        with torch_xla.step():\n"
        "            model(batch).sum().backward()\n"
        "            optimizer.step()\n"
    )
    write(tmp_path, pyproject_toml=PROJECT, train_py=train)
    alone = answers(".", folder=tmp_path, also=also)
    assert ("train.py", "XLA701") in codes(alone)
    swaps = "import torch\nimport torch_xla\n\ntorch.__future__.set_swap_module_params_on_conversion(True)\n"
    write(tmp_path, other_py=swaps, third_py="import torch_xla\n# eager_mode, init_process_group\n")
    assert of_file(answers(".", folder=tmp_path, also=also), tmp_path / "train.py") == alone
    # In the same program the setting counts.
    (tmp_path / "train.py").write_text(f"import other\n{train}")
    assert ("train.py", "XLA701") not in codes(answers(".", folder=tmp_path, also=also))


def test_state_looks_for_callers_in_other_modules(tmp_path: Path) -> None:
    write(tmp_path, train_py=TRAIN, metrics_py=READS, pyproject_toml=PROJECT)
    shown = command("state", "metrics.py:5", folder=tmp_path)
    assert b"device tensor" in shown.stdout


def test_without_a_project_the_working_directory_is_one(tmp_path: Path, also: list[str]) -> None:
    write(tmp_path / "here", train_py=TRAIN, metrics_py=READS)
    whole = answers(".", folder=tmp_path / "here", also=also)
    assert ("train.py", "XLA101") in codes(whole)
    for file in ("train.py", "metrics.py"):
        found = answers(file, folder=tmp_path / "here", also=also)
        assert found == of_file(whole, tmp_path / "here" / file)
        there = str(tmp_path / "here" / file)
        assert answers(there, folder=FIXTURES, also=["--no-cache"]) == found


@pytest.mark.parametrize("start", [".", "src"])
def test_imports_start_where_the_program_is_run_if_nothing_says_where_the_project_does(
    tmp_path: Path, also: list[str], start: str
) -> None:
    """Folders without `__init__.py` are packages as well, and `src` holds some."""
    write(
        tmp_path / start / "training",
        loop_py="import torch_xla\nfrom helpers.marks import end\n\n\ndef train(model, batch):\n"
        "    loss = model.to('xla')(batch)\n    print(loss.item())\n    end()\n",
    )
    write(tmp_path / start / "helpers", marks_py="import torch_xla\n\n\ndef end():\n    torch_xla.sync()\n")
    for named in (".", f"{start}/training/loop.py"):
        assert ("loop.py", "XLA102") in codes(answers(named, folder=tmp_path, also=also))
